// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// The caps of `tactusvideosink`: what the converter reads, or the formats that a planar target draws. The
/// caller owns the reference.
[[nodiscard]] GstCaps* sinkCaps(bool planar);
/// Whether a planar target draws it. Real-time-safe: yes.
[[nodiscard]] bool planarTakes(GstVideoFormat format) noexcept;
/// How long the frame is to be seen: as its buffer says, else by the rate, else 40 ms. Real-time-safe: yes.
[[nodiscard]] periodic::Duration frameDuration(const GstVideoInfo& info, GstBuffer* buffer) noexcept;

}  // namespace tactus::plugins
