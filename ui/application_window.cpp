// SPDX-License-Identifier: Apache-2.0
#include "ui/application_window.h"

#include <QDateTime>
#include <QDir>
#include <QGuiApplication>
#include <QQmlApplicationEngine>
#include <QQmlContext>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QScreen>
#include <QStandardPaths>

#include "ui/player_model.h"
#include "ui/render_stage.h"
#include "ui/video_tile.h"
#include "ui/window_model.h"

static void initialiseResources() {
  Q_INIT_RESOURCE(tactus_ui);
}

namespace tactus::ui {

ApplicationWindow::ApplicationWindow() = default;
ApplicationWindow::~ApplicationWindow() {
  m_render.reset();
  m_claim.reset();
  m_model->player() != nullptr ? m_model->player()->stop() : void();
  m_engine.reset();
}

Result<std::unique_ptr<ApplicationWindow>> ApplicationWindow::create(WindowOptions options,
                                                                     periodic::Scheduler& scheduler) {
  initialiseResources();
  if (QQuickStyle::name().isEmpty()) QQuickStyle::setStyle(QStringLiteral("Fusion"));
  std::unique_ptr<ApplicationWindow> self(new ApplicationWindow);
  self->m_options = std::move(options);
  auto& settings = self->m_options;
  self->m_engine = std::make_unique<QQmlApplicationEngine>();
  // The model needs the tile's target and the QML needs the model: the tile is made here and put into the
  // window.
  self->m_tile = new VideoTile(settings.output.output);
  self->m_tile->setParent(
      self->m_engine.get());  // until the window has it, and never the garbage collector's
  self->m_model =
      std::make_unique<PlayerModel>(scheduler, settings.player, self->m_tile->target(),
                                    RecentFiles(RecentFiles::defaultPath()), settings.output.reason);
  if (!self->m_model->creationError().isEmpty()) {
    return Error{ErrorCode::System, self->m_model->creationError().toStdString()};
  }
  if (settings.governor != nullptr) {
    self->m_claim =
        std::make_unique<WindowModel>(*settings.governor, *self->m_model->player(), settings.terms);
  }
  // The film is opened, paused, while the window is being made: the two take about as long.
  auto* model = self->m_model.get();
  model->setVolume(settings.volume);
  if (settings.muted) model->setMuted(true);
  model->setLoop(settings.loop);
  model->setStatsVisible(settings.showStats);
  if (settings.speed != 1.0) model->setSpeed(settings.speed);
  if (!settings.playlist.isEmpty()) model->openAll(settings.playlist, true, settings.startSeconds);
  for (const auto& file : settings.subtitles) model->addSubtitleFile(file);

  auto* context = self->m_engine->rootContext();
  context->setContextProperty("player", self->m_model.get());
  context->setContextProperty("videoTile", self->m_tile);
  context->setContextProperty("window", self->m_claim.get());
  self->m_engine->load(QUrl(QStringLiteral("qrc:/tactus/qml/Main.qml")));
  if (self->m_engine->rootObjects().isEmpty()) {
    return Error{ErrorCode::Unsupported,
                 "The window cannot be made: a Qt Quick module is missing (see above)."};
  }
  self->m_window = qobject_cast<QQuickWindow*>(self->m_engine->rootObjects().constFirst());
  self->m_render =
      std::make_unique<RenderStage>(scheduler, *self->m_window, *self->m_tile, settings.output.output);

  auto* raw = self.get();
  connect(model, &PlayerModel::stateChanged, raw, [raw] {
    raw->m_render->setActive(raw->m_model->active());
    if (const auto* player = raw->m_model->player()) raw->m_render->setRate(player->statistics().nominalRate);
  });
  connect(self->m_tile, &VideoTile::pictureSizeChanged, raw, [raw] { raw->fitToPicture(); });
  connect(model, &PlayerModel::screenshotRequested, raw, [raw](bool whole) { raw->takeScreenshot(whole); });
  connect(model, &PlayerModel::newWindowRequested, raw, &ApplicationWindow::newWindowRequested);
  connect(model, &PlayerModel::closeRequested, raw, [raw] { raw->m_window->close(); });
  connect(self->m_window, &QWindow::visibleChanged, raw, [raw](bool visible) {
    if (!visible) Q_EMIT raw->closed();
  });
  if (auto* claim = self->m_claim.get()) {
    const bool named = !settings.terms.name.empty();
    connect(claim, &WindowModel::closeRequested, raw, [raw] { raw->m_window->close(); });
    connect(model, &PlayerModel::priorityRequested, claim, [claim, model](const QString& priority) {
      claim->setPriority(priority);
      model->showToast(priority == "high"     ? tr("Priority: High")
                       : priority == "normal" ? tr("Priority: Normal")
                                              : tr("Priority: Background"));
    });
    const auto takeName = [claim, model] { claim->setName(model->title()); };
    if (!named) connect(model, &PlayerModel::infoChanged, claim, takeName);
    if (!named) takeName();
  }
  connect(model, &PlayerModel::quitRequested, qGuiApp, &QGuiApplication::quit, Qt::QueuedConnection);

  if (!settings.size.isEmpty()) {
    self->m_window->resize(settings.size);
    self->m_fitted = true;
  }
  if (settings.position) self->m_window->setPosition(*settings.position);
  if (settings.fullScreen) self->m_window->showFullScreen();
  // What happened while the window was being made was not heard.
  self->m_render->setActive(model->active());
  self->fitToPicture();
  if (!settings.playlist.isEmpty() && !settings.paused) model->player()->play();
  return self;
}

void ApplicationWindow::fitToPicture() {
  if (m_fitted || m_window->visibility() == QWindow::FullScreen ||
      m_window->visibility() == QWindow::Maximized)
    return;
  const QSizeF picture = m_tile->pictureSize();
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
  const auto picture = wholeWindow || m_model->player() == nullptr ? Result<plugins::Rgb32Picture>(Error{})
                                                                   : m_model->player()->snapshot();
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
  m_model->showToast(image.save(name) ? tr("Screenshot: %1").arg(name)
                                      : tr("The screenshot could not be written to %1").arg(name));
}

}  // namespace tactus::ui
