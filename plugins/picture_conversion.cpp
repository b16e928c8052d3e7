// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_conversion.h"

#include <algorithm>

namespace tactus::plugins {

using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

Result<void> PictureConversion::configure(const GstVideoInfo& info, Orientation orientation,
                                          const VideoTarget& target) {
  const PictureRoom room = target.room();
  m_info = info;
  m_room.adopt(room);
  m_choice.restart();
  return m_converter.configure(info, orientation, room);
}

bool PictureConversion::outgrown(const VideoTarget& target) noexcept {
  return m_room.differs(target.room(), MonotonicClock::now());
}

/// There is time until the picture is due, and, as LBAP_poll says, until the next packet of the stream
/// arrives logically. A stage that is behind its stream scales fast.
ScaleQuality PictureConversion::affordable(Timing timing, periodic::Task* task) const noexcept {
  Duration left = timing.due - timing.now;
  if (task != nullptr) {
    const periodic::Verdict next = task->poll();
    if (next.conformance == periodic::Conformance::Critical) return ScaleQuality::Fast;
    left = std::min(left, next.logicalArrival - timing.now);
  }
  return m_choice.choose(left, timing.period);
}

bool PictureConversion::convert(VideoTarget& target, GstBuffer* buffer, Timing timing,
                                periodic::Task* task) noexcept {
  const Rgb32View view = target.beginRgb32();
  if (view.data == nullptr || view.width != width() || view.height != height()) return false;
  GstVideoFrame frame;
  const auto flags = static_cast<GstMapFlags>(int{GST_MAP_READ} | int{GST_VIDEO_FRAME_MAP_FLAG_NO_REF});
  if (!gst_video_frame_map(&frame, &m_info, buffer, flags)) return false;
  if (m_converter.scales()) {
    const ScaleQuality quality = affordable(timing, task);
    const TimePoint begin = MonotonicClock::now();
    m_converter.convert(frame, view, quality);
    m_choice.record(quality, MonotonicClock::now() - begin);
    m_scaled[static_cast<std::size_t>(quality)].fetch_add(1, std::memory_order_relaxed);
  } else {
    m_converter.convert(frame, view);
  }
  gst_video_frame_unmap(&frame);
  return true;
}

}  // namespace tactus::plugins
