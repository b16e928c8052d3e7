// SPDX-License-Identifier: Apache-2.0
#include "media/room/picture_size.h"

#include <algorithm>

namespace tactus::media {
namespace {

constexpr double kMostEnlarged = 1.25;  // beyond it edges look soft

bool isKnown(PictureSize size) noexcept {
  return size.width > 0 && size.height > 0;
}

}  // namespace

PictureSize halfOf(PictureSize size) noexcept {
  return {size.width / 4 * 2, size.height / 4 * 2};
}

std::size_t layerFor(PictureSize wanted, std::span<const PictureSize> sizes) noexcept {
  if (!isKnown(wanted)) return 0;
  for (std::size_t i = sizes.size(); i-- > 1;) {
    if (!isKnown(sizes[i])) continue;
    const double enlarged = std::min(static_cast<double>(wanted.width) / sizes[i].width,
                                     static_cast<double>(wanted.height) / sizes[i].height);
    if (enlarged <= kMostEnlarged) return i;
  }
  return 0;
}

}  // namespace tactus::media
