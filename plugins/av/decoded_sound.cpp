// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/decoded_sound.h"

#include <array>
#include <cstring>
#include <utility>

namespace tactus::plugins::av {
namespace {

constexpr auto kPlaces = std::to_array<std::pair<std::uint64_t, GstAudioChannelPosition>>({
    {AV_CH_FRONT_LEFT, GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT},
    {AV_CH_FRONT_RIGHT, GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT},
    {AV_CH_FRONT_CENTER, GST_AUDIO_CHANNEL_POSITION_FRONT_CENTER},
    {AV_CH_LOW_FREQUENCY, GST_AUDIO_CHANNEL_POSITION_LFE1},
    {AV_CH_BACK_LEFT, GST_AUDIO_CHANNEL_POSITION_REAR_LEFT},
    {AV_CH_BACK_RIGHT, GST_AUDIO_CHANNEL_POSITION_REAR_RIGHT},
    {AV_CH_FRONT_LEFT_OF_CENTER, GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT_OF_CENTER},
    {AV_CH_FRONT_RIGHT_OF_CENTER, GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT_OF_CENTER},
    {AV_CH_BACK_CENTER, GST_AUDIO_CHANNEL_POSITION_REAR_CENTER},
    {AV_CH_SIDE_LEFT, GST_AUDIO_CHANNEL_POSITION_SIDE_LEFT},
    {AV_CH_SIDE_RIGHT, GST_AUDIO_CHANNEL_POSITION_SIDE_RIGHT},
    {AV_CH_TOP_CENTER, GST_AUDIO_CHANNEL_POSITION_TOP_CENTER},
    {AV_CH_TOP_FRONT_LEFT, GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_LEFT},
    {AV_CH_TOP_FRONT_CENTER, GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_CENTER},
    {AV_CH_TOP_FRONT_RIGHT, GST_AUDIO_CHANNEL_POSITION_TOP_FRONT_RIGHT},
    {AV_CH_TOP_BACK_LEFT, GST_AUDIO_CHANNEL_POSITION_TOP_REAR_LEFT},
    {AV_CH_TOP_BACK_CENTER, GST_AUDIO_CHANNEL_POSITION_TOP_REAR_CENTER},
    {AV_CH_TOP_BACK_RIGHT, GST_AUDIO_CHANNEL_POSITION_TOP_REAR_RIGHT},
    {AV_CH_STEREO_LEFT, GST_AUDIO_CHANNEL_POSITION_FRONT_LEFT},
    {AV_CH_STEREO_RIGHT, GST_AUDIO_CHANNEL_POSITION_FRONT_RIGHT},
});

GstAudioFormat formatOf(AVSampleFormat format) noexcept {
  switch (av_get_packed_sample_fmt(format)) {
    case AV_SAMPLE_FMT_U8:
      return GST_AUDIO_FORMAT_U8;
    case AV_SAMPLE_FMT_S16:
      return GST_AUDIO_FORMAT_S16;
    case AV_SAMPLE_FMT_S32:
      return GST_AUDIO_FORMAT_S32;
    case AV_SAMPLE_FMT_FLT:
      return GST_AUDIO_FORMAT_F32;
    case AV_SAMPLE_FMT_DBL:
      return GST_AUDIO_FORMAT_F64;
    default:
      return GST_AUDIO_FORMAT_UNKNOWN;
  }
}

GstAudioChannelPosition placeOf(std::uint64_t channel) noexcept {
  for (const auto& [theirs, ours] : kPlaces)
    if (theirs == channel) return ours;
  return GST_AUDIO_CHANNEL_POSITION_INVALID;
}

using Places = std::array<GstAudioChannelPosition, 64>;

/// The places of a layout's channels; false where they are not told, or not known to GStreamer.
bool placesOf(const AVChannelLayout& layout, Places& places) noexcept {
  if (layout.order != AV_CHANNEL_ORDER_NATIVE) return false;
  std::size_t next = 0;
  for (int bit = 0; bit < 64; ++bit) {
    if ((layout.u.mask & (std::uint64_t{1} << bit)) == 0) continue;
    places[next] = placeOf(std::uint64_t{1} << bit);
    if (places[next++] == GST_AUDIO_CHANNEL_POSITION_INVALID) return false;
  }
  return true;
}

template <typename Sample>
void interleave(const AVFrame& sound, std::uint8_t* into, int channels) noexcept {
  auto* out = reinterpret_cast<Sample*>(into);
  for (int channel = 0; channel < channels; ++channel) {
    const auto* in = reinterpret_cast<const Sample*>(sound.extended_data[channel]);
    for (int i = 0; i < sound.nb_samples; ++i) out[i * channels + channel] = in[i];
  }
}

}  // namespace

std::optional<GstAudioInfo> infoOf(const AVFrame& sound) noexcept {
  const GstAudioFormat format = formatOf(static_cast<AVSampleFormat>(sound.format));
  const int channels = sound.ch_layout.nb_channels;
  if (format == GST_AUDIO_FORMAT_UNKNOWN || sound.sample_rate <= 0 || channels < 1 || channels > 64)
    return std::nullopt;
  Places places;
  places.fill(GST_AUDIO_CHANNEL_POSITION_NONE);
  bool placed = placesOf(sound.ch_layout, places);
  if (!placed && channels > 2) {
    // Not told: the usual places of so many channels, else none.
    AVChannelLayout usual{};
    av_channel_layout_default(&usual, channels);
    placed = placesOf(usual, places);
    av_channel_layout_uninit(&usual);
    if (!placed) places.fill(GST_AUDIO_CHANNEL_POSITION_NONE);
  }
  GstAudioInfo info;
  gst_audio_info_init(&info);
  gst_audio_info_set_format(&info, format, sound.sample_rate, channels,
                            placed || channels > 2 ? places.data() : nullptr);
  return info;
}

BufferPtr bufferOf(const AVFrame& sound, const GstAudioInfo& info) {
  const int channels = GST_AUDIO_INFO_CHANNELS(&info);
  const auto size = static_cast<gsize>(sound.nb_samples) * static_cast<gsize>(GST_AUDIO_INFO_BPF(&info));
  BufferPtr buffer(gst_buffer_new_allocate(nullptr, size, nullptr));
  GstMapInfo map;
  if (!buffer || gst_buffer_map(buffer.get(), &map, GST_MAP_WRITE) == FALSE) return nullptr;
  if (av_sample_fmt_is_planar(static_cast<AVSampleFormat>(sound.format)) == 0 || channels == 1) {
    std::memcpy(map.data, sound.extended_data[0], size);
  } else {
    switch (GST_AUDIO_INFO_BPF(&info) / channels) {
      case 1:
        interleave<std::uint8_t>(sound, map.data, channels);
        break;
      case 2:
        interleave<std::uint16_t>(sound, map.data, channels);
        break;
      case 4:
        interleave<std::uint32_t>(sound, map.data, channels);
        break;
      default:
        interleave<std::uint64_t>(sound, map.data, channels);
        break;
    }
  }
  gst_buffer_unmap(buffer.get(), &map);
  return buffer;
}

}  // namespace tactus::plugins::av
