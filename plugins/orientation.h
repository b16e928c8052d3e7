// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <optional>

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
/// The same, of a tag event; absent where it says nothing of it.
[[nodiscard]] std::optional<Orientation> orientationIn(GstEvent* event) noexcept;

/// What videoflip calls it: its "video-direction". Thread-safe: yes (pure).
[[nodiscard]] const char* directionOf(Orientation orientation) noexcept;

}  // namespace tactus::plugins
