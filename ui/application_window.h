// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPoint>
#include <QSize>
#include <QStringList>
#include <memory>
#include <optional>

#include "core/media/load_governor.h"
#include "core/media/player.h"
#include "core/periodic/scheduler.h"
#include "ui/video_output.h"

class QQmlApplicationEngine;
class QQuickWindow;

namespace tactus::ui {

class PlayerModel;
class RenderStage;
class VideoTile;
class WindowModel;

struct WindowOptions {
  OutputChoice output;
  QStringList playlist;
  QStringList subtitles;
  bool paused = false, fullScreen = false, loop = false, showStats = false, muted = false;
  double volume = 1.0, speed = 1.0, startSeconds = 0;
  media::PlayerConfig player;
  media::LoadGovernor* governor = nullptr;  ///< must outlive the window; null = it is alone
  media::WindowTerms terms;
  std::optional<QPoint> position;  ///< none = where the desktop puts it
  QSize size;                      ///< empty = the film's, within the screen
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
  /// Null without a governor.
  [[nodiscard]] WindowModel* claim() { return m_claim.get(); }

 Q_SIGNALS:
  void newWindowRequested();
  void closed();  ///< by its user; whoever owns it may let it go

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
  std::unique_ptr<WindowModel> m_claim;
  bool m_fitted = false;
};

}  // namespace tactus::ui
