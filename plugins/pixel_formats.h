// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
#include <libavutil/pixfmt.h>
}

#include <gst/video/video.h>

namespace tactus::plugins {

/// What GStreamer calls libav's picture formats; GST_VIDEO_FORMAT_UNKNOWN where it has no such format.
/// Thread-safe: yes (pure).
[[nodiscard]] GstVideoFormat formatOf(AVPixelFormat format) noexcept;
/// What libav calls GStreamer's; AV_PIX_FMT_NONE where it has no such format. Thread-safe: yes (pure).
[[nodiscard]] AVPixelFormat pixelsOf(GstVideoFormat format) noexcept;
/// The format that loses least of those that GStreamer has. Thread-safe: yes (pure).
[[nodiscard]] AVPixelFormat nearestFormat(AVPixelFormat format) noexcept;

}  // namespace tactus::plugins
