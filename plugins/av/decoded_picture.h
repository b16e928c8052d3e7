// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include <optional>

#include "plugins/av/av_handle.h"
#include "plugins/gst_handle.h"

namespace tactus::plugins::av {

/// What is to be said of a decoded picture: size, format, shape of pixels, colours, fields. Absent where its
/// format or size has no counterpart. `rate`: pictures a second, 0/1 = unknown. Thread-safe: yes (pure).
[[nodiscard]] std::optional<GstVideoInfo> infoOf(const AVFrame& picture, AVRational rate) noexcept;

/// A buffer of the decoder's own memory: no byte is copied. The picture has the format and size of `info`.
/// Times are not set. Null where its lines go upwards.
[[nodiscard]] BufferPtr bufferOf(const AVFrame& picture, const GstVideoInfo& info);

}  // namespace tactus::plugins::av
