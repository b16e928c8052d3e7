// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QSize>
#include <QStringList>
#include <memory>

#include "core/media/player.h"
#include "core/periodic/scheduler.h"
#include "ui/video_output.h"

class QQmlApplicationEngine;
class QQuickWindow;

namespace tactus::ui {

class PlayerModel;
class RenderStage;
class VideoTile;

struct WindowOptions {
  OutputChoice output;
  QStringList playlist;
  QStringList subtitles;
  bool paused = false, fullScreen = false, loop = false, showStats = false, muted = false;
  double volume = 1.0, speed = 1.0, startSeconds = 0;
  media::PlayerConfig player;
  QSize size;  ///< empty = the film's, within the screen
};

/// The player's window: QML, the tile, the model and the render stage's task. GUI thread.
class ApplicationWindow : public QObject {
  Q_OBJECT

 public:
  /// chooseVideoOutput() comes first. `scheduler` must outlive the window.
  [[nodiscard]] static Result<std::unique_ptr<ApplicationWindow>> create(WindowOptions options,
                                                                         periodic::Scheduler& scheduler);
  ~ApplicationWindow() override;
  [[nodiscard]] PlayerModel& model() { return *m_model; }
  [[nodiscard]] QQuickWindow& window() { return *m_window; }

 private:
  ApplicationWindow();
  void fitToPicture();
  void takeScreenshot(bool wholeWindow);

  WindowOptions m_options;
  std::unique_ptr<QQmlApplicationEngine> m_engine;
  QQuickWindow* m_window = nullptr;  // owned by the engine
  VideoTile* m_tile = nullptr;       // owned by the window
  std::unique_ptr<RenderStage> m_render;
  std::unique_ptr<PlayerModel> m_model;
  bool m_fitted = false;
};

}  // namespace tactus::ui
