// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/audio/audio.h>

#include <optional>

#include "plugins/av/av_handle.h"
#include "plugins/gst_handle.h"

namespace tactus::plugins::av {

/// What is to be said of decoded sound: its samples, interleaved, and where each channel is heard. Absent
/// where GStreamer has no such samples. Thread-safe: yes (pure).
[[nodiscard]] std::optional<GstAudioInfo> infoOf(const AVFrame& sound) noexcept;

/// A buffer of the samples, interleaved as `info` says. Times are not set.
[[nodiscard]] BufferPtr bufferOf(const AVFrame& sound, const GstAudioInfo& info);

}  // namespace tactus::plugins::av
