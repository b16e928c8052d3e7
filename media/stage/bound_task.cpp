// SPDX-License-Identifier: Apache-2.0
#include "media/stage/bound_task.h"

#include <mutex>
#include <utility>

namespace tactus::media {

bool BoundTask::isHere() const noexcept {
  return m_thread.load(std::memory_order_relaxed) == periodic::currentThreadId() &&
         m_retirements.load(std::memory_order_relaxed) == m_adopter.retirements();
}

bool BoundTask::bind(periodic::TaskContract contract) {
  std::shared_ptr<periodic::Task> task = m_adopter.takeOver(std::move(contract));
  m_thread.store(periodic::currentThreadId(), std::memory_order_relaxed);
  m_retirements.store(m_adopter.retirements(), std::memory_order_relaxed);
  const std::lock_guard lock(m_mutex);
  if (task == m_task) return false;
  std::swap(task, m_task);
  return true;
}

std::shared_ptr<periodic::Task> BoundTask::get() const {
  const std::lock_guard lock(m_mutex);
  return m_task;
}

}  // namespace tactus::media
