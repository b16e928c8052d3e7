// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// What a sink adds to a running time, all on the pipeline's clock.
struct SinkTiming {
  periodic::Duration baseTime{0};     ///< reading of the clock at running time 0
  periodic::Duration latency{0};      ///< of the whole pipeline, as distributed to its sinks; 0 unless live
  periodic::Duration offset{0};       ///< the sink's ts-offset: positive shows later
  periodic::Duration renderDelay{0};  ///< from hand-over to the screen; contained in `latency`
};

/// Both clocks, read at one moment.
struct ClockReading {
  periodic::Duration pipeline{0};
  periodic::TimePoint monotonic{};
};

/// The instant, in CLOCK_MONOTONIC, at which a picture of this running time is due: the one that basesink
/// waits for. The only place where it is calculated. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr periodic::TimePoint dueInstant(periodic::Duration running, const SinkTiming& timing,
                                                       const ClockReading& clocks) noexcept {
  const periodic::Duration onPipelineClock =
      timing.baseTime + running + timing.latency + timing.offset - timing.renderDelay;
  return clocks.monotonic + (onPipelineClock - clocks.pipeline);
}

/// Running time at which the buffer begins on the screen; played backwards, a picture begins where it ends.
/// Absent without a timestamp, and outside the segment. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] std::optional<periodic::Duration> runningTimeOf(const GstSegment& segment,
                                                              GstBuffer* buffer) noexcept;

/// Absent while the sink has no base time. Thread-safe: yes. Real-time-safe: yes (short locks of the
/// element's).
[[nodiscard]] std::optional<SinkTiming> timingOf(GstElement* sink) noexcept;

/// The same, asked of the GstBaseSink that shows the picture; stages before it ask for their turn with it.
/// `time` is the caller's clock, read beside the pipeline's. Absent while the sink has no clock. Thread-safe:
/// yes. Real-time-safe: yes (short locks of the element's).
[[nodiscard]] std::optional<periodic::TimePoint> dueInstant(GstElement* sink, periodic::Duration running,
                                                            periodic::TimeSource& time) noexcept;

}  // namespace tactus::plugins
