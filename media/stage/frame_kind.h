// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace tactus::media {

/// How an access unit's codec is packed, as its caps say.
struct FrameCoding {
  enum class Codec { Other, H264, H265, Mpeg2, Intra } codec = Codec::Other;
  /// Bytes of the length before each NAL unit (avc, hvc1); 0 = start codes (byte-stream).
  int lengthBytes = 0;
  /// From the caps' name ("video/x-h264") and stream-format ("avc", "byte-stream", "hvc1", ...); `codecData`
  /// may be empty.
  [[nodiscard]] static FrameCoding of(std::string_view name, std::string_view streamFormat,
                                      std::span<const std::uint8_t> codecData) noexcept;
};

/// Whether no other picture refers to this one, so that it can be given up before decoding without harm to
/// any: H.264 slices of nal_ref_idc 0, H.265 sub-layer non-reference pictures (types 0 to 14, even, of the
/// highest layer), MPEG-2 B pictures, every picture of codecs that know no others than whole ones (Motion
/// JPEG, ProRes, DNxHD, DV, JPEG 2000). What cannot be told counts as referred to, damaged data too.
/// Thread-safe: yes (pure). Real-time-safe: yes (bounded by the unit's size).
[[nodiscard]] bool isDisposable(const FrameCoding& coding, std::span<const std::uint8_t> unit) noexcept;

}  // namespace tactus::media
