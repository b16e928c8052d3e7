// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/video/video.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "core/periodic/result.h"
#include "core/periodic/task/task.h"
#include "plugins/picture_overlay.h"
#include "plugins/picture_timing.h"
#include "plugins/scale_choice.h"
#include "plugins/settled_room.h"
#include "plugins/video_converter.h"
#include "plugins/video_target.h"

namespace tactus::plugins {

/// Makes the decoder's pictures ready for a target: converted into BGRx, fitted into its room as well as
/// there is time for, or planar as they are; and with what lies over them. One streaming thread uses it;
/// scaled() is for any thread.
class PictureConversion {
 public:
  /// Share of the room, in width and height, that pictures are fitted into. Real-time-safe: yes.
  void setSize(double size) noexcept { m_size = size; }
  /// Prepares for pictures of this format in the target's present room, and tells the target of them.
  /// Real-time-safe: no.
  [[nodiscard]] Result<void> configure(const GstVideoInfo& info, Orientation orientation,
                                       VideoTarget& target);
  /// Whether the target has settled on another room, so that configure() is due. Real-time-safe: yes.
  [[nodiscard]] bool outgrown(const VideoTarget& target) noexcept;

  /// Converts into a fresh picture of the target; `task`, where there is one, knows when the next packet of
  /// the stream arrives; `overlay` may be null. False when the picture cannot be shown. Real-time-safe: yes.
  [[nodiscard]] bool convert(VideoTarget& target, GstBuffer* buffer, const PictureTimes& timing,
                             periodic::Task* task, PictureOverlay* overlay) noexcept;
  /// The planar picture to show: the same, or a copy with the overlay; null when it cannot be shown.
  /// Real-time-safe: as PlanarBlender.
  [[nodiscard]] BufferPtr planar(GstBuffer* buffer, const PictureTimes& timing,
                                 PictureOverlay* overlay) noexcept;

  /// What lies over the picture that was made ready last.
  [[nodiscard]] const LaidOver& laidOver() const noexcept { return m_above; }

  /// Pictures scaled at this quality so far. Thread-safe: yes.
  [[nodiscard]] std::uint64_t scaled(ScaleQuality quality) const noexcept {
    return m_scaled[static_cast<std::size_t>(quality)].load(std::memory_order_relaxed);
  }

 private:
  void lay(std::shared_ptr<const Overlay> overlay) noexcept;
  [[nodiscard]] PictureRoom roomIn(const VideoTarget& target) const noexcept;
  [[nodiscard]] ScaleQuality affordable(const PictureTimes& timing, periodic::Task* task) const noexcept;

  GstVideoInfo m_info{};
  Orientation m_orientation;
  OverlayFrame m_frame;
  LaidOver m_above;
  PlanarBlender m_blender;
  VideoConverter m_converter;
  SettledRoom m_room;
  double m_size = 1;
  ScaleChoice m_choice;
  // relaxed: counters with one writer, read for statistics only.
  std::array<std::atomic<std::uint64_t>, static_cast<std::size_t>(ScaleQuality::Count_)> m_scaled{};
};

}  // namespace tactus::plugins
