// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <optional>

#include "core/periodic/time/time.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// The instant at which a running time is due, in CLOCK_MONOTONIC; nullopt while the element has no clock.
/// Thread-safe: yes. Real-time-safe: yes (two short locks of the element's).
inline std::optional<periodic::TimePoint> dueInstant(GstElement* element, GstClockTime running) {
  const plugins::ClockPtr clock(gst_element_get_clock(element));
  const GstClockTime base = gst_element_get_base_time(element);
  if (!clock || !GST_CLOCK_TIME_IS_VALID(running) || !GST_CLOCK_TIME_IS_VALID(base)) return {};
  const auto ahead =
      static_cast<std::int64_t>(base + running) - static_cast<std::int64_t>(gst_clock_get_time(clock.get()));
  return periodic::MonotonicClock::now() + periodic::Duration(ahead);
}

}  // namespace tactus::media
