// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/base/gstbasesink.h>

namespace tactus::plugins {

/// When the last picture of a stream is over. Streaming thread only. Real-time-safe: yes.
class StreamEnd {
 public:
  /// A picture that is to be shown, until `stop` in the segment.
  void note(const GstSegment& segment, GstClockTime stop) noexcept {
    m_over = gst_segment_to_running_time(&segment, GST_FORMAT_TIME, stop);
  }
  void forget() noexcept { m_over = GST_CLOCK_TIME_NONE; }
  /// Waits for it, less the time in which the next picture is prepared; while paused until it plays or steps.
  /// Called with the preroll lock held, which is given up meanwhile. False if a flush ended it.
  [[nodiscard]] bool await(GstBaseSink* sink) noexcept {
    constexpr GstClockTime kPrepares = 20 * GST_MSECOND;
    const GstClockTime over = m_over;
    forget();
    if (!GST_CLOCK_TIME_IS_VALID(over) || over <= kPrepares) return true;
    return gst_base_sink_wait(sink, over - kPrepares, nullptr) == GST_FLOW_OK;
  }

 private:
  GstClockTime m_over = GST_CLOCK_TIME_NONE;  // running time
};

}  // namespace tactus::plugins
