// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaObject>
#include <QPointer>
#include <atomic>
#include <memory>

#include "core/periodic/scheduler.h"

class QQuickWindow;

namespace tactus::ui {

class VideoTile;

/// The thread that draws is part of the display stage: a task of its own while a film plays, bound to
/// whichever thread renders (the GUI thread on the software scene graph), bounded to 60 % of a CPU by the
/// watchdog.
class RenderStage {
 public:
  RenderStage(periodic::Scheduler& scheduler, QQuickWindow& window, VideoTile& tile);
  ~RenderStage();
  RenderStage(const RenderStage&) = delete;
  RenderStage& operator=(const RenderStage&) = delete;
  /// Only while playing does the renderer keep a class. GUI thread.
  void setPlaying(bool playing);

 private:
  void onBeforeRendering();
  void onAfterRendering();

  std::unique_ptr<periodic::Task> m_task;
  VideoTile& m_tile;
  std::atomic<bool> m_playing{false};
  pid_t m_bound = 0;  // render thread
  QMetaObject::Connection m_before, m_after;
};

}  // namespace tactus::ui
