// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/call_window.h"

#include <QQmlContext>
#include <QQmlEngine>
#include <QQuickItem>
#include <QQuickWindow>
#include <QtDebug>
#include <algorithm>
#include <set>
#include <utility>

#include "ui/models/call_catalogue.h"
#include "ui/models/call_invitation.h"
#include "ui/models/text.h"
#include "ui/video/render_stage.h"
#include "ui/video/video_tile.h"
#include "ui/windows/call_cell.h"
#include "ui/windows/grid_layout.h"
#include "ui/windows/qml_scene.h"

namespace tactus::ui {
namespace {

constexpr double kPictures = 30;  // a second that a call may show

conference::TrackPriority linePriorityOf(bool large, const QString& priority) {
  if (large || priority == QLatin1String("high")) return conference::TrackPriority::High;
  return priority == QLatin1String("background") ? conference::TrackPriority::Low
                                                 : conference::TrackPriority::Normal;
}

}  // namespace

std::shared_ptr<TileTarget> CallWindow::Targets::of(const conference::StreamKey& key) {
  const std::lock_guard lock(m_mutex);
  auto& target = m_targets[key];
  if (!target) target = makeTileTarget(m_output);
  return target;
}

/// A screen may be shared again: what goes with the participant is kept until it has left.
void CallWindow::Targets::keepOnly(const std::vector<CallTileFacts>& tiles) {
  std::set<conference::ParticipantSid> present;
  for (const CallTileFacts& tile : tiles) present.insert(tile.key.publisher);
  const std::lock_guard lock(m_mutex);
  std::erase_if(m_targets, [&](const auto& each) { return !present.contains(each.first.publisher); });
}

CallWindow::CallWindow(VideoOutput output, media::LoadGovernor* governor, periodic::Scheduler& scheduler)
    : m_governor(governor), m_scheduler(scheduler), m_targets(output), m_preview(makeTileTarget(output)) {}

CallWindow::~CallWindow() {
  if (m_window != nullptr) m_window->hide();
  // A tile that goes while its pictures are drawn tells so.
  for (const auto& cell : m_cells) cell->tile().disconnect(this);
  m_render.reset();
  m_cells.clear();
  if (m_mirror) m_mirror->setParentItem(nullptr);
  m_scene.reset();  // the QML goes before what it is bound to
}

Result<std::unique_ptr<CallWindow>> CallWindow::create(Options options, periodic::Scheduler& scheduler) {
  std::unique_ptr<CallWindow> self(
      new CallWindow(options.output.output, options.call.attendance.governor, scheduler));
  if (auto built = self->build(std::move(options)); !built.ok()) return built.error();
  return self;
}

Result<void> CallWindow::build(Options options) {
  auto& attendance = options.call.attendance;
  attendance.target = [this](const conference::StreamKey& key) { return m_targets.of(key); };
  attendance.preview = m_preview;
  attendance.invited = [this](const conference::InvitationInfo& invitation) {
    QMetaObject::invokeMethod(
        this, [this, invitation] { m_invitation->take(invitation); }, Qt::QueuedConnection);
  };
  const QString link = text(options.call.link);
  m_call = std::make_unique<CallModel>(std::move(options.call), m_scheduler);
  if (options.memory) {
    m_prejoin = std::make_unique<PrejoinModel>(*options.memory, options.given, m_preview);
    m_mirror = std::make_unique<VideoTile>(m_preview);
    QQmlEngine::setObjectOwnership(m_mirror.get(), QQmlEngine::CppOwnership);
  }
  m_invitation = std::make_unique<CallInvitation>(*m_call, link, text(options.invitation));
  m_actions = std::make_unique<CallCatalogue>();
  m_scene = QmlScene::load(QStringLiteral("CallWindow.qml"),
                           [this, hosting = options.hosting](QQmlContext& context) {
                             context.setContextProperty("hosting", hosting);
                             context.setContextProperty("call", m_call.get());
                             context.setContextProperty("actions", m_actions.get());
                             context.setContextProperty("invitation", m_invitation.get());
                             context.setContextProperty("prejoin", m_prejoin.get());
                             context.setContextProperty("videoTile", m_mirror.get());
                           });
  if (!m_scene)
    return Error{ErrorCode::Unsupported,
                 "The window cannot be made: a Qt Quick module is missing (see above)."};
  m_window = &m_scene->window();
  m_field = m_window->findChild<QQuickItem*>(QStringLiteral("field"));
  m_render = std::make_unique<RenderStage>(m_scheduler, *m_window, options.output.output);
  m_render->setRate(kPictures);
  connectModel();
  if (!options.size.isEmpty()) m_window->resize(options.size);
  if (options.fullScreen) m_window->showFullScreen();
  if (m_prejoin) {
    m_render->addTile(*m_mirror);
    connect(m_prejoin.get(), &PrejoinModel::joined, this, &CallWindow::join, Qt::QueuedConnection);
  } else {
    m_call->start();
  }
  return {};
}

/// All is chosen.
void CallWindow::join() {
  std::vector<media::OutgoingTrack> tracks;
  if (const auto camera = m_prejoin->source(media::MediaKind::Video))
    tracks.push_back(media::OutgoingTrack::camera("camera", *camera));
  if (const auto microphone = m_prejoin->source(media::MediaKind::Audio))
    tracks.push_back(media::OutgoingTrack::audio("microphone", *microphone));
  m_call->start(m_prejoin->name().trimmed(), std::move(tracks));  // the page goes
  m_render->removeTile(*m_mirror);
  m_scene->context().setContextProperty("videoTile", nullptr);
  m_scene->context().setContextProperty("prejoin", nullptr);
  m_mirror.reset();  // the target is for the tile of the call
  m_prejoin.reset();
}

void CallWindow::connectModel() {
  auto* call = m_call.get();
  connect(call, &CallModel::tilesChanged, this, &CallWindow::follow);
  connect(call, &CallModel::layoutChanged, this, &CallWindow::arrange);
  connect(call, &CallModel::looked, this, &CallWindow::followWindows);
  connect(call, &CallModel::priorityRequested, this, [this](const QString& priority) {
    for (const auto& cell : m_cells) {
      if (cell->window() == nullptr || !cell->item().hasActiveFocus()) continue;
      cell->window()->choosePriority(priority);
      m_call->showToast(cell->name() + ": " + CallCatalogue::text("priority-" + priority));
    }
  });
  connect(call, &CallModel::loadRequested, this, &CallWindow::loadRequested);
  connect(call, &CallModel::newWindowRequested, this, &CallWindow::newWindowRequested);
  connect(call, &CallModel::leaveRequested, m_window, &QWindow::close, Qt::QueuedConnection);
  connect(call, &CallModel::fullScreenToggled, this, [this] {
    m_window->visibility() == QWindow::FullScreen ? m_window->showNormal() : m_window->showFullScreen();
  });
  connect(call, &CallModel::escaped, this, [this] {
    if (!m_call->panel().isEmpty()) return m_call->togglePanel(m_call->panel());
    if (m_window->visibility() == QWindow::FullScreen) m_window->showNormal();
  });
  connect(m_field, &QQuickItem::widthChanged, this, &CallWindow::arrange);
  connect(m_field, &QQuickItem::heightChanged, this, &CallWindow::arrange);
  connect(m_window, &QWindow::visibilityChanged, this, &CallWindow::tellPlaces);
  connect(m_window, &QWindow::visibleChanged, this, [this](bool visible) {
    if (!visible) Q_EMIT closed();
  });
}

/// A cell for each tile of the call, in its order.
void CallWindow::follow() {
  const auto& tiles = m_call->tiles();
  std::vector<std::unique_ptr<CallCell>> before = std::exchange(m_cells, {});
  for (const CallTileFacts& facts : tiles) {
    const auto found = std::find_if(before.begin(), before.end(),
                                    [&](const auto& cell) { return cell && cell->facts().key == facts.key; });
    if (found != before.end()) {
      m_cells.push_back(std::move(*found));
    } else if (auto cell = newCell(facts)) {
      m_cells.push_back(std::move(cell));
    }
  }
  for (const auto& gone : before)
    if (gone) m_render->removeTile(gone->tile());
  before.clear();
  m_targets.keepOnly(tiles);
  // What is told now finds all cells in their places.
  for (const auto& cell : m_cells) {
    const auto facts = std::find_if(tiles.begin(), tiles.end(),
                                    [&](const CallTileFacts& tile) { return tile.key == cell->facts().key; });
    cell->update(*facts);
  }
  arrange();
  followPictures();
}

std::unique_ptr<CallCell> CallWindow::newCell(const CallTileFacts& facts) {
  auto cell = std::make_unique<CallCell>(facts, facts.you ? m_preview : m_targets.of(facts.key));
  if (const auto shown = cell->show(m_scene->context(), m_scene->engine(), *m_field); !shown) {
    qWarning("%s", shown.error().message.c_str());
    return nullptr;
  }
  m_render->addTile(cell->tile());
  connect(cell.get(), &CallCell::pinnedChanged, this, &CallWindow::arrange);
  connect(cell.get(), &CallCell::claimChanged, this, &CallWindow::tellPlaces);
  // All read the chat: the name says who is meant.
  connect(cell.get(), &CallCell::tellRequested, this, [this, told = cell.get()](const QString& sentence) {
    m_call->say(told->name() + QStringLiteral(": ") + sentence);
    m_call->showToast(tr("%1 is told in the chat").arg(told->name()));
  });
  connect(&cell->tile(), &VideoTile::straightChanged, this, &CallWindow::followPictures);
  return cell;
}

/// What the user has pinned is large; else a shared screen, or who speaks, if that is the layout.
std::vector<bool> CallWindow::large() const {
  std::vector<bool> large;
  bool any = false;
  for (const auto& cell : m_cells) {
    large.push_back(cell->pinned());
    any = any || cell->pinned();
  }
  const auto* spotlight = m_call->spotlight();
  if (any || spotlight == nullptr) return large;
  if (!m_call->speakerLarge() && spotlight->key.name != conference::StreamName::Screen) return large;
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = m_cells[i]->facts().key == spotlight->key;
  return large;
}

void CallWindow::arrange() {
  const auto places = gridPlaces(large(), m_field->size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    auto& item = m_cells[i]->item();
    item.setPosition(places[i].topLeft());
    item.setSize(places[i].size());
  }
  tellPlaces();
}

void CallWindow::followWindows() {
  for (const auto& cell : m_cells) cell->followWindow(m_governor, m_call->windowOf(cell->facts().key));
  tellPlaces();
}

/// What is large is looked at: under overload of a line it keeps its pictures longest.
void CallWindow::tellPlaces() {
  if (m_cells.empty()) return;
  conference::TrackSettings::Shown shown;
  const auto large = this->large();
  const double pixels = m_window->devicePixelRatio();
  for (std::size_t i = 0; i < m_cells.size(); ++i) {
    CallCell& cell = *m_cells[i];
    if (cell.you()) continue;
    const QSizeF size = cell.item().size() * pixels;
    const auto* window = cell.window();
    shown[cell.facts().key] = {
        .visible = m_window->visibility() != QWindow::Minimized,
        .place = {static_cast<int>(size.width()), static_cast<int>(size.height())},
        .priority = linePriorityOf(large[i], window != nullptr ? window->priority() : QString())};
  }
  m_call->show(std::move(shown));
}

std::vector<FilmLoad> CallWindow::loads() const {
  std::vector<FilmLoad> loads;
  const auto tasks = m_scheduler.report();
  for (const auto& cell : m_cells) {
    const auto* window = cell->window();
    const auto state = window != nullptr ? window->state() : std::nullopt;
    if (!state) continue;
    FilmLoad load;
    load.film = cell.get();
    load.name = text(state->terms.name);
    load.priority = window->priority();
    load.playing = cell->pictured();
    load.statistics.presented = cell->tile().target()->shown();
    load.statistics.nominalRate = state->nominalRate;
    for (const auto& task : tasks)
      if (task.contract.name.starts_with(state->terms.name + ": ")) load.statistics.stages.push_back(task);
    load.window = state;
    loads.push_back(std::move(load));
  }
  return loads;
}

/// Who draws keeps its class while pictures come that the scene graph draws.
void CallWindow::followPictures() {
  bool active = false;
  bool straight = true;
  for (const auto& cell : m_cells) {
    active = active || cell->pictured();
    straight = straight && (!cell->pictured() || cell->tile().straight());
  }
  m_render->setBypassed(straight);
  m_render->setActive(active);
}

}  // namespace tactus::ui
