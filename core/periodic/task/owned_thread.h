// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: what PeriodicThread and SporadicThread have in common.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "core/periodic/task/scheduler.h"

namespace tactus::periodic {

/// A task and the thread that is bound to it for life. `loop` runs on the thread, once, must not throw, and
/// returns soon after Task::awaitResume() says that it is over. Where the thread has no real-time class, its
/// sleeps end at their instants, too: the kernel's timer slack, 50 us, is turned off.
class OwnedThread {
 public:
  /// Starts the thread and returns once it is bound. InvalidArgument for a contract that is out of range;
  /// System where there can be no more threads. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<OwnedThread>> start(Scheduler& scheduler, TaskContract contract,
                                                                  std::function<void(Task&)> loop);
  /// As start(), but only with a reservation. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<OwnedThread>, AdmissionRefusal> reserve(
      Scheduler& scheduler, TaskContract contract, std::function<void(Task&)> loop);
  /// For `loop`, before each packet: enforce(). False: it was interrupted, and the packet is given up.
  /// Real-time-safe: yes.
  [[nodiscard]] static bool begin(Task& task, std::optional<TimePoint> arrival = {}) TACTUS_REALTIME;
  /// Task::end(), and joins.
  ~OwnedThread();
  OwnedThread(const OwnedThread&) = delete;
  OwnedThread& operator=(const OwnedThread&) = delete;
  /// Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] Task& task() noexcept { return *m_task; }

 private:
  OwnedThread(std::unique_ptr<Task> task, std::function<void(Task&)> loop) noexcept
      : m_task(std::move(task)), m_loop(std::move(loop)) {}
  [[nodiscard]] Result<void> launch(const std::string& name);

  std::unique_ptr<Task> m_task;
  std::function<void(Task&)> m_loop;  // the thread's
  std::thread m_thread;
};

}  // namespace tactus::periodic
