// SPDX-License-Identifier: Apache-2.0
#include "ui/video/scene_extent.h"

#include <private/qquickwindow_p.h>
#include <private/qsgrenderer_p.h>
#include <private/qsgsoftwarerenderloop_p.h>
#include <qpa/qplatformbackingstore.h>

#include <QBackingStore>
#include <QGuiApplication>
#include <cmath>

namespace tactus::ui {

void correctRhiExtent(QQuickWindow& window, const TilePlace::Window& geometry) {
  auto* renderer = QQuickWindowPrivate::get(&window)->renderer;
  renderer->setDeviceRect(geometry.pixels);
  renderer->setViewportRect(geometry.pixels);
  renderer->setProjectionMatrixToRect(QRectF(QPointF(), geometry.exact()));
}

void correctSoftwareExtent(QQuickWindow& window, const TilePlace::Window& geometry) {
  if (QGuiApplication::platformName() != QLatin1String("xcb")) return;
  auto* loop = QQuickWindowPrivate::get(&window)->windowManager;
  // Qt has another loop for whoever sets QSG_RENDER_LOOP.
  if (loop == nullptr || !loop->inherits("QSGSoftwareRenderLoop")) return;
  const QBackingStore* image = static_cast<QSGSoftwareRenderLoop*>(loop)->m_backingStores.value(&window);
  if (image != nullptr && image->handle() != nullptr)
    image->handle()->resize(softwareImageSize(geometry), {});
}

QSize softwareImageSize(const TilePlace::Window& geometry) noexcept {
  const auto extent = [&](int pixels) {
    const double logical = std::ceil(pixels / geometry.scale);
    const int image = static_cast<int>(std::ceil(logical * geometry.scale));
    // The quotient, which Qt rounds down, may be a little less than a whole number.
    return image / geometry.scale < logical ? image + 1 : image;
  };
  return {extent(geometry.pixels.width()), extent(geometry.pixels.height())};
}

}  // namespace tactus::ui
