// SPDX-License-Identifier: Apache-2.0
#include "ui/video_tile.h"

#include <unistd.h>

#include <QQuickWindow>
#include <QSGSimpleTextureNode>
#include <cmath>

#include "ui/rhi_tile.h"

namespace tactus::ui {

VideoTile::VideoTile(VideoOutput output, QQuickItem* parent) : QQuickItem(parent) {
  setFlag(ItemHasContents);
  if (output == VideoOutput::Software) {
    m_target = std::make_shared<SoftwareTarget>();
  } else {
    m_target = std::make_shared<PlanarTarget>();
  }
  m_notifier = std::make_unique<QSocketNotifier>(m_target->descriptor(), QSocketNotifier::Read);
  connect(m_notifier.get(), &QSocketNotifier::activated, this, [this] { onPicture(); });
}

VideoTile::~VideoTile() = default;

void VideoTile::onPicture() {
  // Emptied here and not only when drawn: a window that is never drawn must not keep the notifier busy.
  std::uint64_t count = 0;
  (void)!read(m_target->descriptor(), &count, sizeof count);
  if (const QSizeF size = pictureSize(); size != m_lastSize) {
    m_lastSize = size;
    Q_EMIT pictureSizeChanged();
  }
  update();
}

void VideoTile::itemChange(ItemChange change, const ItemChangeData& value) {
  if (change == ItemSceneChange && value.window != nullptr) {
    connect(value.window, &QWindow::visibilityChanged, this, [this] { followVisibility(); });
  }
  if (change == ItemSceneChange || change == ItemVisibleHasChanged) followVisibility();
  QQuickItem::itemChange(change, value);
}

void VideoTile::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  const QSizeF room = now.size() * (window() != nullptr ? window()->effectiveDevicePixelRatio() : 1.0);
  m_target->setRoom(
      {static_cast<int>(std::lround(room.width())), static_cast<int>(std::lround(room.height()))});
}

void VideoTile::followVisibility() {
  const QWindow* in = window();
  m_target->setVisible(isVisible() && in != nullptr && in->visibility() != QWindow::Hidden &&
                       in->visibility() != QWindow::Minimized);
}

QSGNode* VideoTile::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  if (auto* software = dynamic_cast<SoftwareTarget*>(m_target.get())) return updateSoftware(old, *software);
  return updateRhiNode(old, *this, static_cast<PlanarTarget&>(*m_target), m_drawn);
}

QSGNode* VideoTile::updateSoftware(QSGNode* old, SoftwareTarget& target) {
  auto* node = static_cast<QSGSimpleTextureNode*>(old);
  if (target.takeCleared()) {
    delete node;
    node = nullptr;
  }
  plugins::PictureExchange::Taken taken;
  if (target.exchange().take(taken)) {
    // Wraps the exchange's memory, which stays ours until the next take(); the texture makes its own copy.
    const QImage picture(taken.view.data, taken.view.width, taken.view.height, taken.view.stride,
                         QImage::Format_RGB32);
    QSGTexture* texture = window()->createTextureFromImage(picture, QQuickWindow::TextureIsOpaque);
    if (node == nullptr) {
      node = new QSGSimpleTextureNode;
      node->setOwnsTexture(true);
    }
    node->setTexture(texture);
    m_drawn = true;
  }
  if (node == nullptr) return nullptr;
  QRectF place = letterboxed(pictureSize(), boundingRect());
  // A picture that was converted for this very room is not scaled again for a pixel of rounding.
  const QSizeF size = QSizeF(node->texture()->textureSize()) / window()->effectiveDevicePixelRatio();
  if (std::abs(size.width() - place.width()) <= 2 && std::abs(size.height() - place.height()) <= 2) {
    place = QRectF(std::floor(place.center().x() - size.width() / 2),
                   std::floor(place.center().y() - size.height() / 2), size.width(), size.height());
  }
  node->setRect(place);
  node->setFiltering(QSGTexture::Linear);
  return node;
}

}  // namespace tactus::ui
