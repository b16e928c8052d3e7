// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>

namespace tactus::plugins {

/// A cache line, and what swscale's widest stores want.
constexpr std::size_t kCacheLine = 64;

struct FreeMemory {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
using AlignedMemory = std::unique_ptr<std::uint8_t, FreeMemory>;

/// Bytes of a row of BGRx pixels whose successor begins on a cache line again.
[[nodiscard]] constexpr std::size_t alignedRow(int pixels) noexcept {
  return (static_cast<std::size_t>(pixels) * 4 + kCacheLine - 1) / kCacheLine * kCacheLine;
}

/// Behind the last row: some of swscale's loops write a few pixels past it.
constexpr std::size_t kPictureMargin = 4 * kCacheLine;

/// Room for `rows` rows and the margin. Null if there is no memory. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] inline AlignedMemory allocatePicture(std::size_t rowBytes, int rows) noexcept {
  const std::size_t bytes = rowBytes * static_cast<std::size_t>(rows) + kPictureMargin;
  return AlignedMemory(static_cast<std::uint8_t*>(std::aligned_alloc(kCacheLine, bytes)));
}

}  // namespace tactus::plugins
