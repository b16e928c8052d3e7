// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/headless_pictures.h"

#include <algorithm>
#include <chrono>

namespace tactus::media {
namespace {

constexpr int kRecent = 25;  // pictures

}  // namespace

HeadlessPictures::Figures HeadlessPictures::figures() const {
  const std::lock_guard lock(m_mutex);
  Figures figures = m_figures;
  if (figures.stamped > 0) figures.delay = m_delays / static_cast<std::int64_t>(figures.stamped);
  return figures;
}

void HeadlessPictures::format(const plugins::PictureFormat&, const GstVideoInfo& info) {
  m_info = info;
}

std::optional<PictureStamp> HeadlessPictures::stampOf(GstBuffer* buffer) const noexcept {
  const GstVideoFormat format = GST_VIDEO_INFO_FORMAT(&m_info);
  if (format != GST_VIDEO_FORMAT_I420 && format != GST_VIDEO_FORMAT_NV12) return std::nullopt;
  GstVideoFrame frame;
  if (gst_video_frame_map(&frame, &m_info, buffer, GST_MAP_READ) == FALSE) return std::nullopt;
  const int stride = GST_VIDEO_FRAME_PLANE_STRIDE(&frame, 0);
  const int height = GST_VIDEO_FRAME_HEIGHT(&frame);
  const auto stamp = readStamp({{static_cast<std::uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(&frame, 0)),
                                 static_cast<std::size_t>(stride) * static_cast<std::size_t>(height)},
                                GST_VIDEO_FRAME_WIDTH(&frame),
                                height,
                                stride});
  gst_video_frame_unmap(&frame);
  return stamp;
}

void HeadlessPictures::note(const PictureStamp& stamp, periodic::TimePoint now) noexcept {
  const periodic::Duration drawn = std::chrono::microseconds(stamp.clock);
  const periodic::Duration delay = now.time_since_epoch() - drawn;
  if (m_figures.last && stamp.number <= m_figures.last->number) {
    ++m_figures.disordered;
  } else if (m_figures.last) {
    m_figures.missed += stamp.number - m_figures.last->number - 1;
  }
  m_figures.last = stamp;
  ++m_figures.stamped;
  m_delays += delay;
  m_figures.lastDelay = delay;
  m_figures.recentDelay += m_figures.stamped == 1 ? delay : (delay - m_figures.recentDelay) / kRecent;
  m_figures.longestDelay = std::max(m_figures.longestDelay, delay);
}

/// Nothing is allocated: there is room for as many as are kept.
void HeadlessPictures::countSize() noexcept {
  m_figures.size = {GST_VIDEO_INFO_WIDTH(&m_info), GST_VIDEO_INFO_HEIGHT(&m_info)};
  auto& sizes = m_figures.sizes;
  const auto known = std::find_if(sizes.begin(), sizes.end(),
                                  [this](const auto& each) { return each.first == m_figures.size; });
  if (known != sizes.end()) {
    ++known->second;
  } else if (sizes.size() < kMostSizes) {
    sizes.emplace_back(m_figures.size, 1);
  }
}

bool HeadlessPictures::presentPlanar(GstBuffer* buffer, periodic::TimePoint) noexcept {
  const periodic::TimePoint now = periodic::MonotonicClock::now();
  const auto stamp = stampOf(buffer);
  const std::lock_guard lock(m_mutex);
  ++m_figures.shown;
  countSize();
  if (!m_figures.first) m_figures.first = now;
  if (stamp) note(*stamp, now);
  return false;
}

}  // namespace tactus::media
