// SPDX-License-Identifier: Apache-2.0
#include "media/stage/frame_kind.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace tactus::media {
namespace {

/// Each picture for itself.
constexpr std::array<std::string_view, 6> kIntra{"image/jpeg", "video/x-prores", "video/x-dnxhd",
                                                 "video/x-dv", "image/x-j2c",    "image/x-jpc"};

using Bytes = std::span<const std::uint8_t>;

/// A slice's answer; nullopt for units that are no slices.
std::optional<bool> disposableSlice(FrameCoding::Codec codec, std::uint8_t header) noexcept {
  if (codec == FrameCoding::Codec::H264) {
    const int type = header & 0x1f;
    if (type < 1 || type > 5) return std::nullopt;
    return (header >> 5 & 3) == 0;
  }
  const int type = header >> 1 & 0x3f;
  if (type > 31) return std::nullopt;
  return type <= 14 && type % 2 == 0;
}

/// Position just behind the next start code at or after `from`; size() if there is none.
std::size_t behindStartCode(Bytes unit, std::size_t from) noexcept {
  for (std::size_t i = from; i + 3 < unit.size(); ++i) {
    if (unit[i] == 0 && unit[i + 1] == 0 && unit[i + 2] == 1) return i + 3;
  }
  return unit.size();
}

bool disposableNals(const FrameCoding& coding, Bytes unit) noexcept {
  bool any = false;
  std::size_t at = coding.lengthBytes == 0 ? behindStartCode(unit, 0) : 0;
  while (at < unit.size()) {
    std::size_t next = 0;
    std::size_t header = at;
    if (coding.lengthBytes > 0) {
      const auto lengthBytes = static_cast<std::size_t>(coding.lengthBytes);
      if (at + lengthBytes >= unit.size()) return false;
      std::size_t length = 0;
      for (std::size_t i = 0; i < lengthBytes; ++i) length = length << 8 | unit[at + i];
      header = at + lengthBytes;
      if (length == 0 || length > unit.size() - header) return false;
      next = header + length;
    } else {
      next = behindStartCode(unit, at);
    }
    if (const auto slice = disposableSlice(coding.codec, unit[header])) {
      if (!*slice) return false;
      any = true;
    }
    at = next;
  }
  return any;
}

bool disposableMpeg2(Bytes unit) noexcept {
  for (std::size_t at = behindStartCode(unit, 0); at < unit.size(); at = behindStartCode(unit, at)) {
    if (unit[at] != 0x00) continue;  // picture header
    if (at + 2 >= unit.size()) return false;
    return (unit[at + 2] >> 3 & 7) == 3;  // temporal_reference (10 bits), then picture_coding_type: 3 = B
  }
  return false;
}

}  // namespace

FrameCoding FrameCoding::of(std::string_view name, std::string_view streamFormat, Bytes codecData) noexcept {
  FrameCoding coding;
  if (name == "video/x-h264") {
    coding.codec = Codec::H264;
    if (streamFormat.starts_with("avc"))
      coding.lengthBytes = codecData.size() > 4 ? (codecData[4] & 3) + 1 : 4;
  } else if (name == "video/x-h265") {
    coding.codec = Codec::H265;
    if (streamFormat == "hvc1" || streamFormat == "hev1")
      coding.lengthBytes = codecData.size() > 21 ? (codecData[21] & 3) + 1 : 4;
  } else if (name == "video/mpeg") {
    coding.codec = Codec::Mpeg2;
  } else if (std::find(kIntra.begin(), kIntra.end(), name) != kIntra.end()) {
    coding.codec = Codec::Intra;
  }
  return coding;
}

bool isDisposable(const FrameCoding& coding, Bytes unit) noexcept {
  switch (coding.codec) {
    case FrameCoding::Codec::H264:
    case FrameCoding::Codec::H265:
      return disposableNals(coding, unit);
    case FrameCoding::Codec::Mpeg2:
      return disposableMpeg2(unit);
    case FrameCoding::Codec::Intra:
      return true;
    case FrameCoding::Codec::Other:
      break;
  }
  return false;
}

}  // namespace tactus::media
