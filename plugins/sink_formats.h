// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

namespace tactus::plugins {

/// The caps of `tactusvideosink`: what the converter reads, or the formats that a planar target draws. The
/// caller owns the reference.
[[nodiscard]] GstCaps* sinkCaps(bool planar);
/// Whether a planar target draws it. Real-time-safe: yes.
[[nodiscard]] bool planarTakes(GstVideoFormat format) noexcept;

}  // namespace tactus::plugins
