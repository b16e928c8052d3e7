// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRect>
#include <QRectF>
#include <QSize>
#include <QSizeF>

class QQuickItem;

namespace tactus::ui {

/// Where a tile and its picture lie on the pixels of a window. Everybody who needs a size or a rectangle in
/// pixels asks here: the converter (its room), both scene graphs, and the way straight to the window.
///
/// Qt's logical size of a window is rounded: 640 pixels at a scale of 1.5 are 427, which would be 640.5
/// pixels. So the window's edges are those of its real pixels, and every other edge lies on the nearest
/// pixel. A value; real-time-safe, but for of().
class TilePlace {
 public:
  struct Window {
    QSize pixels;     ///< as the display server has it
    QSizeF logical;   ///< as Qt has it
    qreal scale = 1;  ///< pixels of the screen for each logical one
    /// The logical size before Qt rounded it.
    [[nodiscard]] QSizeF exact() const noexcept { return QSizeF(pixels) / scale; }
    friend bool operator==(const Window&, const Window&) = default;
  };

  TilePlace() = default;
  /// `tile` in logical pixels of the window.
  TilePlace(const Window& window, const QRectF& tile) noexcept;
  /// Of a tile that is neither scaled nor rotated; nowhere while it is in no window. GUI thread.
  [[nodiscard]] static TilePlace of(const QQuickItem& tile);

  [[nodiscard]] const Window& window() const noexcept { return m_window; }
  /// The tile, in pixels of the window.
  [[nodiscard]] const QRect& room() const noexcept { return m_room; }
  /// A picture of this shape fitted into the room and centred there, in pixels of the window. `converted` is
  /// the size in which it comes: if it was converted for this room, it is not scaled again for a pixel of
  /// rounding.
  [[nodiscard]] QRect fitted(QSizeF shape, QSize converted = {}) const noexcept;
  /// The pixels of the window that a part of the tile touches; it is in logical pixels of the tile.
  [[nodiscard]] QRect touched(const QRectF& part) const noexcept;
  /// Pixels of the window in logical pixels of the tile, exactly.
  [[nodiscard]] QRectF onTile(const QRect& pixels) const noexcept;

  friend bool operator==(const TilePlace&, const TilePlace&) = default;

 private:
  Window m_window;
  QPointF m_origin;  // of the tile, in logical pixels of the window
  QRect m_room;
};

}  // namespace tactus::ui
