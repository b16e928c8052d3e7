// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QPointer>
#include <QQuickItem>
#include <QQuickWindow>
#include <QSocketNotifier>
#include <memory>

#include "ui/video/tile_place.h"
#include "ui/video/tile_target.h"
#include "ui/video/video_output.h"

namespace tactus::ui {

/// Where a tile of this output takes its pictures from. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] std::shared_ptr<TileTarget> makeTileTarget(VideoOutput output);

/// The item that shows a film: letterboxed, on whichever scene graph the process chose. On the software scene
/// graph and X11, pictures go straight to the window while nothing translucent lies over them: the scene
/// graph then draws only what changes beside them. GUI thread, except updatePaintNode(), which the scene
/// graph calls on its render thread while the GUI thread waits.
class VideoTile : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(QSizeF pictureSize READ pictureSize NOTIFY pictureSizeChanged)
  /// Something lies over the picture that is to be blended with it.
  Q_PROPERTY(bool covered READ covered WRITE setCovered NOTIFY coverChanged)
  /// What lies over it and is opaque: a rectangle, and a frame of so many pixels along the tile's edges.
  Q_PROPERTY(QRectF hole READ hole WRITE setHole NOTIFY coverChanged)
  Q_PROPERTY(int frame READ frame WRITE setFrame NOTIFY coverChanged)

 public:
  /// `output` as chooseVideoOutput() decided: Qt itself does not tell before the first window.
  explicit VideoTile(VideoOutput output, QQuickItem* parent = nullptr);
  /// Shows what comes to `target`, which was made for the same output.
  explicit VideoTile(std::shared_ptr<TileTarget> target, QQuickItem* parent = nullptr);
  ~VideoTile() override;

  /// Where the player's sink puts its pictures; shared, since the streaming thread may outlast the item.
  [[nodiscard]] std::shared_ptr<plugins::VideoTarget> target() const { return m_target; }
  [[nodiscard]] QSizeF pictureSize() const { return m_target->pictureSize(); }
  [[nodiscard]] bool newPictureDrawn() noexcept { return std::exchange(m_drawn, false); }
  [[nodiscard]] bool covered() const noexcept { return m_covered; }
  void setCovered(bool covered);
  [[nodiscard]] QRectF hole() const noexcept { return m_hole; }
  void setHole(const QRectF& hole);
  [[nodiscard]] int frame() const noexcept { return m_frame; }
  void setFrame(int pixels);
  /// Whether pictures go straight to the window at the moment.
  [[nodiscard]] bool straight() const noexcept { return m_straight; }

 Q_SIGNALS:
  void pictureSizeChanged();
  void coverChanged();
  void straightChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;
  void itemChange(ItemChange change, const ItemChangeData& value) override;

 private:
  void onPicture();
  void onFrame();
  void followVisibility();
  void followPlace();
  template <typename Value>
  void setCover(Value& present, const Value& next);
  void withdraw();
  void setStraight(bool straight);
  void dropSurface();
  void leaveWindow();
  void goStraight(SoftwareTarget& target, const QRect& place, QSize picture);
  QSGNode* updateSoftware(QSGNode* old, SoftwareTarget& target);
  bool eventFilter(QObject* watched, QEvent* event) override;

  std::shared_ptr<TileTarget> m_target;  // shared with the sink, see target()
  std::unique_ptr<QSocketNotifier> m_notifier;
  QSizeF m_lastSize;
  TilePlace m_place;  // as of the present frame
  bool m_drawn = false;
  QRectF m_hole;
  int m_frame = 0;
  bool m_covered = true;  // until told otherwise
  bool m_straight = false;
  bool m_refreshed = false;  // the frame being drawn has the newest picture
  bool m_surfaceTried = false;
  QPointer<QQuickWindow> m_in;
};

}  // namespace tactus::ui
