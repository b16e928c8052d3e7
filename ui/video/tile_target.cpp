// SPDX-License-Identifier: Apache-2.0
#include "ui/video/tile_target.h"

#include <mutex>
#include <utility>

namespace tactus::ui {

void TileTarget::format(const plugins::PictureFormat& picture, const GstVideoInfo& info) {
  const bool turned = picture.orientation.degrees % 180 != 0;
  const float width = static_cast<float>(picture.width) * static_cast<float>(picture.parNumerator) /
                      static_cast<float>(picture.parDenominator);
  const auto height = static_cast<float>(picture.height);
  m_width.store(turned ? height : width, std::memory_order_relaxed);
  m_height.store(turned ? width : height, std::memory_order_relaxed);
  onFormat(picture, info);
}

QSizeF TileTarget::pictureSize() const noexcept {
  return {m_width.load(std::memory_order_relaxed), m_height.load(std::memory_order_relaxed)};
}

void SoftwareTarget::onFormat(const plugins::PictureFormat& picture, const GstVideoInfo&) {
  m_exchange.resize(picture.convertedWidth, picture.convertedHeight);
}

plugins::Rgb32View SoftwareTarget::beginRgb32() noexcept {
  if (!visible()) return {};
  return m_filling = m_exchange.begin();
}

bool SoftwareTarget::presentRgb32(periodic::TimePoint due) noexcept {
  const std::lock_guard lock(m_surfaceMutex);
  const plugins::PictureMemory* memory = m_exchange.filling();
  if (!m_surface || memory == nullptr || !visible()) return m_exchange.publish(due);
  switch (m_surface->put(*memory, m_filling)) {
    case X11Surface::Put::Shown:
      m_exchange.publish(due, plugins::PictureExchange::Wake::Nobody);
      m_put.fetch_add(1, std::memory_order_relaxed);
      return false;
    case X11Surface::Put::Busy:
      return true;  // its buffer is filled anew; the picture before it is still on its way
    case X11Surface::Put::Refused:
      break;
  }
  return m_exchange.publish(due);
}

void SoftwareTarget::setSurface(std::unique_ptr<X11Surface> surface) {
  const std::lock_guard lock(m_surfaceMutex);
  std::swap(m_surface, surface);
}

}  // namespace tactus::ui
