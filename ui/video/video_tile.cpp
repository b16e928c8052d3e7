// SPDX-License-Identifier: Apache-2.0
#include "ui/video/video_tile.h"

#include <unistd.h>

#include <QGuiApplication>
#include <QPlatformSurfaceEvent>
#include <QQuickWindow>
#include <QSGSimpleTextureNode>

#include "ui/video/rhi_tile.h"
#include "ui/video/scene_extent.h"

namespace tactus::ui {

std::shared_ptr<TileTarget> makeTileTarget(VideoOutput output) {
  if (output == VideoOutput::Software) return std::make_shared<SoftwareTarget>();
  return std::make_shared<PlanarTarget>();
}

VideoTile::VideoTile(VideoOutput output, QQuickItem* parent) : VideoTile(makeTileTarget(output), parent) {}

VideoTile::VideoTile(std::shared_ptr<TileTarget> target, QQuickItem* parent)
    : QQuickItem(parent), m_target(std::move(target)) {
  setFlag(ItemHasContents);
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

/// Before the scene graph draws for whatever reason: the tile may have another place (a window can grow by a
/// pixel and keep its logical size), and pictures that went round the scene graph have overtaken the one that
/// it knows. It gets the newest, once; that itself makes it draw one frame more.
void VideoTile::onFrame() {
  followPlace();
  auto* software = dynamic_cast<SoftwareTarget*>(m_target.get());
  if (software != nullptr) correctSoftwareExtent(*window(), m_place.window());
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
    followPlace();
  }
  if (change == ItemSceneChange || change == ItemVisibleHasChanged) followVisibility();
  QQuickItem::itemChange(change, value);
}

void VideoTile::geometryChange(const QRectF& now, const QRectF& before) {
  QQuickItem::geometryChange(now, before);
  withdraw();
  followPlace();
}

/// Looks where on the window's pixels the tile is now, and tells whoever converts pictures or draws them.
void VideoTile::followPlace() {
  const TilePlace place = TilePlace::of(*this);
  if (window() == nullptr || place == m_place) return;
  m_place = place;
  m_target->setRoom({place.room().width(), place.room().height()});
  withdraw();
  update();
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

/// The scene graph has just drawn a picture at `place`, in pixels of the window: those that follow may go
/// there without it, if none is scaled on the way.
void VideoTile::goStraight(SoftwareTarget& target, const QRect& place, QSize picture) {
  if (!std::exchange(m_surfaceTried, true) && QGuiApplication::platformName() == QLatin1String("xcb"))
    target.setSurface(X11Surface::open(static_cast<std::uint32_t>(window()->winId())));
  if (target.surface() == nullptr || m_covered || place.size() != picture) return;
  Placement placement{place, {}};
  const QRectF all = boundingRect();
  if (!m_hole.isEmpty()) placement.holes.push_back(m_place.touched(m_hole));
  if (m_frame > 0) {
    for (const QRectF& edge : {QRectF(0, 0, all.width(), m_frame), QRectF(0, 0, m_frame, all.height()),
                               QRectF(0, all.height() - m_frame, all.width(), m_frame),
                               QRectF(all.width() - m_frame, 0, m_frame, all.height())})
      placement.holes.push_back(m_place.touched(edge));
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
  return updateRhiNode(old, *window(), m_place, static_cast<PlanarTarget&>(*m_target), m_drawn);
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
    // Wraps the exchange's memory, which stays ours until the next take().
    const QImage picture(taken.view.data, taken.view.width, taken.view.height, taken.view.stride,
                         QImage::Format_RGB32);
    QSGTexture* texture = window()->createTextureFromImage(picture, QQuickWindow::TextureIsOpaque);
    if (node == nullptr) {
      node = new QSGSimpleTextureNode;
      node->setOwnsTexture(true);
    }
    node->setTexture(texture);  // deletes the one before
    target.exchange().releaseOlder();
    m_drawn = true;
  }
  if (node == nullptr) return nullptr;
  const QRect place = m_place.fitted(pictureSize(), node->texture()->textureSize());
  node->setRect(m_place.onTile(place));
  node->setFiltering(QSGTexture::Linear);
  goStraight(target, place, node->texture()->textureSize());
  return node;
}

}  // namespace tactus::ui
