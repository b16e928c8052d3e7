// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaObject>
#include <QTimer>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/periodic/scheduler.h"
#include "ui/video_output.h"

class QQuickWindow;

namespace tactus::ui {

class VideoTile;

/// The thread that draws is part of the display stage: a task of its own while a film plays, bound to
/// whichever thread renders (the GUI thread on the software scene graph), bounded to 60 % of a CPU by the
/// watchdog.
class RenderStage {
 public:
  RenderStage(periodic::Scheduler& scheduler, QQuickWindow& window, VideoOutput output);
  ~RenderStage();
  RenderStage(const RenderStage&) = delete;
  RenderStage& operator=(const RenderStage&) = delete;
  /// Whose pictures count. GUI thread.
  void addTile(VideoTile& tile);
  void removeTile(VideoTile& tile);
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

  void onBeforeRendering();
  void onAfterRendering();

  const std::shared_ptr<Life> m_life = std::make_shared<Life>();
  std::unique_ptr<periodic::Task> m_task;
  double m_rate = 0;
  const bool m_guiThreadDraws;
  QTimer m_rest;
  std::atomic<bool> m_active{false};
  pid_t m_bound = 0;  // render thread
  QMetaObject::Connection m_before, m_after;
};

}  // namespace tactus::ui
