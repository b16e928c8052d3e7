// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QQuickItem>
#include <QSocketNotifier>
#include <memory>

#include "ui/tile_target.h"
#include "ui/video_output.h"

namespace tactus::ui {

/// The item that shows a film: letterboxed, on whichever scene graph the process chose. GUI thread, except
/// updatePaintNode(), which the scene graph calls on its render thread while the GUI thread waits.
class VideoTile : public QQuickItem {
  Q_OBJECT
  Q_PROPERTY(QSizeF pictureSize READ pictureSize NOTIFY pictureSizeChanged)

 public:
  /// `output` as chooseVideoOutput() decided: Qt itself does not tell before the first window.
  explicit VideoTile(VideoOutput output, QQuickItem* parent = nullptr);
  ~VideoTile() override;

  /// Where the player's sink puts its pictures; shared, since the streaming thread may outlast the item.
  [[nodiscard]] std::shared_ptr<plugins::VideoTarget> target() const { return m_target; }
  [[nodiscard]] QSizeF pictureSize() const { return m_target->pictureSize(); }
  [[nodiscard]] bool newPictureDrawn() noexcept { return std::exchange(m_drawn, false); }

 Q_SIGNALS:
  void pictureSizeChanged();

 protected:
  QSGNode* updatePaintNode(QSGNode* old, UpdatePaintNodeData* data) override;
  void geometryChange(const QRectF& now, const QRectF& before) override;
  void itemChange(ItemChange change, const ItemChangeData& value) override;

 private:
  void onPicture();
  void followVisibility();
  QSGNode* updateSoftware(QSGNode* old, SoftwareTarget& target);

  std::shared_ptr<TileTarget> m_target;  // shared with the sink, see target()
  std::unique_ptr<QSocketNotifier> m_notifier;
  QSizeF m_lastSize;
  bool m_drawn = false;
};

}  // namespace tactus::ui
