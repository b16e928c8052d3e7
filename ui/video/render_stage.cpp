// SPDX-License-Identifier: Apache-2.0
#include "ui/video/render_stage.h"

#include <QQuickWindow>
#include <algorithm>

#include "ui/video/video_tile.h"

namespace tactus::ui {

std::shared_ptr<RenderStage::Shared> RenderStage::shared(periodic::Scheduler& scheduler, VideoOutput output) {
  static std::map<const periodic::Scheduler*, std::weak_ptr<Shared>> guiThreads;
  const bool guiThreadDraws = output == VideoOutput::Software;
  if (guiThreadDraws) {
    if (auto present = guiThreads[&scheduler].lock()) return present;
  }
  auto made = std::make_shared<Shared>();
  periodic::TaskContract contract = periodic::contractOf(periodic::Stage::Render);
  contract.deadline = std::chrono::milliseconds(33);  // two refreshes of a 60 Hz screen
  contract.cpuCap = 0.6;
  contract.early = periodic::EarlyPackets::Clocked;  // it draws when there is something to draw
  contract.enforces = false;                         // and is as idle as the window
  auto task = scheduler.adopt(std::move(contract), 0);
  if (task.ok()) made->task = std::move(task).value();  // else cannot be: the contract is a constant
  if (guiThreadDraws) guiThreads[&scheduler] = made;
  return made;
}

RenderStage::RenderStage(periodic::Scheduler& scheduler, QQuickWindow& window, VideoOutput output)
    : m_shared(shared(scheduler, output)), m_guiThreadDraws(output == VideoOutput::Software) {
  m_rest.setSingleShot(true);
  m_rest.setInterval(1000);
  QObject::connect(&m_rest, &QTimer::timeout, &m_rest, [this] { rest(); });
  if (!m_shared->task) return;
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
  rest();
  m_shared->rates.erase(this);
}

void RenderStage::rest() {
  if (!m_active.exchange(false, std::memory_order_relaxed)) return;
  if (--m_shared->active == 0 && m_shared->task) m_shared->task->bind(0);
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
  m_wanted = active;
  if (active) return wake();
  if (!m_rest.isActive() && m_active.load(std::memory_order_relaxed)) m_rest.start();
}

void RenderStage::setBypassed(bool bypassed) {
  m_bypassed = bypassed;
  bypassed ? rest() : wake();
}

void RenderStage::wake() {
  if (!m_wanted || m_bypassed) return;
  m_rest.stop();
  if (m_active.exchange(true, std::memory_order_relaxed)) return;
  ++m_shared->active;
  // Before the first picture, not with it: on a loaded machine the first would be late.
  if (m_shared->task && m_guiThreadDraws) m_shared->task->bind(m_bound = periodic::currentThreadId());
}

void RenderStage::setRate(double perSecond) {
  if (!m_shared->task || perSecond <= 0 || m_shared->rates[this] == perSecond) return;
  m_shared->rates[this] = perSecond;
  double most = 0;
  for (const auto& [stage, rate] : m_shared->rates) most = std::max(most, rate);
  const auto rate = periodic::Rate::fromPeriod(periodic::fromSeconds(1 / most));
  // Refused: the rate holds all the same, without a reservation.
  if (rate.ok()) (void)m_shared->task->amend({.lbap = periodic::LbapContract{rate.value()}});
}

void RenderStage::onBeforeRendering() {
  if (!m_shared->task || !m_active.load(std::memory_order_relaxed)) {
    m_bound = 0;
    return;
  }
  if (m_bound != periodic::currentThreadId()) {
    m_bound = periodic::currentThreadId();
    m_shared->task->bind(m_bound);
  }
  bool drawn = false;
  for (auto* tile : m_life->tiles) drawn = tile->newPictureDrawn() || drawn;
  if (drawn) m_shared->task->pass();
}

void RenderStage::onAfterRendering() {
  if (m_bound != 0) m_shared->task->complete();
}

}  // namespace tactus::ui
