// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_thread.h"

#include <cassert>
#include <mutex>
#include <utility>

#include "core/periodic/task/scheduler.h"

namespace tactus::net {

using periodic::AdmissionRefusal;
using periodic::Duration;
using periodic::OwnedThread;
using periodic::TimePoint;

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
  // No loop is begun again in the time until the task ends, which the thread's destructor waits for.
  const std::lock_guard lock(m_mutex);
  m_loop = nullptr;
  m_wake->raise();
}

void PortThread::go(PortLoop& loop) {
  const std::lock_guard lock(m_mutex);
  assert(m_idle.raised());
  m_ended.reset();
  m_loop = &loop;
  m_wake->clear();
  m_thread->task().resume();
}

bool PortThread::halt(Duration atMost) {
  {
    const std::lock_guard lock(m_mutex);
    m_loop = nullptr;
    m_wake->raise();
    m_thread->task().interrupt();
  }
  periodic::TimeSource& time = m_thread->task().time();
  const TimePoint now = time.now();
  const TimePoint until = atMost < TimePoint::max() - now ? now + atMost : TimePoint::max();
  return time.sleepUntil(until, m_idle) == periodic::Wake::Interrupted;
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
      if (loop != nullptr) m_idle.clear();
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
      if (m_loop == nullptr) {
        task.interrupt();
        m_idle.raise();
      }
    }
    if (tells) m_tells();
  }
}

}  // namespace tactus::net
