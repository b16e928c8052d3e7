// SPDX-License-Identifier: Apache-2.0
#include "plugins/due_instant.h"

#include <gst/base/gstbasesink.h>

#include "plugins/gst_handle.h"

namespace tactus::plugins {

using periodic::Duration;

namespace {

Duration durationOf(GstClockTime time) noexcept {
  return Duration(static_cast<std::int64_t>(time));
}

}  // namespace

std::optional<Duration> runningTimeOf(const GstSegment& segment, GstBuffer* buffer) noexcept {
  GstClockTime stamp = GST_BUFFER_PTS(buffer);
  if (!GST_CLOCK_TIME_IS_VALID(stamp) || segment.format != GST_FORMAT_TIME) return {};
  if (segment.rate < 0 && GST_BUFFER_DURATION_IS_VALID(buffer)) stamp += GST_BUFFER_DURATION(buffer);
  const GstClockTime running = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, stamp);
  if (!GST_CLOCK_TIME_IS_VALID(running)) return {};
  return durationOf(running);
}

std::optional<SinkTiming> timingOf(GstElement* sink) noexcept {
  const GstClockTime baseTime = gst_element_get_base_time(sink);
  if (!GST_CLOCK_TIME_IS_VALID(baseTime)) return {};
  auto* base = GST_BASE_SINK_CAST(sink);
  return SinkTiming{durationOf(baseTime), durationOf(gst_base_sink_get_latency(base)),
                    Duration(gst_base_sink_get_ts_offset(base)),
                    durationOf(gst_base_sink_get_render_delay(base))};
}

std::optional<periodic::TimePoint> dueInstant(GstElement* sink, Duration running,
                                              periodic::TimeSource& time) noexcept {
  const ClockPtr clock(gst_element_get_clock(sink));
  const auto timing = timingOf(sink);
  if (!clock || !timing) return {};
  const ClockReading clocks{durationOf(gst_clock_get_time(clock.get())), time.now()};
  return dueInstant(running, *timing, clocks);
}

}  // namespace tactus::plugins
