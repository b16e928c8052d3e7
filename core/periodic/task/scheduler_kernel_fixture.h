// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests on the real kernel, which skip where it grants no SCHED_FIFO. None of them judges by a measured
// time.

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/periodic/task/scheduler.h"

namespace tactus::periodic {

using namespace std::chrono_literals;

inline int policyOf(pid_t tid) {
  return sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;
}

inline int levelOf(pid_t tid) {
  sched_param param{};
  sched_getparam(tid, &param);
  return param.sched_priority;
}

inline int cpusOf(pid_t tid) {
  cpu_set_t set;
  sched_getaffinity(tid, sizeof set, &set);
  return CPU_COUNT(&set);
}

/// Uses processor time.
inline void burn(Duration cpu) {
  const Duration end = KernelTime().threadCpu() + cpu;
  while (KernelTime().threadCpu() < end) {
  }
}

/// For what the kernel says, which nobody can be woken by: looks every 10 ms, for 10 s.
template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

/// A thread that does as it is told, one thing after another.
class Worker {
 public:
  Worker() : m_thread([this] { run(); }) { m_tid.wait(0); }
  ~Worker() { end(); }
  void end() {
    if (!m_thread.joinable()) return;
    {
      const std::lock_guard lock(m_mutex);
      m_end = true;
    }
    m_changed.notify_all();
    m_thread.join();
  }
  [[nodiscard]] pid_t tid() const { return m_tid.load(); }
  void start(std::function<void()> work) {
    {
      const std::lock_guard lock(m_mutex);
      m_work = std::move(work);
      m_done = false;
    }
    m_changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_done; });
  }
  void perform(std::function<void()> work) {
    start(std::move(work));
    wait();
  }

 private:
  // Sleeps until there is work: what an idle worker costs is what some tests ask for.
  void run() {
    m_tid = currentThreadId();
    m_tid.notify_all();
    std::unique_lock lock(m_mutex);
    for (;;) {
      m_changed.wait(lock, [this] { return m_end || m_work; });
      if (!m_work) return;
      const auto work = std::exchange(m_work, {});
      lock.unlock();
      work();
      lock.lock();
      m_done = true;
      m_changed.notify_all();
    }
  }
  std::atomic<pid_t> m_tid{0};
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_end = false;
  bool m_done = true;
  std::function<void()> m_work;
  std::thread m_thread;
};

class KernelScheduler : public ::testing::Test {
 protected:
  void SetUp() override {
    (void)!setpriority(PRIO_PROCESS, 0, 0);  // the tests may be run with a nice value, which threads inherit
    m_gate = KernelClassGate::probe(KernelClass::Fifo, {});
    if (m_gate->granted() != KernelClass::Fifo)
      GTEST_SKIP() << "SCHED_FIFO: " << m_gate->refusals()[0].reason;
    m_scheduler = std::make_unique<Scheduler>(m_time, *m_gate, m_trace);
    m_subscription = m_scheduler->subscribe([this](const SchedulerEvent& event) {
      const std::lock_guard lock(m_mutex);
      m_events.push_back(event);
      m_told.notify_all();
    });
  }
  void TearDown() override {
    if (m_scheduler) m_scheduler->unsubscribe(m_subscription);
  }
  /// Waits for an event, 10 s at most; its sentence, empty where none came.
  [[nodiscard]] std::string told(SchedulerEvent::Kind kind) {
    std::unique_lock lock(m_mutex);
    const auto find = [&] {
      return std::find_if(m_events.begin(), m_events.end(),
                          [kind](const SchedulerEvent& event) { return event.kind == kind; });
    };
    m_told.wait_for(lock, 10s, [&] { return find() != m_events.end(); });
    return find() == m_events.end() ? std::string() : find()->sentence;
  }
  static TaskContract contract(const char* name, int perSecond, Duration processing) {
    TaskContract made;
    made.name = name;
    made.lbap.rate = Rate::perSecond(perSecond);
    made.processing = processing;
    made.service = ServiceClass::Guaranteed;
    return made;
  }
  KernelTime m_time;
  std::unique_ptr<KernelClassGate> m_gate;
  TraceLog m_trace;
  std::unique_ptr<Scheduler> m_scheduler;
  std::mutex m_mutex;
  std::condition_variable m_told;
  std::vector<SchedulerEvent> m_events;
  std::uint64_t m_subscription = 0;
};

}  // namespace tactus::periodic
