// SPDX-License-Identifier: Apache-2.0
#include "plugins/picture_conversion.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "plugins/sink_formats.h"

namespace tactus::plugins {

using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

Result<void> PictureConversion::configure(const GstVideoInfo& info, Orientation orientation,
                                          VideoTarget& target) {
  m_info = info;
  m_orientation = orientation;
  const PictureRoom room = roomIn(target);
  m_room.adopt(room);
  m_choice.restart();
  PictureFormat picture;
  picture.width = GST_VIDEO_INFO_WIDTH(&info);
  picture.height = GST_VIDEO_INFO_HEIGHT(&info);
  picture.parNumerator = GST_VIDEO_INFO_PAR_N(&info);
  picture.parDenominator = GST_VIDEO_INFO_PAR_D(&info);
  picture.orientation = orientation;
  const bool turned = orientation.degrees % 180 != 0;
  m_frame.sourceWidth = turned ? picture.height : picture.width;
  m_frame.sourceHeight = turned ? picture.width : picture.height;
  m_frame.width = m_frame.sourceWidth;
  m_frame.height = m_frame.sourceHeight;
  if (target.wantsRgb32()) {
    if (auto ready = m_converter.configure(info, orientation, room); !ready.ok()) return ready;
    m_frame.width = picture.convertedWidth = m_converter.width();
    m_frame.height = picture.convertedHeight = m_converter.height();
  }
  const double aspect = static_cast<double>(picture.parNumerator) / std::max(1, picture.parDenominator);
  const double shown =
      (turned ? 1 / aspect : aspect) * m_frame.sourceWidth / std::max(1, m_frame.sourceHeight);
  m_frame.pixelAspect = shown * m_frame.height / std::max(1, m_frame.width);
  target.format(picture, info);
  return {};
}

/// At full size a target without a room takes pictures as large as they are.
PictureRoom PictureConversion::roomIn(const VideoTarget& target) const noexcept {
  PictureRoom room = target.room();
  if (m_size >= 1) return room;
  if (room.width <= 0 || room.height <= 0) {
    room = {GST_VIDEO_INFO_WIDTH(&m_info), GST_VIDEO_INFO_HEIGHT(&m_info)};
    if (m_orientation.degrees % 180 != 0) std::swap(room.width, room.height);
  }
  const auto share = [&](int length) { return static_cast<int>(std::lround(length * m_size)); };
  return {share(room.width), share(room.height)};
}

bool PictureConversion::outgrown(const VideoTarget& target) noexcept {
  return m_room.differs(roomIn(target), MonotonicClock::now());
}

/// There is time until the picture is due, and, as LBAP_poll says, until the next packet of the stream
/// arrives logically. A stage that is behind its stream scales fast.
ScaleQuality PictureConversion::affordable(const PictureTimes& timing, periodic::Task* task) const noexcept {
  const TimePoint now = timing.time.now();
  Duration left = timing.due - now;
  if (task != nullptr) {
    const periodic::Verdict next = task->poll();
    if (next.conformance == periodic::Conformance::Critical) return ScaleQuality::Fast;
    left = std::min(left, next.logicalArrival - now);
  }
  return m_choice.choose(left, timing.period);
}

void PictureConversion::lay(std::shared_ptr<const Overlay> overlay) noexcept {
  m_above = {std::move(overlay), m_frame.width, m_frame.height};
}

bool PictureConversion::convert(VideoTarget& target, GstBuffer* buffer, const PictureTimes& timing,
                                periodic::Task* task, PictureOverlay* overlay) noexcept {
  const Rgb32View view = target.beginRgb32();
  if (view.data == nullptr || view.width != m_frame.width || view.height != m_frame.height) return false;
  GstVideoFrame frame;
  const auto flags = static_cast<GstMapFlags>(int{GST_MAP_READ} | int{GST_VIDEO_FRAME_MAP_FLAG_NO_REF});
  if (!gst_video_frame_map(&frame, &m_info, buffer, flags)) return false;
  const bool covered = overlay != nullptr && overlay->request(timing.instant, m_frame, timing.due);
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
  lay(covered ? overlay->take(timing.time, timing.latest) : nullptr);
  if (m_above.overlay) blend(*m_above.overlay, view);
  return true;
}

BufferPtr PictureConversion::planar(GstBuffer* buffer, const PictureTimes& timing,
                                    PictureOverlay* overlay) noexcept {
  const auto format = GST_VIDEO_INFO_FORMAT(&m_info);
  if (!planarTakes(format)) return nullptr;
  const bool covered = overlay != nullptr && overlay->request(timing.instant, m_frame, timing.due);
  lay(covered ? overlay->take(timing.time, timing.latest) : nullptr);
  if (m_above.overlay) {
    if (BufferPtr copy = m_blender.blended(m_above, buffer, m_info, m_orientation)) return copy;
  }
  return BufferPtr(gst_buffer_ref(buffer));
}

}  // namespace tactus::plugins
