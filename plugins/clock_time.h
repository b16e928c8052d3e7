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

/// Of the element's pipeline, at present; 0 before it plays. Thread-safe: yes.
[[nodiscard]] inline GstClockTime presentRunningTime(GstElement* element) noexcept {
  const GstClockTime now = gst_element_get_current_running_time(element);
  return GST_CLOCK_TIME_IS_VALID(now) ? now : 0;
}

}  // namespace tactus::plugins
