// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/grid_window.h"

#include <QGuiApplication>
#include <QQmlComponent>
#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <algorithm>

#include "ui/models/player_model.h"
#include "ui/models/window_model.h"
#include "ui/video/render_stage.h"
#include "ui/video/video_tile.h"
#include "ui/windows/grid_layout.h"
#include "ui/windows/qml_scene.h"

namespace tactus::ui {

GridCell::GridCell(GridWindow& grid, std::unique_ptr<Viewer> viewer)
    : m_grid(grid), m_viewer(std::move(viewer)), m_links(std::make_unique<QObject>()) {}

GridCell::~GridCell() {
  m_links.reset();
  // The QML goes first: it is bound to what the viewer has.
  if (m_viewer) m_viewer->tile().setParentItem(nullptr);
  m_item.reset();
}

void GridCell::togglePin() {
  m_pinned = !m_pinned;
  Q_EMIT changed();
  m_grid.arrange();
}

void GridCell::detach() {
  Q_EMIT m_grid.detachRequested(m_viewer.get());
}

void GridCell::close() {
  Q_EMIT m_grid.closeRequested(m_viewer.get());
}

void GridCell::dropped(double x, double y) {
  m_grid.swapPlaces(*this, x, y);
}

void GridCell::focused() {
  m_grid.hearOnly(*this);
}

Result<std::unique_ptr<GridWindow>> GridWindow::create(const WindowOptions& options,
                                                       periodic::Scheduler& scheduler) {
  std::unique_ptr<GridWindow> self(new GridWindow);
  self->m_scene = QmlScene::load(QStringLiteral("GridWindow.qml"), [&](QQmlContext& context) {
    context.setContextProperty("grid", self.get());
  });
  if (!self->m_scene) {
    return Error{ErrorCode::Unsupported,
                 "The window cannot be made: a Qt Quick module is missing (see above)."};
  }
  self->m_window = &self->m_scene->window();
  self->m_field = self->m_window->findChild<QQuickItem*>(QStringLiteral("field"));
  self->m_render = std::make_unique<RenderStage>(scheduler, *self->m_window, options.output.output);
  auto* raw = self.get();
  connect(self->m_field, &QQuickItem::widthChanged, raw, &GridWindow::arrange);
  connect(self->m_field, &QQuickItem::heightChanged, raw, &GridWindow::arrange);
  connect(self->m_window, &QWindow::visibleChanged, raw, [raw](bool visible) {
    if (!visible) Q_EMIT raw->closed();
  });
  if (!options.size.isEmpty()) self->m_window->resize(options.size);
  if (options.position) self->m_window->setPosition(*options.position);
  if (options.fullScreen) self->m_window->showFullScreen();
  return self;
}

GridWindow::~GridWindow() {
  m_render.reset();
  m_cells.clear();
  m_scene.reset();
}

Result<void> GridWindow::add(std::unique_ptr<Viewer> viewer) {
  auto cell = std::make_unique<GridCell>(*this, std::move(viewer));
  auto& shown = cell->viewer();
  cell->m_context = std::make_unique<QQmlContext>(&m_scene->context());
  shown.describeTo(*cell->m_context);
  cell->m_context->setContextProperty("cell", cell.get());
  QQmlComponent component(&m_scene->engine(), QUrl(QStringLiteral("qrc:/tactus/qml/GridTile.qml")));
  cell->m_item.reset(qobject_cast<QQuickItem*>(component.create(cell->m_context.get())));
  if (!cell->m_item) return Error{ErrorCode::System, component.errorString().toStdString()};
  QQmlEngine::setObjectOwnership(cell->m_item.get(), QQmlEngine::CppOwnership);
  cell->m_item->setParentItem(m_field);
  m_render->addTile(shown.tile());

  auto* links = cell->m_links.get();
  auto* model = &shown.model();
  auto* raw = cell.get();
  connect(model, &PlayerModel::stateChanged, links, [this] { followActivity(); });
  connect(&shown.tile(), &VideoTile::straightChanged, links, [this] { followActivity(); });
  connect(model, &PlayerModel::callRequested, links,
          [this](const QString& link) { Q_EMIT callRequested(link); });
  connect(model, &PlayerModel::newWindowRequested, links, [this] { Q_EMIT newWindowRequested(); });
  connect(model, &PlayerModel::loadRequested, links, [this] { Q_EMIT loadRequested(); });
  connect(model, &PlayerModel::gridRequested, links, [raw] { raw->detach(); });
  connect(model, &PlayerModel::closeRequested, links, [raw] { raw->close(); });
  connect(model, &PlayerModel::quitRequested, links, &QGuiApplication::quit, Qt::QueuedConnection);
  connect(model, &PlayerModel::fullScreenToggled, links, [this] {
    m_window->visibility() == QWindow::FullScreen ? m_window->showNormal() : m_window->showFullScreen();
  });
  connect(model, &PlayerModel::helpToggled, links, [this] { showHelp(!helpShown()); });
  connect(model, &PlayerModel::fullScreenLeft, links, [this] {
    if (helpShown()) return showHelp(false);
    if (m_window->visibility() == QWindow::FullScreen) m_window->showNormal();
  });
  if (auto* claim = shown.claim()) {
    connect(claim, &WindowModel::closeRequested, links, [raw] { raw->close(); });
    // Small it is already: what is left is to stand back.
    connect(claim, &WindowModel::closeOtherRequested, links,
            [this](quint64 window) { Q_EMIT closeOtherRequested(window); });
  }
  // Only one is heard, or nobody can follow any.
  if (!m_cells.empty()) model->setMuted(true);
  m_cells.push_back(std::move(cell));
  arrange();
  followActivity();
  if (m_cells.size() == 1) m_cells.front()->m_item->forceActiveFocus();
  shown.begin();
  return {};
}

std::unique_ptr<Viewer> GridWindow::release(Viewer& viewer) {
  const auto found = std::find_if(m_cells.begin(), m_cells.end(),
                                  [&](const auto& cell) { return cell->m_viewer.get() == &viewer; });
  if (found == m_cells.end()) return nullptr;
  m_render->removeTile(viewer.tile());
  viewer.tile().setParentItem(nullptr);
  auto released = std::move((*found)->m_viewer);
  released->model().setMuted(false);
  const bool focused = (*found)->m_item->hasActiveFocus();
  const auto next = m_cells.erase(found);
  arrange();
  followActivity();
  // Keys have somewhere to go, and somebody is heard.
  if (focused && !m_cells.empty())
    (next != m_cells.end() ? *next : m_cells.back())->m_item->forceActiveFocus();
  return released;
}

/// One for each cell.
std::vector<QRectF> GridWindow::places() const {
  std::vector<bool> pinned;
  for (const auto& cell : m_cells) pinned.push_back(cell->m_pinned);
  return gridPlaces(pinned, m_field->size());
}

void GridWindow::arrange() {
  m_field->setProperty("count", static_cast<int>(m_cells.size()));
  const auto here = places();
  for (std::size_t i = 0; i < m_cells.size(); ++i) {
    auto& item = *m_cells[i]->m_item;
    item.setPosition(here[i].topLeft());
    item.setSize(here[i].size());
  }
}

bool GridWindow::helpShown() const {
  return m_field->property("helpShown").toBool();
}

void GridWindow::showHelp(bool shown) {
  m_field->setProperty("helpShown", shown);
}

void GridWindow::swapPlaces(GridCell& cell, double x, double y) {
  const auto here = places();
  const auto own =
      std::find_if(m_cells.begin(), m_cells.end(), [&](const auto& each) { return each.get() == &cell; });
  for (std::size_t i = 0; i < here.size(); ++i) {
    if (!here[i].contains(x, y)) continue;
    std::swap((*own)->m_pinned, m_cells[i]->m_pinned);  // large is the place, not the film
    std::swap(*own, m_cells[i]);
    Q_EMIT cell.changed();
    break;
  }
  for (const auto& each : m_cells) Q_EMIT each->changed();
  arrange();
}

void GridWindow::hearOnly(GridCell& cell) {
  for (const auto& each : m_cells) each->viewer().model().setMuted(each.get() != &cell);
}

void GridWindow::followActivity() {
  bool active = false;
  bool straight = true;
  double rate = 0;
  for (const auto& cell : m_cells) {
    auto& model = cell->viewer().model();
    active = active || model.active();
    straight = straight && (!model.active() || cell->viewer().tile().straight());
    if (const auto* player = model.player()) rate = std::max(rate, player->statistics().nominalRate);
  }
  m_render->setBypassed(straight);
  m_render->setActive(active);
  m_render->setRate(rate);
}

void GridWindow::openUrls(const QList<QUrl>& urls) {
  for (const auto& url : urls) Q_EMIT filmRequested(url.isLocalFile() ? url.toLocalFile() : url.toString());
}

}  // namespace tactus::ui
