// SPDX-License-Identifier: Apache-2.0
#include "ui/render_stage.h"

#include <QQuickWindow>

#include "ui/video_tile.h"

namespace tactus::ui {

RenderStage::RenderStage(periodic::Scheduler& scheduler, QQuickWindow& window, VideoOutput output)
    : m_guiThreadDraws(output == VideoOutput::Software) {
  m_rest.setSingleShot(true);
  m_rest.setInterval(1000);
  QObject::connect(&m_rest, &QTimer::timeout, &m_rest, [this] {
    m_active.store(false, std::memory_order_relaxed);
    if (m_task) m_task->bind(0);
  });
  periodic::TaskContract contract;
  contract.name = "render";
  contract.stage = periodic::Stage::Render;
  contract.lbap.rate = periodic::Rate::perSecond(60);
  contract.deadline = std::chrono::milliseconds(33);  // two refreshes of a 60 Hz screen
  contract.cpuCap = 0.6;
  contract.early = periodic::EarlyPackets::Clocked;  // it draws when there is something to draw
  contract.enforces = false;                         // and is as idle as the window
  auto task = scheduler.adopt(std::move(contract), 0);
  if (!task.ok()) return;  // cannot be: the contract is a constant
  m_task = std::move(task).value();
  // Direct: these signals come on the thread that renders.
  const auto whileAlive = [this](void (RenderStage::*slot)()) {
    return [this, slot, life = m_life] {
      const std::lock_guard lock(life->mutex);
      if (!life->over) (this->*slot)();
    };
  };
  m_before = QObject::connect(&window, &QQuickWindow::beforeRendering, &window,
                              whileAlive(&RenderStage::onBeforeRendering), Qt::DirectConnection);
  m_after = QObject::connect(&window, &QQuickWindow::afterRendering, &window,
                             whileAlive(&RenderStage::onAfterRendering), Qt::DirectConnection);
}

RenderStage::~RenderStage() {
  QObject::disconnect(m_before);
  QObject::disconnect(m_after);
  const std::lock_guard lock(m_life->mutex);
  m_life->over = true;
}

void RenderStage::addTile(VideoTile& tile) {
  const std::lock_guard lock(m_life->mutex);
  m_life->tiles.push_back(&tile);
}

void RenderStage::removeTile(VideoTile& tile) {
  const std::lock_guard lock(m_life->mutex);
  std::erase(m_life->tiles, &tile);
}

void RenderStage::setActive(bool active) {
  if (!active) {
    if (!m_rest.isActive() && m_active.load(std::memory_order_relaxed)) m_rest.start();
    return;
  }
  m_rest.stop();
  m_active.store(true, std::memory_order_relaxed);
  // Before the first picture, not with it: on a loaded machine the first would be late.
  if (m_task && m_guiThreadDraws) m_task->bind(m_bound = periodic::currentThreadId());
}

void RenderStage::setRate(double perSecond) {
  if (!m_task || perSecond <= 0 || perSecond == m_rate) return;
  const auto rate = periodic::Rate::fromPeriod(
      std::chrono::duration_cast<periodic::Duration>(std::chrono::duration<double>(1 / perSecond)));
  if (!rate.ok()) return;
  m_rate = perSecond;
  m_task->change(periodic::LbapContract{rate.value()});
}

void RenderStage::onBeforeRendering() {
  if (!m_task || !m_active.load(std::memory_order_relaxed)) {
    m_bound = 0;
    return;
  }
  if (m_bound != periodic::currentThreadId()) {
    m_bound = periodic::currentThreadId();
    m_task->bind(m_bound);
  }
  bool drawn = false;
  for (auto* tile : m_life->tiles) drawn = tile->newPictureDrawn() || drawn;
  if (drawn) m_task->pass();
}

void RenderStage::onAfterRendering() {
  if (m_bound != 0) m_task->complete();
}

}  // namespace tactus::ui
