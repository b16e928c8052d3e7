// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/kernel/thread_clock.h"
#include "core/periodic/task/memory_share.h"
#include "core/periodic/task/scheduler_event.h"
#include "core/periodic/task/task.h"
#include "core/periodic/time/time.h"
#include "core/periodic/trace/trace.h"

namespace tactus::periodic {

/// The table of tasks, their reservations, their priorities and the watchdog over them: the papers'
/// scheduling cache and resource management. Outlives its tasks' handles safely: a Task keeps the shared
/// state alive.
class Scheduler {
 public:
  /// `time`, `gate` and `trace` must outlive the scheduler and every task. Starts the watchdog thread if
  /// `watches`. `memory` says what memory there is; empty: as this process finds it.
  Scheduler(TimeSource& time, KernelClassGate& gate, TraceLog& trace, bool watches = true,
            MemoryShare::Read memory = {});
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Makes a task of `tid` (a thread of this process; 0 = bind later): reserves for it, assigns its priority
  /// and shifts the others if its level is taken. A refusal by admission or by the kernel is not an error:
  /// the task runs in the overrun band, or without a class, and an event says why. InvalidArgument for a
  /// contract that is out of range. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] Result<std::unique_ptr<Task>> adopt(TaskContract contract, pid_t tid);
  /// As adopt(), but only with a reservation. The task is the handle: it releases when it goes.
  [[nodiscard]] Result<std::unique_ptr<Task>, AdmissionRefusal> reserve(TaskContract contract, pid_t tid = 0);
  /// What reserve() would answer.
  [[nodiscard]] Result<void, AdmissionRefusal> wouldReserve(const TaskContract& contract) const;

  /// Every live task. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] std::vector<TaskReport> report() const;
  /// The table of reservations, and under what policy it stands. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] std::vector<ReservationEntry> reservations() const;
  [[nodiscard]] AdmissionPolicy policy() const;
  /// Admission goes on by this policy; who no longer fits loses its reservation and an event says so. Of the
  /// processors it names, those that the process may use count, as they come and go.
  void setPolicy(AdmissionPolicy policy);
  /// Why overruns are ended by the watchdog's looks instead of by signal; empty = by signal, as far as known.
  [[nodiscard]] std::string budgetRefusal() const;

  /// The memory that streams share. Outlives the scheduler where a share is held. Thread-safe: yes.
  /// Real-time-safe: no.
  [[nodiscard]] const std::shared_ptr<MemoryShare>& memory() const noexcept;

  /// What earlier runs learned about processing times, and what is known now, as text to keep.
  void loadLearned(std::string_view text);
  [[nodiscard]] std::string learned() const;

  /// Hears events from now on, called from the watchdog thread's non-real-time companion, one listener after
  /// the other; may be slow, must not throw. Thread-safe: yes, but not from within a listener.
  std::uint64_t subscribe(std::function<void(const SchedulerEvent&)> listener);
  /// Waits for a listener that is at work. An unknown number does nothing.
  void unsubscribe(std::uint64_t subscription);

  [[nodiscard]] KernelClassGate& gate() noexcept;
  [[nodiscard]] TraceLog& trace() noexcept;
  [[nodiscard]] TimeSource& time() noexcept;

  struct Shared;  // the table; tasks hold a reference to it

 private:
  struct Threads;
  [[nodiscard]] Result<std::unique_ptr<Task>, AdmissionRefusal> make(TaskContract contract, pid_t tid,
                                                                     bool strict);
  std::shared_ptr<Shared> m_shared;  // shared with the tasks, which may outlive the scheduler
  std::unique_ptr<Threads> m_threads;
};

}  // namespace tactus::periodic
