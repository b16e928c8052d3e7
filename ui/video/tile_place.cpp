// SPDX-License-Identifier: Apache-2.0
#include "ui/video/tile_place.h"

#include <qpa/qplatformwindow.h>

#include <QQuickItem>
#include <QQuickWindow>
#include <cmath>
#include <cstdlib>

namespace tactus::ui {
namespace {

/// Qt rounds the window's edge to half a logical pixel at most: an edge that near is the window's.
int pixelOf(qreal edge, qreal windowEdge, int windowPixels, qreal scale) noexcept {
  if (std::abs(edge - windowEdge) < 0.5) return windowPixels;
  return static_cast<int>(std::lround(edge * scale));
}

QRect centred(QSize size, const QRect& bounds) noexcept {
  return {bounds.x() + (bounds.width() - size.width()) / 2,
          bounds.y() + (bounds.height() - size.height()) / 2, size.width(), size.height()};
}

}  // namespace

TilePlace::TilePlace(const Window& window, const QRectF& tile) noexcept
    : m_window(window), m_origin(tile.topLeft()) {
  const auto column = [&](qreal edge) {
    return pixelOf(edge, window.logical.width(), window.pixels.width(), window.scale);
  };
  const auto row = [&](qreal edge) {
    return pixelOf(edge, window.logical.height(), window.pixels.height(), window.scale);
  };
  const QPoint from(column(tile.left()), row(tile.top()));
  m_room = QRect(from, QSize(column(tile.right()) - from.x(), row(tile.bottom()) - from.y()));
}

TilePlace TilePlace::of(const QQuickItem& tile) {
  const QQuickWindow* in = tile.window();
  if (in == nullptr) return {};
  Window window{{}, in->size(), in->effectiveDevicePixelRatio()};
  // Without a platform's window there is nothing that the rounded size could differ from.
  const QPlatformWindow* platform = in->handle();
  window.pixels = platform != nullptr
                      ? (QSizeF(platform->geometry().size()) * platform->devicePixelRatio()).toSize()
                      : (window.logical * window.scale).toSize();
  return {window, tile.mapRectToScene(tile.boundingRect())};
}

QRect TilePlace::fitted(QSizeF shape, QSize converted) const noexcept {
  if (shape.isEmpty() || m_room.isEmpty()) return m_room;
  const QSize size = shape.scaled(m_room.size(), Qt::KeepAspectRatio).toSize();
  const QSize rest = converted - size;
  const bool same = !converted.isEmpty() && std::abs(rest.width()) <= 1 && std::abs(rest.height()) <= 1;
  return centred(same ? converted : size, m_room);
}

QRect TilePlace::touched(const QRectF& part) const noexcept {
  const QRectF inWindow = part.translated(m_origin);
  return QRectF(inWindow.topLeft() * m_window.scale, inWindow.size() * m_window.scale).toAlignedRect();
}

QRectF TilePlace::onTile(const QRect& pixels) const noexcept {
  return {QPointF(pixels.topLeft()) / m_window.scale - m_origin, QSizeF(pixels.size()) / m_window.scale};
}

}  // namespace tactus::ui
