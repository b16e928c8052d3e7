// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace tactus::lab {

/// A picture's number, drawn into the picture as a row of black and white squares: one white and one black to
/// know the row by, twenty for the number, lowest first, and one that makes the count of white ones even.
/// What a screen shows can then be told from outside, whatever player drew it.
class BlockCode {
 public:
  static constexpr int kBits = 20;
  static constexpr int kSquares = 2 + kBits + 1;
  static constexpr int kSide = 24;  ///< of a square, in pixels
  static constexpr int kWidth = kSquares * kSide;
  static constexpr int kHeight = kSide;

  /// FFmpeg's filters that draw the number of each picture. Thread-safe: yes (pure).
  [[nodiscard]] static std::string filter();

  /// Brightness (0 to 255) of the middle of each square, for a number. Thread-safe: yes (pure).
  [[nodiscard]] static std::string encode(std::uint32_t number);

  /// The number that one line through the row shows, of 4 bytes a pixel (BGRx), where a square is `side`
  /// pixels wide; nothing if it shows none, or two at once. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::optional<std::uint32_t> decode(std::span<const std::uint8_t> line,
                                                           double side = kSide) noexcept;
};

}  // namespace tactus::lab
