// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "plugins/orientation.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// Where pixel (x, y) of the source goes: base + x * stepX + y * stepY, in pixels of the upright picture.
struct Turn {
  std::ptrdiff_t base, stepX, stepY;
};

/// How a picture of this stored size is turned into an upright one whose rows are `stride` pixels apart.
/// Real-time-safe: yes.
[[nodiscard]] Turn turnOf(Orientation orientation, int width, int height, std::ptrdiff_t stride) noexcept;
/// Turns a picture of 32 bits a pixel; strides in bytes. Real-time-safe: yes.
void turn(const std::uint8_t* from, std::ptrdiff_t fromStride, int width, int height, const Rgb32View& into,
          Turn how) noexcept;
/// The orientation that undoes another one.
[[nodiscard]] constexpr Orientation inverse(Orientation orientation) noexcept {
  // Turned and mirrored twice is as before: the mirror makes the second turn go the other way.
  if (orientation.mirrored) return orientation;
  return {(360 - orientation.degrees) % 360, false};
}

}  // namespace tactus::plugins
