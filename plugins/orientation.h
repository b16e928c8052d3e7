// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tactus::plugins {

/// Clockwise rotation, then mirroring about the vertical axis (the image-orientation tag).
struct Orientation {
  int degrees = 0;  ///< 0, 90, 180 or 270
  bool mirrored = false;
  friend bool operator==(const Orientation&, const Orientation&) = default;
};

/// What GST_TAG_IMAGE_ORIENTATION says ("rotate-90", "flip-rotate-270", ...); unknown values mean upright.
/// Thread-safe: yes.
[[nodiscard]] Orientation orientationOf(const char* tag) noexcept;

}  // namespace tactus::plugins
