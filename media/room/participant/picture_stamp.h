// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace tactus::media {

/// A number and a clock that are drawn into a test picture, so that whoever shows it can tell which picture
/// it is and how old it is.
///
/// Layout: 6 rows of 16 blocks in the upper left corner; a block is a 32nd of the picture's width wide and as
/// high, black for 0 and white for 1. Row by row, highest bit first: 32 bits number, 48 bits clock
/// (microseconds of CLOCK_MONOTONIC), 16 bits CRC-16/CCITT-FALSE of these ten bytes.
struct PictureStamp {
  std::uint32_t number = 0;
  std::uint64_t clock = 0;  ///< microseconds; 48 bits
  friend bool operator==(const PictureStamp&, const PictureStamp&) = default;
};

/// The luma samples of a picture, 8 bits each.
struct LumaPlane {
  std::span<std::uint8_t> samples = {};
  int width = 0, height = 0, stride = 0;
};

/// False: the picture is too small (128 samples wide at least, and as high as the blocks are). Thread-safe:
/// yes (pure). Real-time-safe: yes.
bool drawStamp(const LumaPlane& luma, const PictureStamp& stamp) noexcept;
/// Absent where there is none, or it cannot be read. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] std::optional<PictureStamp> readStamp(const LumaPlane& luma) noexcept;

}  // namespace tactus::media
