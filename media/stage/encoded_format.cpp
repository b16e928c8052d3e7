// SPDX-License-Identifier: Apache-2.0
#include "media/stage/encoded_format.h"

#include <algorithm>
#include <span>
#include <string_view>

namespace tactus::media {
namespace {

constexpr int kLargestSide = 32767;

FrameCoding codingOf(const GstStructure* format, std::string_view name) {
  const char* packing = gst_structure_get_string(format, "stream-format");
  const GValue* data = gst_structure_get_value(format, "codec_data");
  GstMapInfo map{};
  GstBuffer* buffer = data != nullptr ? gst_value_get_buffer(data) : nullptr;
  const bool mapped = buffer != nullptr && gst_buffer_map(buffer, &map, GST_MAP_READ) != FALSE;
  const auto bytes =
      mapped ? std::span<const std::uint8_t>(map.data, map.size) : std::span<const std::uint8_t>();
  const FrameCoding coding = FrameCoding::of(name, packing != nullptr ? packing : "", bytes);
  if (mapped) gst_buffer_unmap(buffer, &map);
  return coding;
}

}  // namespace

EncodedFormat EncodedFormat::of(const GstCaps* caps, periodic::Stage stage) {
  const GstStructure* structure = gst_caps_get_structure(caps, 0);
  EncodedFormat format;
  const char* named = gst_structure_get_string(structure, "media-type");  // of our own reader's packets
  format.name = named != nullptr ? named : gst_structure_get_name(structure);
  if (const char* codec = gst_structure_get_string(structure, "codec")) format.codec = codec;
  if (periodic::rowOf(stage).sound) {
    format.inDecodingOrder = true;
    return format;
  }
  int numerator = 0;
  int denominator = 1;
  if (gst_structure_get_fraction(structure, "framerate", &numerator, &denominator) && numerator > 0) {
    if (const auto rate = periodic::Rate::create(numerator, denominator); rate.ok())
      format.rate = rate.value();
  }
  const std::string codec = format.name;
  const char* profile = gst_structure_get_string(structure, "profile");
  const bool baseline = profile != nullptr && std::string_view(profile) == "constrained-baseline";
  format.inDecodingOrder =
      codec == "video/x-vp8" || codec == "video/x-vp9" || codec == "video/x-av1" || baseline;
  gst_structure_get_int(structure, "width", &format.width);
  gst_structure_get_int(structure, "height", &format.height);
  format.width = std::clamp(format.width, 1, kLargestSide);
  format.height = std::clamp(format.height, 1, kLargestSide);
  format.name += " " + std::to_string(format.width) + "x" + std::to_string(format.height);
  format.coding = codingOf(structure, codec);
  return format;
}

}  // namespace tactus::media
