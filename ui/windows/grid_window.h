// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QList>
#include <QObject>
#include <QRectF>
#include <QUrl>
#include <memory>
#include <vector>

#include "ui/windows/application_window.h"

class QQmlContext;
class QQuickItem;
class QQuickWindow;

namespace tactus::ui {

class QmlScene;

class GridWindow;

/// One place of the grid, for its QML.
class GridCell : public QObject {
  Q_OBJECT
  Q_PROPERTY(bool pinned READ pinned NOTIFY changed)

 public:
  GridCell(GridWindow& grid, std::unique_ptr<Viewer> viewer);
  ~GridCell() override;
  [[nodiscard]] bool pinned() const { return m_pinned; }
  [[nodiscard]] Viewer& viewer() { return *m_viewer; }
  Q_INVOKABLE void togglePin();
  Q_INVOKABLE void detach();
  Q_INVOKABLE void close();
  /// The user dropped it with its middle at this place of the window (pixels): it changes places with the
  /// film there.
  Q_INVOKABLE void dropped(double x, double y);
  /// It has the keyboard focus now, and is heard.
  Q_INVOKABLE void focused();

 Q_SIGNALS:
  void changed();

 private:
  friend class GridWindow;
  GridWindow& m_grid;
  std::unique_ptr<Viewer> m_viewer;
  std::unique_ptr<QQmlContext> m_context;
  std::unique_ptr<QQuickItem> m_item;
  std::unique_ptr<QObject> m_links;
  bool m_pinned = false;
};

/// A window with any number of films side by side: dragged to arrange them, pinned to be large, detached into
/// windows of their own. The film that has the focus is heard. GUI thread.
class GridWindow : public QObject {
  Q_OBJECT

 public:
  [[nodiscard]] static Result<std::unique_ptr<GridWindow>> create(const WindowOptions& options,
                                                                  periodic::Scheduler& scheduler);
  ~GridWindow() override;
  /// InternalError if the QML cannot be made; the viewer is then lost.
  [[nodiscard]] Result<void> add(std::unique_ptr<Viewer> viewer);
  [[nodiscard]] std::size_t size() const { return m_cells.size(); }
  [[nodiscard]] Viewer& viewer(std::size_t index) { return m_cells[index]->viewer(); }
  [[nodiscard]] GridCell& cell(std::size_t index) { return *m_cells[index]; }
  [[nodiscard]] QQuickWindow& window() { return *m_window; }
  /// Takes a film out, to be shown elsewhere. Null for one that is not here.
  [[nodiscard]] std::unique_ptr<Viewer> release(Viewer& viewer);
  void arrange();
  Q_INVOKABLE void openUrls(const QList<QUrl>& urls);

 Q_SIGNALS:
  void detachRequested(tactus::ui::Viewer* viewer);
  void closeRequested(tactus::ui::Viewer* viewer);
  void filmRequested(const QString& item);
  void newWindowRequested();
  void callRequested(const QString& link);  ///< as of PlayerModel
  void loadRequested();
  void closeOtherRequested(quint64 window);
  void closed();

 private:
  friend class GridCell;
  GridWindow() = default;
  [[nodiscard]] std::vector<QRectF> places() const;
  [[nodiscard]] bool helpShown() const;
  void showHelp(bool shown);
  void swapPlaces(GridCell& cell, double x, double y);
  void hearOnly(GridCell& cell);
  void followActivity();

  std::unique_ptr<QmlScene> m_scene;
  QQuickWindow* m_window = nullptr;  // the scene's
  QQuickItem* m_field = nullptr;     // owned by the window
  std::unique_ptr<RenderStage> m_render;
  std::vector<std::unique_ptr<GridCell>> m_cells;  // in the order of their places
};

}  // namespace tactus::ui
