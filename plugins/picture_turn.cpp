// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_turn.h"

#include <algorithm>

namespace tactus::plugins {

Turn turnOf(Orientation orientation, int width, int height, std::ptrdiff_t stride) noexcept {
  // Clockwise, then mirrored about the vertical axis of the result.
  const int upright = orientation.degrees % 180 == 0 ? width : height;
  const auto at = [&](std::ptrdiff_t x, std::ptrdiff_t y) {
    return (orientation.mirrored ? upright - 1 - x : x) + y * stride;
  };
  const auto place = [&](int x, int y) {
    switch (orientation.degrees) {
      case 90:
        return at(height - 1 - y, x);
      case 180:
        return at(width - 1 - x, height - 1 - y);
      case 270:
        return at(y, width - 1 - x);
      default:
        return at(x, y);
    }
  };
  const std::ptrdiff_t base = place(0, 0);
  return {base, place(1, 0) - base, place(0, 1) - base};
}

/// In blocks of 16 x 16, so that both pictures stay in the cache while columns become rows.
void turn(const std::uint8_t* from, std::ptrdiff_t fromStride, int width, int height, const Rgb32View& into,
          Turn how) noexcept {
  constexpr int kBlock = 16;
  auto* to = reinterpret_cast<std::uint32_t*>(into.data);
  for (int top = 0; top < height; top += kBlock) {
    for (int left = 0; left < width; left += kBlock) {
      const int bottom = std::min(top + kBlock, height);
      const int right = std::min(left + kBlock, width);
      for (int y = top; y < bottom; ++y) {
        const auto* row = reinterpret_cast<const std::uint32_t*>(from + y * fromStride);
        std::uint32_t* out = to + how.base + y * how.stepY;
        for (int x = left; x < right; ++x) out[x * how.stepX] = row[x];
      }
    }
  }
}

}  // namespace tactus::plugins
