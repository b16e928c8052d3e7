// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_thread.h"

#include <chrono>
#include <utility>

#include "core/periodic/task/scheduler.h"

namespace tactus::net {

using periodic::AdmissionRefusal;
using periodic::OwnedThread;

Result<std::unique_ptr<PortThread>, AdmissionRefusal> PortThread::create(periodic::Scheduler& scheduler,
                                                                         periodic::TaskContract contract,
                                                                         std::function<void()> ended) {
  auto wake = LoopWake::create();
  if (!wake.ok()) return AdmissionRefusal::of(wake.error());
  std::unique_ptr<PortThread> port(new PortThread(std::move(wake).value(), std::move(ended)));
  const auto loop = [self = port.get()](periodic::Task& task) { self->run(task); };
  if (contract.service == periodic::ServiceClass::BestEffort) {
    auto started = OwnedThread::start(scheduler, std::move(contract), loop);
    if (!started.ok()) return AdmissionRefusal::of(started.error());
    port->m_thread = std::move(started).value();
  } else {
    auto started = OwnedThread::reserve(scheduler, std::move(contract), loop);
    if (!started.ok()) return started.error();
    port->m_thread = std::move(started).value();
  }
  return port;
}

PortThread::~PortThread() {
  m_wake->raise();
}

void PortThread::go(PortLoop& loop) {
  const std::lock_guard lock(m_mutex);
  m_wake->clear();
  m_loop = &loop;
  m_thread->task().resume();
}

bool PortThread::halt(periodic::Duration atMost) {
  std::unique_lock lock(m_mutex);
  m_loop = nullptr;
  m_wake->raise();
  m_thread->task().interrupt();
  return m_idle.wait_for(lock, atMost, [this] { return !m_runs; });
}

std::optional<LoopEnded> PortThread::takeEnded() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_ended, std::nullopt);
}

void PortThread::run(periodic::Task& task) {
  while (task.awaitResume() != periodic::Pause::ForGood) {
    PortLoop* loop = nullptr;
    {
      const std::lock_guard lock(m_mutex);
      loop = m_loop;
      m_runs = loop != nullptr;  // from here on halt() waits; a loop that it took back before never begins
      if (loop == nullptr) task.interrupt();  // nothing to do: at the start, or after the end of a stream
    }
    std::optional<LoopEnded> ended;
    if (loop != nullptr) ended = loop->run(task, *m_wake);
    const bool tells = ended.has_value();
    {
      const std::lock_guard lock(m_mutex);
      if (ended) {
        m_ended = std::move(ended);
        m_loop = nullptr;
      }
      m_runs = false;
    }
    m_idle.notify_all();
    if (tells) m_tells();
  }
}

}  // namespace tactus::net
