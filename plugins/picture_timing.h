// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/base/gstbasesink.h>

#include <cstdint>
#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

// When a picture is shown, and what it shows. Real-time-safe: yes.

/// When it is due on the screen, by this clock; now where nothing can be said of it.
[[nodiscard]] periodic::TimePoint dueOnScreen(GstBaseSink* sink, GstBuffer* buffer,
                                              periodic::TimeSource& time) noexcept;
/// The instant of the film at which it begins, in ns of stream time. A seek may have gone into the middle of
/// the picture, which then begins before the segment does.
[[nodiscard]] std::optional<std::int64_t> filmInstant(const GstSegment& segment, GstBuffer* buffer) noexcept;

/// A picture's times: what instant of the film it shows, for how long, when it is due on the screen, and
/// until when it may wait for its overlay.
struct PictureTimes {
  periodic::Duration instant, period;
  periodic::TimePoint due, latest;
  periodic::TimeSource& time;
};
/// What stands still is looked at: it waits for all of it, for `patience` at most.
[[nodiscard]] PictureTimes timesOf(GstBaseSink* sink, GstBuffer* buffer, periodic::Duration period,
                                   periodic::TimeSource& time, periodic::Duration patience) noexcept;

}  // namespace tactus::plugins
