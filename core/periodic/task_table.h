// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: the table behind Scheduler and Task.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/periodic/budget_watch.h"
#include "core/periodic/priority_inheritance_mutex.h"
#include "core/periodic/scheduler.h"
#include "core/periodic/task.h"

namespace tactus::periodic {

/// A thread of a task and how far its CPU clock has been read.
struct BoundThread {
  pid_t tid = 0;
  Duration cpuAtBind{0};
  Duration cpuRead{0};  ///< last reading; kept when the thread ends
};

/// A new contract on its way to the bound thread. Made by any thread, applied by the bound one, which may not
/// free it.
struct ContractChange {
  LbapContract lbap;
  ContractChange* nextSpent = nullptr;
};

struct Task::Body {
  Body(std::shared_ptr<Scheduler::Shared> table, std::uint64_t number, TaskContract terms);
  ~Body();

  // Any thread, fixed after construction.
  std::shared_ptr<Scheduler::Shared> shared;  // shared: a task may outlive its scheduler
  const std::uint64_t id;
  TimeSource& time;
  std::shared_ptr<TraceRing> ring;  // shared with the trace log, which exports it after the task ended
  TraceLog& trace;
  const Duration declaredDeadline;
  Interrupt interrupt;

  // Guarded by the table's mutex.
  TaskContract contract;
  BoundThread thread;
  std::vector<BoundThread> workers;
  Duration cpuBefore{0};  // of threads bound earlier
  KernelClass kernelClass = KernelClass::None;
  int priority = 0;
  bool demoted = false;
  std::uint64_t demotions = 0;

  // From any thread to the bound one.
  std::atomic<ContractChange*> pending{nullptr};
  std::atomic<ContractChange*> spent{nullptr};
  std::atomic<bool> reanchor{false};
  std::atomic<bool> clear{false};

  // Bound thread only.
  LbapRegulator regulator;
  bool open = false;
  TimePoint logicalArrival;
  TimePoint begin;
  TimePoint deadline;

  // Written by the bound thread, read by anybody.
  std::atomic<std::uint64_t> packets{0}, completed{0}, misses{0}, violations{0};
  DurationHistogram laxity, responseTime, waited;

  Enforced accept(std::optional<Duration> spacing, ByteCount size, bool mayWait) TACTUS_REALTIME;
  void finish(TimePoint now, std::optional<TimePoint> dueInstead) TACTUS_REALTIME;
  void applyChanges() TACTUS_REALTIME;
  void freeSpent() noexcept;
  void record(TraceEvent event, TimePoint at, Duration length, std::int64_t value) TACTUS_REALTIME;

  // Under the table's mutex.
  void readCpuLocked() noexcept;
  [[nodiscard]] Duration cpuLocked() const noexcept;
  [[nodiscard]] TaskReport reportLocked();
};

struct Scheduler::Shared {
  Shared(TimeSource& timeSource, KernelClassGate& kernelGate, TraceLog& traceLog)
      : time(timeSource),
        gate(kernelGate),
        trace(traceLog),
        watch({}, static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {}

  TimeSource& time;
  KernelClassGate& gate;
  TraceLog& trace;

  PriorityInheritanceMutex mutex;
  std::vector<Task::Body*> tasks;  // each removes itself
  std::uint64_t nextId = 1;
  BudgetWatch watch;
  std::vector<BudgetWatch::Reading> readings;  // the watchdog's, kept for its capacity

  // Events: posted by anybody, delivered by the companion thread.
  std::mutex eventMutex;
  std::condition_variable eventReady;
  std::deque<SchedulerEvent> events;
  std::mutex handlerMutex;  // held during a delivery, so that setEventHandler() returns after it
  std::function<void(const SchedulerEvent&)> handler;
  bool stop = false;
  Interrupt watchdogStop;

  void assignPrioritiesLocked();
  void applyClassLocked(Task::Body& body, int priority);
  void lowerLocked(Task::Body& body) noexcept;
  void post(SchedulerEvent event);
  void watchOnce();
  void watchLoop();
  void deliverLoop();
};

/// CPU time of a thread of this process; nullopt when it has ended.
[[nodiscard]] std::optional<Duration> cpuTimeOf(pid_t tid) noexcept;

}  // namespace tactus::periodic
