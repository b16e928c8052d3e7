// SPDX-License-Identifier: Apache-2.0
#include "ui/windows/viewer.h"

#include <QQmlContext>
#include <QQmlEngine>
#include <utility>

#include "ui/models/actions.h"
#include "ui/models/player_model.h"
#include "ui/models/priority_memory.h"
#include "ui/models/window_model.h"
#include "ui/video/video_tile.h"

namespace tactus::ui {

Viewer::~Viewer() {
  m_claim.reset();
  if (m_model && m_model->player() != nullptr) m_model->player()->stop();
}

Result<std::unique_ptr<Viewer>> Viewer::create(FilmOptions options, periodic::Scheduler& scheduler) {
  std::unique_ptr<Viewer> self(new Viewer);
  self->m_output = options.output.output;
  self->m_memory = options.memory;
  self->m_termsGiven = options.termsGiven;
  self->m_tile = std::make_unique<VideoTile>(options.output.output);
  QQmlEngine::setObjectOwnership(self->m_tile.get(), QQmlEngine::CppOwnership);
  self->m_model =
      std::make_unique<PlayerModel>(scheduler, options.player, self->m_tile->target(),
                                    RecentFiles(RecentFiles::defaultPath()), options.output.reason);
  auto* model = self->m_model.get();
  if (!model->creationError().isEmpty())
    return Error{ErrorCode::System, model->creationError().toStdString()};
  if (options.governor != nullptr) {
    self->m_named = !options.terms.name.empty();
    self->m_claim =
        std::make_unique<WindowModel>(*options.governor, *model->player(), options.terms, options.entry);
  }
  // The film is opened, paused, while the window is being made: the two take about as long.
  model->setVolume(options.volume);
  if (options.muted) model->setMuted(true);
  model->setLoop(options.loop);
  model->setStatsVisible(options.showStats);
  if (options.speed != 1.0) model->setSpeed(options.speed);
  if (!options.playlist.isEmpty()) model->openAll(options.playlist, true, options.startSeconds);
  for (const auto& file : options.subtitles) model->addSubtitleFile(file);
  self->m_begins = !options.playlist.isEmpty() && !options.paused && !model->lastFailed();
  if (self->m_begins) model->expectStart();

  auto* raw = self.get();
  if (auto* claim = self->m_claim.get()) {
    connect(model, &PlayerModel::priorityRequested, claim, [claim, model](const QString& priority) {
      claim->choosePriority(priority);
      if (const auto* action = actionNamed("priority-" + priority)) model->showToast(textOf(*action));
    });
    connect(claim, &WindowModel::termsChosen, raw, [raw, claim, model](bool forAll) {
      if (raw->m_memory == nullptr) return;
      raw->m_memory->keep(model->uri(), claim->terms());
      if (forAll) raw->m_memory->keepForRole(PriorityMemory::roleOf(model->uri()), claim->terms());
    });
    connect(model, &PlayerModel::infoChanged, raw, &Viewer::recall);
    raw->recall();
  }
  return self;
}

/// Gives the claim the film's name, and the terms that are remembered for it.
void Viewer::recall() {
  if (!m_named) m_claim->setName(m_model->title());
  const QString uri = m_model->uri();
  if (m_memory == nullptr || m_termsGiven || uri.isEmpty() || uri == m_recalled) return;
  m_recalled = uri;
  auto terms = m_memory->recall(uri);
  // Terms that were remembered for the film before do not hold for this one.
  if (terms || m_fromMemory)
    m_claim->amend(media::TermsPatch::allButName(terms.value_or(media::WindowTerms{})));
  m_fromMemory = terms.has_value();
}

FilmLoad Viewer::load() const {
  FilmLoad load;
  load.film = this;
  load.name = m_model->title();
  load.playing = m_model->playing();
  if (m_model->state() == QLatin1String("buffering")) load.buffering = m_model->buffering();
  load.statistics = m_model->player()->statistics();
  if (m_claim) {
    load.name = QString::fromStdString(m_claim->terms().name);
    load.priority = m_claim->priority();
    load.window = m_claim->state();
  }
  return load;
}

void Viewer::describeTo(QQmlContext& context) {
  context.setContextProperty("player", m_model.get());
  context.setContextProperty("videoTile", m_tile.get());
  context.setContextProperty("window", m_claim.get());
}

void Viewer::begin() {
  if (std::exchange(m_begins, false)) m_model->player()->play();
}

}  // namespace tactus::ui
