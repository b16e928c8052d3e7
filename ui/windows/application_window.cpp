// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/application_window.h"

#include <QDateTime>
#include <QDir>
#include <QGuiApplication>
#include <QQuickWindow>
#include <QScreen>
#include <QStandardPaths>
#include <QTimer>
#include <chrono>

#include "ui/models/player_model.h"
#include "ui/models/window_model.h"
#include "ui/video/render_stage.h"
#include "ui/video/video_tile.h"
#include "ui/windows/qml_scene.h"

namespace tactus::ui {
namespace {

constexpr auto kUndrawn = std::chrono::seconds(1);  // a film waits no longer for its window

}  // namespace

ApplicationWindow::ApplicationWindow() = default;
ApplicationWindow::~ApplicationWindow() {
  m_links.reset();
  m_render.reset();
  // The QML goes first: it is bound to what the viewer has.
  if (m_viewer) m_viewer->tile().setParentItem(nullptr);
  m_scene.reset();
}

Result<std::unique_ptr<ApplicationWindow>> ApplicationWindow::create(WindowOptions options,
                                                                     periodic::Scheduler& scheduler) {
  auto viewer = Viewer::create(options, scheduler);
  if (!viewer.ok()) return viewer.error();
  return create(options, std::move(viewer).value(), scheduler);
}

Result<std::unique_ptr<ApplicationWindow>> ApplicationWindow::create(const WindowOptions& options,
                                                                     std::unique_ptr<Viewer> viewer,
                                                                     periodic::Scheduler& scheduler) {
  std::unique_ptr<ApplicationWindow> self(new ApplicationWindow);
  self->m_viewer = std::move(viewer);
  self->m_scene = QmlScene::load(QStringLiteral("Main.qml"),
                                 [&](QQmlContext& context) { self->m_viewer->describeTo(context); });
  if (!self->m_scene) {
    return Error{ErrorCode::Unsupported,
                 "The window cannot be made: a Qt Quick module is missing (see above)."};
  }
  self->m_window = &self->m_scene->window();
  self->m_render = std::make_unique<RenderStage>(scheduler, *self->m_window, self->m_viewer->output());
  self->m_render->addTile(self->m_viewer->tile());
  auto* raw = self.get();
  connect(self->m_window, &QWindow::visibleChanged, raw, [raw](bool visible) {
    if (!visible) Q_EMIT raw->closed();
  });
  self->connectViewer();

  if (!options.size.isEmpty()) {
    self->m_window->resize(options.size);
    self->m_fitted = true;
  }
  if (options.position) self->m_window->setPosition(*options.position);
  if (options.fullScreen) self->m_window->showFullScreen();
  // What happened while the window was being made was not heard.
  self->m_render->setActive(self->model().active());
  self->fitToPicture();
  self->beginOnceDrawn();
  return self;
}

/// A window that is being made beside processor hogs would not be there for the second picture.
void ApplicationWindow::beginOnceDrawn() {
  const auto begin = [this] {
    if (m_viewer) m_viewer->begin();
  };
  connect(m_window, &QQuickWindow::frameSwapped, this, begin, Qt::SingleShotConnection);
  QTimer::singleShot(kUndrawn, this, begin);  // nobody may see it for now
}

void ApplicationWindow::connectViewer() {
  m_links = std::make_unique<QObject>();
  auto* links = m_links.get();
  auto* model = &m_viewer->model();
  connect(model, &PlayerModel::stateChanged, links, [this, model] {
    m_render->setActive(model->active());
    if (const auto* player = model->player()) m_render->setRate(player->statistics().nominalRate);
  });
  connect(&m_viewer->tile(), &VideoTile::pictureSizeChanged, links, [this] { fitToPicture(); });
  connect(&m_viewer->tile(), &VideoTile::straightChanged, links,
          [this] { m_render->setBypassed(m_viewer->tile().straight()); });
  connect(model, &PlayerModel::screenshotRequested, links, [this](bool whole) { takeScreenshot(whole); });
  connect(model, &PlayerModel::callRequested, links,
          [this](const QString& link) { Q_EMIT callRequested(link); });
  connect(model, &PlayerModel::newWindowRequested, links, [this] { Q_EMIT newWindowRequested(); });
  connect(model, &PlayerModel::loadRequested, links, [this] { Q_EMIT loadRequested(); });
  connect(model, &PlayerModel::gridRequested, links, [this] { Q_EMIT gridRequested(); });
  connect(model, &PlayerModel::closeRequested, links, [this] { m_window->close(); });
  connect(model, &PlayerModel::quitRequested, links, &QGuiApplication::quit, Qt::QueuedConnection);
  if (auto* claim = m_viewer->claim()) {
    connect(claim, &WindowModel::closeRequested, links, [this] { m_window->close(); });
    connect(claim, &WindowModel::halfSizeRequested, links,
            [this] { m_window->resize(m_window->size() / 2); });
    connect(claim, &WindowModel::closeOtherRequested, links,
            [this](quint64 window) { Q_EMIT closeOtherRequested(window); });
  }
}

std::unique_ptr<Viewer> ApplicationWindow::release() {
  m_viewer->begin();
  m_links.reset();
  m_render->removeTile(m_viewer->tile());
  m_render.reset();
  m_viewer->tile().setParentItem(nullptr);
  m_scene.reset();
  m_window = nullptr;
  return std::move(m_viewer);
}

void ApplicationWindow::fitToPicture() {
  if (m_fitted || m_window->visibility() == QWindow::FullScreen ||
      m_window->visibility() == QWindow::Maximized)
    return;
  const QSizeF picture = m_viewer->tile().pictureSize();
  if (picture.isEmpty()) return;
  m_fitted = true;
  const QSizeF room = QSizeF(m_window->screen()->availableGeometry().size()) * 0.9;
  QSizeF size = picture;
  if (size.width() > room.width() || size.height() > room.height()) size.scale(room, Qt::KeepAspectRatio);
  if (size.width() < 480) size = QSizeF(480, 480 * size.height() / size.width());  // room for the controls
  m_window->resize(size.toSize());
}

void ApplicationWindow::takeScreenshot(bool wholeWindow) {
  // In the film's own size, whatever the window's.
  const auto picture = wholeWindow || model().player() == nullptr ? Result<plugins::Rgb32Picture>(Error{})
                                                                  : model().player()->snapshot();
  QImage image;
  if (picture.ok()) {
    const auto& shot = picture.value();
    image = QImage(shot.pixels.get(), shot.width, shot.height, shot.stride, QImage::Format_RGB32).copy();
  }
  if (image.isNull()) image = m_window->grabWindow();
  QString folder = QStandardPaths::writableLocation(QStandardPaths::PicturesLocation);
  if (folder.isEmpty() || !QDir().mkpath(folder)) folder = QDir::homePath();
  const QString name =
      folder + "/tactus-" + QDateTime::currentDateTime().toString("yyyyMMdd-hhmmss-zzz") + ".png";
  model().showToast(image.save(name) ? tr("Screenshot: %1").arg(name)
                                     : tr("The screenshot could not be written to %1").arg(name));
}

}  // namespace tactus::ui
