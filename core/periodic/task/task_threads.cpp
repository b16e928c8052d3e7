// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/task_threads.h"

#include <algorithm>
#include <utility>

#include "core/periodic/kernel/thread_clock.h"

namespace tactus::periodic {

TaskThreads::Thread TaskThreads::begin(pid_t tid) noexcept {
  if (tid == 0) return {};
  const Duration cpu = cpuTimeOf(tid).value_or(Duration{0});
  return {tid, cpu, cpu};
}

void TaskThreads::bind(pid_t tid) {
  read();
  m_before += m_bound.cpuRead - m_bound.cpuAtBind;
  m_bound = begin(tid);
}

void TaskThreads::setWorkers(std::span<const pid_t> tids) {
  read();
  for (const Thread& worker : m_workers) m_before += worker.cpuRead - worker.cpuAtBind;
  m_workers.clear();
  for (const pid_t tid : tids) m_workers.push_back(begin(tid));
  m_workerIds.assign(tids.begin(), tids.end());
}

bool TaskThreads::ended() const noexcept {
  return m_bound.tid != 0 && !cpuTimeOf(m_bound.tid);
}

void TaskThreads::read() noexcept {
  const auto readClock = [](Thread& thread) {
    if (thread.tid == 0) return;
    if (const auto cpu = cpuTimeOf(thread.tid)) thread.cpuRead = std::max(thread.cpuRead, *cpu);
  };
  readClock(m_bound);
  for (Thread& worker : m_workers) readClock(worker);
}

Duration TaskThreads::cpuTime() const noexcept {
  Duration sum = m_before + (m_bound.cpuRead - m_bound.cpuAtBind);
  for (const Thread& worker : m_workers) sum += worker.cpuRead - worker.cpuAtBind;
  return sum;
}

}  // namespace tactus::periodic
