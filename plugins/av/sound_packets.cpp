// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/sound_packets.h"

extern "C" {
#include <libavutil/intreadwrite.h>
}

#include <algorithm>
#include <array>

namespace tactus::plugins::av {

using periodic::Duration;

int headerRate(const AVPacket& packet, AVCodecID codec) {
  constexpr std::array<std::uint8_t, 7> kVorbis{1, 'v', 'o', 'r', 'b', 'i', 's'};
  if (codec != AV_CODEC_ID_VORBIS || packet.size < 30 ||
      !std::equal(kVorbis.begin(), kVorbis.end(), packet.data))
    return 0;
  const auto rate = AV_RL32(packet.data + 12);
  return rate > 0 && rate < 1'000'000 ? static_cast<int>(rate) : 0;
}

void notePadding(AVPacket& packet, const AVStream& stream) {
  const AVCodecParameters& sound = *stream.codecpar;
  const bool counted = stream.time_base.num == 1 && stream.time_base.den == sound.sample_rate;
  const std::int64_t padding = sound.frame_size - packet.duration;
  if (!counted || sound.codec_id != AV_CODEC_ID_AAC || packet.duration <= 0 || padding <= 0 ||
      av_packet_get_side_data(&packet, AV_PKT_DATA_SKIP_SAMPLES, nullptr) != nullptr)
    return;
  std::uint8_t* skipped = av_packet_new_side_data(&packet, AV_PKT_DATA_SKIP_SAMPLES, 10);
  if (skipped == nullptr) return;
  std::fill_n(skipped, 10, std::uint8_t{0});
  AV_WL32(skipped + 4, static_cast<std::uint32_t>(padding));
}

Duration lengthOf(const AVPacket& packet, const AVCodecParameters& sound, Duration counted) {
  std::size_t size = 0;
  const std::uint8_t* skipped = av_packet_get_side_data(&packet, AV_PKT_DATA_SKIP_SAMPLES, &size);
  if (skipped == nullptr || size < 8 || sound.sample_rate <= 0 || sound.frame_size <= 0) return counted;
  const std::int64_t heard = std::int64_t{sound.frame_size} - AV_RL32(skipped + 4);
  return std::clamp(Duration(av_rescale(heard, 1'000'000'000, sound.sample_rate)), Duration{0}, counted);
}

}  // namespace tactus::plugins::av
