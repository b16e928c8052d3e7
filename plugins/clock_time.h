// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// GStreamer's time as ours; GST_CLOCK_TIME_NONE is nullopt. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] inline std::optional<periodic::Duration> durationOf(GstClockTime time) noexcept {
  if (!GST_CLOCK_TIME_IS_VALID(time)) return std::nullopt;
  return periodic::Duration(static_cast<std::int64_t>(time));
}

}  // namespace tactus::plugins
