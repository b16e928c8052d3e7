// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "core/periodic/result.h"
#include "core/periodic/task/task.h"
#include "plugins/scale_choice.h"
#include "plugins/settled_room.h"
#include "plugins/video_converter.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// Converts the decoder's pictures into those of a target that wants RGB32, fitted into its room as well as
/// there is time for. One streaming thread uses it; scaled() is for any thread.
class PictureConversion {
 public:
  /// Prepares for pictures of this format in the target's present room. Real-time-safe: no.
  [[nodiscard]] Result<void> configure(const GstVideoInfo& info, Orientation orientation,
                                       const VideoTarget& target);
  /// Of the upright converted picture. After configure().
  [[nodiscard]] int width() const noexcept { return m_converter.width(); }
  [[nodiscard]] int height() const noexcept { return m_converter.height(); }
  /// Whether the target has settled on another room, so that configure() is due. Real-time-safe: yes.
  [[nodiscard]] bool outgrown(const VideoTarget& target) noexcept;

  /// The picture's times: how long it is shown, when it is due on the screen, and what time it is.
  struct Timing {
    periodic::Duration period;
    periodic::TimePoint due, now;
  };
  /// Converts into a fresh picture of the target; `task`, where there is one, knows when the next packet of
  /// the stream arrives. False when the picture cannot be shown. Real-time-safe: yes.
  [[nodiscard]] bool convert(VideoTarget& target, GstBuffer* buffer, Timing timing,
                             periodic::Task* task) noexcept;

  /// Pictures scaled at this quality so far. Thread-safe: yes.
  [[nodiscard]] std::uint64_t scaled(ScaleQuality quality) const noexcept {
    return m_scaled[static_cast<std::size_t>(quality)].load(std::memory_order_relaxed);
  }

 private:
  [[nodiscard]] ScaleQuality affordable(Timing timing, periodic::Task* task) const noexcept;

  GstVideoInfo m_info{};
  VideoConverter m_converter;
  SettledRoom m_room;
  ScaleChoice m_choice;
  // relaxed: counters with one writer, read for statistics only.
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(ScaleQuality::Count_)> m_scaled{};
};

}  // namespace tactus::plugins
