// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QStringList>
#include <memory>

#include "core/periodic/task/scheduler.h"
#include "media/playback/player.h"
#include "media/sharing/load_governor.h"
#include "ui/models/film_load.h"
#include "ui/video/video_output.h"

class QQmlContext;

namespace tactus::ui {

class PlayerModel;
class PriorityMemory;
class VideoTile;
class WindowModel;

struct FilmOptions {
  OutputChoice output;
  QStringList playlist;
  QStringList subtitles;
  bool paused = false, loop = false, showStats = false, muted = false;
  double volume = 1.0, speed = 1.0, startSeconds = 0;
  media::PlayerConfig player;
  media::LoadGovernor* governor = nullptr;  ///< must outlive the viewer; null = no film gives way
  media::WindowTerms terms;
  bool termsGiven = false;  ///< the command line states them: remembered terms do not count
  media::LoadGovernor::Entry entry = media::LoadGovernor::Entry::Admitted;
  PriorityMemory* memory = nullptr;  ///< must outlive the viewer; null = nothing is remembered
};

/// A film, the tile that shows it and its claim on the machine. A window has one, a grid several; a viewer
/// moves from one to the other. GUI thread.
class Viewer : public QObject {
  Q_OBJECT

 public:
  /// chooseVideoOutput() comes first. `scheduler` must outlive the viewer.
  [[nodiscard]] static Result<std::unique_ptr<Viewer>> create(FilmOptions options,
                                                              periodic::Scheduler& scheduler);
  ~Viewer() override;
  [[nodiscard]] PlayerModel& model() { return *m_model; }
  [[nodiscard]] VideoTile& tile() { return *m_tile; }
  [[nodiscard]] VideoOutput output() const { return m_output; }
  /// Null without a governor.
  [[nodiscard]] WindowModel* claim() { return m_claim.get(); }
  /// What the load window shows of it.
  [[nodiscard]] FilmLoad load() const;
  /// Makes "player", "videoTile" and "window" known to the QML of this context.
  void describeTo(QQmlContext& context);
  /// Starts the first film, once there is a window to see it in.
  void begin();

 private:
  Viewer() = default;
  void recall();

  std::unique_ptr<VideoTile> m_tile;
  std::unique_ptr<PlayerModel> m_model;
  std::unique_ptr<WindowModel> m_claim;
  VideoOutput m_output = VideoOutput::Software;
  PriorityMemory* m_memory = nullptr;
  bool m_begins = false;
  bool m_named = false;
  bool m_termsGiven = false, m_fromMemory = false;
  QString m_recalled;  // the film whose terms are in force
};

}  // namespace tactus::ui
