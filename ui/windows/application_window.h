// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QPoint>
#include <QSize>
#include <memory>
#include <optional>

#include "ui/windows/viewer.h"

class QQuickWindow;

namespace tactus::ui {

class QmlScene;
class RenderStage;

struct WindowOptions : FilmOptions {
  bool fullScreen = false;
  std::optional<QPoint> position;  ///< none = where the desktop puts it
  QSize size;                      ///< empty = the film's, within the screen
};

/// The player's window: QML around a viewer, and the render stage's task. GUI thread.
class ApplicationWindow : public QObject {
  Q_OBJECT

 public:
  /// chooseVideoOutput() comes first. `scheduler` must outlive the window.
  [[nodiscard]] static Result<std::unique_ptr<ApplicationWindow>> create(WindowOptions options,
                                                                         periodic::Scheduler& scheduler);
  /// Shows a film that exists already; of the options only those of the window count.
  [[nodiscard]] static Result<std::unique_ptr<ApplicationWindow>> create(const WindowOptions& options,
                                                                         std::unique_ptr<Viewer> viewer,
                                                                         periodic::Scheduler& scheduler);
  ~ApplicationWindow() override;
  [[nodiscard]] PlayerModel& model() { return m_viewer->model(); }
  [[nodiscard]] Viewer& viewer() { return *m_viewer; }
  [[nodiscard]] QQuickWindow& window() { return *m_window; }
  /// Null without a governor.
  [[nodiscard]] WindowModel* claim() { return m_viewer->claim(); }
  /// Takes the film out, to be shown elsewhere. The window is then empty and can only be destroyed.
  [[nodiscard]] std::unique_ptr<Viewer> release();

 Q_SIGNALS:
  void newWindowRequested();
  void callRequested(const QString& link);  ///< as of PlayerModel
  void loadRequested();
  void gridRequested();
  void closeOtherRequested(quint64 window);
  void closed();  ///< by its user; its owner may destroy it

 private:
  ApplicationWindow();
  void connectViewer();
  void beginOnceDrawn();
  void fitToPicture();
  void takeScreenshot(bool wholeWindow);

  std::unique_ptr<Viewer> m_viewer;
  std::unique_ptr<QmlScene> m_scene;
  QQuickWindow* m_window = nullptr;  // the scene's
  std::unique_ptr<RenderStage> m_render;
  std::unique_ptr<QObject> m_links;  // what is connected to the viewer, until it leaves
  bool m_fitted = false;
};

}  // namespace tactus::ui
