// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/packet_format.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace tactus::plugins::av {
namespace {

constexpr const char* kPictures = "video/x-tactus-packets";
constexpr const char* kSound = "audio/x-tactus-packets";
constexpr const char* kParameters = "parameters";

/// GStreamer's names of formats that it names otherwise than libav.
constexpr auto kNames = std::to_array<std::pair<AVCodecID, const char*>>({
    {AV_CODEC_ID_HEVC, "video/x-h265"},
    {AV_CODEC_ID_MPEG1VIDEO, "video/mpeg"},
    {AV_CODEC_ID_MPEG2VIDEO, "video/mpeg"},
    {AV_CODEC_ID_MJPEG, "image/jpeg"},
    {AV_CODEC_ID_JPEG2000, "image/x-jpc"},
    {AV_CODEC_ID_DVVIDEO, "video/x-dv"},
    {AV_CODEC_ID_PNG, "image/png"},
});

std::string mediaTypeOf(const AVCodecParameters& parameters) {
  for (const auto& [codec, name] : kNames)
    if (codec == parameters.codec_id) return name;
  return std::string(parameters.codec_type == AVMEDIA_TYPE_VIDEO ? "video/x-" : "audio/x-") +
         avcodec_get_name(parameters.codec_id);
}

/// H.264 and H.265 with lengths, or with start codes.
const char* packingOf(const AVCodecParameters& parameters) {
  const bool lengths = parameters.extradata_size > 0 && parameters.extradata[0] == 1;
  if (parameters.codec_id == AV_CODEC_ID_H264) return lengths ? "avc" : "byte-stream";
  if (parameters.codec_id == AV_CODEC_ID_HEVC) return lengths ? "hvc1" : "byte-stream";
  return nullptr;
}

AVCodecParameters* parametersIn(const GValue* value) noexcept {
  return static_cast<AVCodecParameters*>(g_value_get_boxed(value));
}

/// What the decoder is told beside the packets; empty without any.
std::span<const std::uint8_t> extraOf(const AVCodecParameters& parameters) noexcept {
  return {parameters.extradata, static_cast<std::size_t>(std::max(0, parameters.extradata_size))};
}

bool sameStream(const AVCodecParameters& one, const AVCodecParameters& other) noexcept {
  return one.codec_id == other.codec_id && one.format == other.format && one.profile == other.profile &&
         one.width == other.width && one.height == other.height && one.sample_rate == other.sample_rate &&
         one.ch_layout.nb_channels == other.ch_layout.nb_channels &&
         std::ranges::equal(extraOf(one), extraOf(other));
}

/// Caps are values: what they hold is copied and compared with them.
GType registerParameters() {
  const GType type = g_boxed_type_register_static(
      "TactusCodecParameters",
      [](gpointer held) -> gpointer { return copyOf(*static_cast<AVCodecParameters*>(held)).release(); },
      [](gpointer held) {
        auto* parameters = static_cast<AVCodecParameters*>(held);
        avcodec_parameters_free(&parameters);
      });
  static GstValueTable s_table{
      type,
      [](const GValue* one, const GValue* other) -> gint {
        return sameStream(*parametersIn(one), *parametersIn(other)) ? GST_VALUE_EQUAL : GST_VALUE_UNORDERED;
      },
      nullptr,
      nullptr,
      nullptr,
      nullptr,
      {}};
  gst_value_register(&s_table);
  return type;
}

GType parametersType() {
  static const GType s_type = registerParameters();
  return s_type;
}

GQuark packetQuark() {
  static const GQuark s_quark = g_quark_from_static_string("tactus-av-packet");
  return s_quark;
}

void releasePacket(gpointer held) {
  auto* packet = static_cast<AVPacket*>(held);
  av_packet_free(&packet);
}

void setParameters(GstStructure* structure, const AVCodecParameters& parameters) {
  GValue value = G_VALUE_INIT;
  g_value_init(&value, parametersType());
  g_value_take_boxed(&value, copyOf(parameters).release());
  gst_structure_take_value(structure, kParameters, &value);
}

void setCodecData(GstStructure* structure, const AVCodecParameters& parameters) {
  if (parameters.extradata_size <= 0) return;
  const BufferPtr data(
      gst_buffer_new_memdup(parameters.extradata, static_cast<gsize>(parameters.extradata_size)));
  gst_structure_set(structure, "codec_data", GST_TYPE_BUFFER, data.get(), nullptr);
}

}  // namespace

GstCaps* packetCaps() {
  return gst_caps_new_full(gst_structure_new_empty(kPictures), gst_structure_new_empty(kSound), nullptr);
}

CapsPtr capsOf(const AVCodecParameters& parameters, AVRational rate) {
  const bool pictures = parameters.codec_type == AVMEDIA_TYPE_VIDEO;
  GstStructure* structure = gst_structure_new(pictures ? kPictures : kSound, "codec", G_TYPE_STRING,
                                              avcodec_get_name(parameters.codec_id), "media-type",
                                              G_TYPE_STRING, mediaTypeOf(parameters).c_str(), nullptr);
  if (const char* packing = packingOf(parameters))
    gst_structure_set(structure, "stream-format", G_TYPE_STRING, packing, nullptr);
  if (pictures) {
    gst_structure_set(structure, "width", G_TYPE_INT, parameters.width, "height", G_TYPE_INT,
                      parameters.height, nullptr);
    if (rate.num > 0 && rate.den > 0)
      gst_structure_set(structure, "framerate", GST_TYPE_FRACTION, rate.num, rate.den, nullptr);
  } else {
    gst_structure_set(structure, "rate", G_TYPE_INT, parameters.sample_rate, "channels", G_TYPE_INT,
                      parameters.ch_layout.nb_channels, nullptr);
  }
  setCodecData(structure, parameters);
  setParameters(structure, parameters);
  return CapsPtr(gst_caps_new_full(structure, nullptr));
}

const AVCodecParameters* parametersOf(const GstCaps* caps) noexcept {
  if (caps == nullptr || gst_caps_is_empty(caps) || gst_caps_is_any(caps)) return nullptr;
  const GValue* value = gst_structure_get_value(gst_caps_get_structure(caps, 0), kParameters);
  if (value == nullptr || !G_VALUE_HOLDS(value, parametersType())) return nullptr;
  return parametersIn(value);
}

AVRational rateOf(const GstCaps* caps) noexcept {
  AVRational rate{0, 1};
  if (gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &rate.num, &rate.den) == FALSE)
    return {0, 1};
  return rate;
}

BufferPtr bufferOf(PacketPtr packet) {
  AVPacket* held = packet.release();
  BufferPtr buffer(gst_buffer_new());
  // The bytes outlive this buffer where it is copied.
  if (held->size > 0)
    gst_buffer_append_memory(buffer.get(), memoryOf(held->buf, held->data, static_cast<gsize>(held->size)));
  // A buffer has no times before zero; the packet has.
  if (held->pts != AV_NOPTS_VALUE && held->pts >= 0)
    GST_BUFFER_PTS(buffer.get()) = static_cast<guint64>(held->pts);
  if (held->dts != AV_NOPTS_VALUE && held->dts >= 0)
    GST_BUFFER_DTS(buffer.get()) = static_cast<guint64>(held->dts);
  if (held->duration > 0) GST_BUFFER_DURATION(buffer.get()) = static_cast<guint64>(held->duration);
  if ((held->flags & AV_PKT_FLAG_KEY) == 0) GST_BUFFER_FLAG_SET(buffer.get(), GST_BUFFER_FLAG_DELTA_UNIT);
  if ((held->flags & AV_PKT_FLAG_DISCARD) != 0)
    GST_BUFFER_FLAG_SET(buffer.get(), GST_BUFFER_FLAG_DECODE_ONLY);
  if ((held->flags & AV_PKT_FLAG_DISPOSABLE) != 0)
    GST_BUFFER_FLAG_SET(buffer.get(), GST_BUFFER_FLAG_DROPPABLE);
  if ((held->flags & AV_PKT_FLAG_CORRUPT) != 0) GST_BUFFER_FLAG_SET(buffer.get(), GST_BUFFER_FLAG_CORRUPTED);
  gst_mini_object_set_qdata(GST_MINI_OBJECT_CAST(buffer.get()), packetQuark(), held, releasePacket);
  return buffer;
}

const AVPacket* packetOf(GstBuffer* buffer) noexcept {
  return static_cast<const AVPacket*>(gst_mini_object_get_qdata(GST_MINI_OBJECT_CAST(buffer), packetQuark()));
}

void attachTags(AVPacket& packet, TagListPtr tags) {
  if (!tags) return;
  av_buffer_unref(&packet.opaque_ref);
  packet.opaque_ref = av_buffer_create(
      reinterpret_cast<std::uint8_t*>(tags.get()), 1,
      [](void*, std::uint8_t* held) { gst_tag_list_unref(reinterpret_cast<GstTagList*>(held)); }, nullptr, 0);
  if (packet.opaque_ref != nullptr) (void)tags.release();
}

TagListPtr tagsOf(const AVPacket& packet) {
  if (packet.opaque_ref == nullptr) return nullptr;
  return TagListPtr(gst_tag_list_ref(reinterpret_cast<GstTagList*>(packet.opaque_ref->data)));
}

}  // namespace tactus::plugins::av
