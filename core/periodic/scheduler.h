// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/periodic/kernel_class.h"
#include "core/periodic/task.h"
#include "core/periodic/time.h"
#include "core/periodic/trace.h"

namespace tactus::periodic {

/// Something happened to a task that somebody should know; delivered by Scheduler::dispatch(), outside real
/// time.
struct SchedulerEvent {
  enum class Kind { Demoted, Restored, RefusedClass } kind;
  std::uint64_t taskId;
  std::string taskName;
  std::string sentence;  ///< "video decode (h264) used 93 % of a CPU and runs at normal priority for 1 s"
};

/// The table of tasks, their rate-monotonic priorities and the watchdog over them. The first rooms of the
/// papers' resource management; admission is not yet part of it. Outlives its tasks' handles safely: a Task
/// keeps the shared state alive.
class Scheduler {
 public:
  /// `time`, `gate` and `trace` must outlive the scheduler and every task. Starts the watchdog thread if
  /// `watch`.
  Scheduler(TimeSource& time, KernelClassGate& gate, TraceLog& trace, bool watch = true);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Makes a task of `tid` (a thread of this process; 0 = bind later): assigns its priority and shifts the
  /// others if its level is taken. Failure to get the class is not an error: the task runs without and an
  /// event says so. InvalidArgument for a contract that is out of range. Thread-safe: yes. Real-time-safe:
  /// no.
  [[nodiscard]] Result<std::unique_ptr<Task>> adopt(TaskContract contract, pid_t tid);

  /// Every live task. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] std::vector<TaskReport> report() const;

  /// Receives events, called from the watchdog thread's non-real-time companion; may be slow, must not throw.
  void setEventHandler(std::function<void(const SchedulerEvent&)> handler);

  [[nodiscard]] KernelClassGate& gate() noexcept;
  [[nodiscard]] TraceLog& trace() noexcept;
  [[nodiscard]] TimeSource& time() noexcept;

  struct Shared;  // the table; tasks hold a reference to it

 private:
  struct Threads;
  std::shared_ptr<Shared> m_shared;  // shared with the tasks, which may outlive the scheduler
  std::unique_ptr<Threads> m_threads;
};

/// The calling thread's kernel thread id.
[[nodiscard]] pid_t currentThreadId() noexcept;

}  // namespace tactus::periodic
