// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_timing.h"

#include <algorithm>

#include "plugins/due_instant.h"

namespace tactus::plugins {

periodic::TimePoint dueOnScreen(GstBaseSink* sink, GstBuffer* buffer, periodic::TimeSource& time) noexcept {
  const auto running = runningTimeOf(sink->segment, buffer);
  const auto due = running ? dueInstant(GST_ELEMENT_CAST(sink), *running, time) : std::nullopt;
  return due.value_or(time.now());
}

PictureTimes timesOf(GstBaseSink* sink, GstBuffer* buffer, periodic::Duration period,
                     periodic::TimeSource& time, periodic::Duration patience) noexcept {
  const periodic::TimePoint due = dueOnScreen(sink, buffer, time);
  const bool plays = GST_STATE(sink) == GST_STATE_PLAYING;
  const auto begin = static_cast<std::int64_t>(sink->segment.time);
  const std::int64_t instant = std::max(begin, filmInstant(sink->segment, buffer).value_or(begin));
  return {periodic::Duration(instant), period, due, plays ? due : time.now() + patience, time};
}

std::optional<std::int64_t> filmInstant(const GstSegment& segment, GstBuffer* buffer) noexcept {
  guint64 stream = 0;
  const int sign =
      gst_segment_to_stream_time_full(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer), &stream);
  if (sign == 0) return std::nullopt;
  return sign * static_cast<std::int64_t>(stream);
}

}  // namespace tactus::plugins
