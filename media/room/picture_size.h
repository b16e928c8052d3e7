// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

namespace tactus::media {

/// In pixels; 0 x 0: unknown, or as it is.
struct PictureSize {
  int width = 0, height = 0;
  friend bool operator==(const PictureSize&, const PictureSize&) noexcept = default;
};

/// The second size in which pictures may be sent: half as wide and high, even. Thread-safe: yes (pure).
[[nodiscard]] PictureSize halfOf(PictureSize size) noexcept;

/// Which of these sizes, the largest first, does for a place of `wanted`, into which pictures are fitted: the
/// smallest that is enlarged by a quarter at most, else the largest. Of no size at all 0. Thread-safe: yes
/// (pure).
[[nodiscard]] std::size_t layerFor(PictureSize wanted, std::span<const PictureSize> sizes) noexcept;

}  // namespace tactus::media
