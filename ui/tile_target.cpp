// SPDX-License-Identifier: Apache-2.0
#include "ui/tile_target.h"

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
  return m_exchange.begin();
}

QRectF letterboxed(QSizeF size, QRectF bounds) noexcept {
  if (size.isEmpty() || bounds.isEmpty()) return bounds;
  const QSizeF fitted = size.scaled(bounds.size(), Qt::KeepAspectRatio);
  // Whole pixels, so that a picture of the tile's own size is not resampled.
  return QRectF(bounds.x() + (bounds.width() - fitted.width()) / 2,
                bounds.y() + (bounds.height() - fitted.height()) / 2, fitted.width(), fitted.height())
      .toAlignedRect();
}

}  // namespace tactus::ui
