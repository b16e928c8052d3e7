// SPDX-License-Identifier: Apache-2.0
#include "ui/video/video_tile.h"

#include <unistd.h>

#include <QGuiApplication>
#include <QPlatformSurfaceEvent>
#include <QQuickWindow>
#include <QSGSimpleTextureNode>
#include <cmath>

#include "ui/video/rhi_tile.h"

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

VideoTile::~VideoTile() {
  // The sink may hold the target for longer; the window is not its any more.
  if (auto* software = dynamic_cast<SoftwareTarget*>(m_target.get())) software->setSurface(nullptr);
}

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

/// Before the scene graph draws for whatever reason: pictures that went round it have overtaken the one that
/// it knows. It gets the newest, once; that itself makes it draw one frame more.
void VideoTile::onFrame() {
  auto* software = dynamic_cast<SoftwareTarget*>(m_target.get());
  if (software == nullptr || m_refreshed || !software->exchange().waiting()) {
    m_refreshed = false;
    return;
  }
  m_refreshed = true;
  update();
}

void VideoTile::itemChange(ItemChange change, const ItemChangeData& value) {
  if (change == ItemSceneChange) leaveWindow();
  if (change == ItemSceneChange && value.window != nullptr) {
    m_in = value.window;
    connect(value.window, &QWindow::visibilityChanged, this, [this] { followVisibility(); });
    connect(value.window, &QQuickWindow::afterAnimating, this, [this] { onFrame(); });
    value.window->installEventFilter(this);
  }
  if (change == ItemSceneChange || change == ItemVisibleHasChanged) followVisibility();
  QQuickItem::itemChange(change, value);
}

void VideoTile::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  withdraw();
  const QSizeF room = now.size() * (window() != nullptr ? window()->effectiveDevicePixelRatio() : 1.0);
  m_target->setRoom(
      {static_cast<int>(std::lround(room.width())), static_cast<int>(std::lround(room.height()))});
}

void VideoTile::followVisibility() {
  const QWindow* in = window();
  m_target->setVisible(isVisible() && in != nullptr && in->visibility() != QWindow::Hidden &&
                       in->visibility() != QWindow::Minimized);
}

/// What lies over the picture is another: the scene graph looks anew.
template <typename Value>
void VideoTile::setCover(Value& present, const Value& next) {
  if (next == present) return;
  present = next;
  withdraw();
  update();
  Q_EMIT coverChanged();
}

void VideoTile::setCovered(bool covered) {
  setCover(m_covered, covered);
}

void VideoTile::setHole(const QRectF& hole) {
  setCover(m_hole, hole);
}

void VideoTile::setFrame(int pixels) {
  setCover(m_frame, pixels);
}

/// From now on the scene graph draws every picture, until it finds that it need not.
void VideoTile::withdraw() {
  if (!m_straight) return;
  setStraight(false);
  auto& target = static_cast<SoftwareTarget&>(*m_target);
  if (target.surface() != nullptr) target.surface()->place({});
}

/// The scene graph has just drawn a picture at `place`: those that follow may go there without it.
void VideoTile::goStraight(SoftwareTarget& target, const QRectF& place, QSize picture) {
  if (!std::exchange(m_surfaceTried, true) && QGuiApplication::platformName() == QLatin1String("xcb"))
    target.setSurface(X11Surface::open(static_cast<std::uint32_t>(window()->winId())));
  if (target.surface() == nullptr || m_covered) return;
  const qreal pixels = window()->effectiveDevicePixelRatio();
  const auto onWindow = [&](const QRectF& rect) {
    const QRectF inScene = mapRectToScene(rect);
    return QRectF(inScene.topLeft() * pixels, inScene.size() * pixels).toAlignedRect();
  };
  Placement placement{onWindow(place), {}};
  if (placement.rect.size() != picture) return;
  const QRectF all = boundingRect();
  if (!m_hole.isEmpty()) placement.holes.push_back(onWindow(m_hole));
  if (m_frame > 0) {
    for (const QRectF& edge : {QRectF(0, 0, all.width(), m_frame), QRectF(0, 0, m_frame, all.height()),
                               QRectF(0, all.height() - m_frame, all.width(), m_frame),
                               QRectF(all.width() - m_frame, 0, m_frame, all.height())})
      placement.holes.push_back(onWindow(edge));
  }
  target.surface()->place(std::move(placement));
  setStraight(true);
}

void VideoTile::setStraight(bool straight) {
  if (std::exchange(m_straight, straight) != straight) Q_EMIT straightChanged();
}

void VideoTile::dropSurface() {
  withdraw();
  if (auto* software = dynamic_cast<SoftwareTarget*>(m_target.get())) software->setSurface(nullptr);
  m_surfaceTried = false;
}

void VideoTile::leaveWindow() {
  dropSurface();
  if (!m_in) return;
  m_in->removeEventFilter(this);
  m_in->disconnect(this);
  m_in.clear();
}

bool VideoTile::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::PlatformSurface &&
      static_cast<QPlatformSurfaceEvent*>(event)->surfaceEventType() ==
          QPlatformSurfaceEvent::SurfaceAboutToBeDestroyed)
    dropSurface();
  return QQuickItem::eventFilter(watched, event);
}

QSGNode* VideoTile::updatePaintNode(QSGNode* old, UpdatePaintNodeData*) {
  if (auto* software = dynamic_cast<SoftwareTarget*>(m_target.get())) return updateSoftware(old, *software);
  return updateRhiNode(old, *this, static_cast<PlanarTarget&>(*m_target), m_drawn);
}

QSGNode* VideoTile::updateSoftware(QSGNode* old, SoftwareTarget& target) {
  auto* node = static_cast<QSGSimpleTextureNode*>(old);
  if (target.takeCleared()) {
    withdraw();
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
  goStraight(target, place, node->texture()->textureSize());
  return node;
}

}  // namespace tactus::ui
