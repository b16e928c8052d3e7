// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaObject>
#include <QTimer>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/periodic/task/scheduler.h"
#include "ui/video/video_output.h"

class QQuickWindow;

namespace tactus::ui {

class VideoTile;

/// The thread that draws is part of the display stage: a task of its own while a film plays, bound to
/// whichever thread renders, bounded to 60 % of a CPU by the watchdog. On the software scene graph the GUI
/// thread draws all windows: they share one task.
class RenderStage {
 public:
  RenderStage(periodic::Scheduler& scheduler, QQuickWindow& window, VideoOutput output);
  ~RenderStage();
  RenderStage(const RenderStage&) = delete;
  RenderStage& operator=(const RenderStage&) = delete;
  /// Whose pictures count. GUI thread.
  void addTile(VideoTile& tile);
  void removeTile(VideoTile& tile);
  /// It draws nothing for now, since the pictures go round it: no class for so long. GUI thread.
  void setBypassed(bool bypassed);
  /// The renderer keeps its class while a film is opened or plays, and a second longer: the last pictures and
  /// the controls that come back at the end are drawn in time too. GUI thread.
  void setActive(bool active);
  /// Pictures a second that are to be drawn; 0 = unknown. GUI thread.
  void setRate(double perSecond);

 private:
  /// The render thread may be in a slot of ours when the stage ends on the GUI thread.
  struct Life {
    std::mutex mutex;
    bool over = false;
    std::vector<VideoTile*> tiles;
  };

  /// What the windows that one thread draws have in common. GUI thread, but for the task.
  struct Shared {
    std::unique_ptr<periodic::Task> task;  // null if it was refused
    std::map<const RenderStage*, double> rates;
    int active = 0;
  };

  [[nodiscard]] static std::shared_ptr<Shared> shared(periodic::Scheduler& scheduler, VideoOutput output);
  void rest();
  void wake();
  void onBeforeRendering();
  void onAfterRendering();

  const std::shared_ptr<Life> m_life = std::make_shared<Life>();
  const std::shared_ptr<Shared> m_shared;
  const bool m_guiThreadDraws;
  QTimer m_rest;
  bool m_wanted = false, m_bypassed = false;
  std::atomic<bool> m_active{false};
  pid_t m_bound = 0;  // render thread
  QMetaObject::Connection m_before, m_after;
};

}  // namespace tactus::ui
