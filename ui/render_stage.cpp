// SPDX-License-Identifier: Apache-2.0
#include "ui/render_stage.h"

#include <QQuickWindow>

#include "ui/video_tile.h"

namespace tactus::ui {

RenderStage::RenderStage(periodic::Scheduler& scheduler, QQuickWindow& window, VideoTile& tile)
    : m_tile(tile) {
  periodic::TaskContract contract;
  contract.name = "render";
  contract.stage = periodic::Stage::Render;
  contract.lbap.rate = periodic::Rate::perSecond(60);
  contract.deadline = std::chrono::milliseconds(33);  // two refreshes of a 60 Hz screen
  contract.cpuCap = 0.6;
  auto task = scheduler.adopt(std::move(contract), 0);
  if (!task.ok()) return;  // cannot be: the contract is a constant
  m_task = std::move(task).value();
  // Direct: these signals come on the thread that renders.
  m_before = QObject::connect(
      &window, &QQuickWindow::beforeRendering, &window, [this] { onBeforeRendering(); },
      Qt::DirectConnection);
  m_after = QObject::connect(
      &window, &QQuickWindow::afterRendering, &window, [this] { onAfterRendering(); }, Qt::DirectConnection);
}

RenderStage::~RenderStage() {
  QObject::disconnect(m_before);
  QObject::disconnect(m_after);
}

void RenderStage::setPlaying(bool playing) {
  m_playing.store(playing, std::memory_order_relaxed);
  if (!playing && m_task) m_task->bind(0);
}

void RenderStage::onBeforeRendering() {
  if (!m_task || !m_playing.load(std::memory_order_relaxed)) {
    m_bound = 0;
    return;
  }
  if (m_bound != periodic::currentThreadId()) {
    m_bound = periodic::currentThreadId();
    m_task->bind(m_bound);
  }
  if (m_tile.newPictureDrawn()) m_task->pass();
}

void RenderStage::onAfterRendering() {
  if (m_bound != 0) m_task->complete();
}

}  // namespace tactus::ui
