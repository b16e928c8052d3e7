// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "core/periodic/task/owned_thread.h"

namespace tactus::periodic {

/// A task that owns its thread: calls `iterate` once per period, after enforce(). The framework owns the
/// loop; the callback is one iteration, must not throw, and returns false to end the loop. While
/// `task().interrupt()` is in force the thread sleeps. A SporadicThread is for work that has no period.
class PeriodicThread {
 public:
  /// Starts the thread and returns once it is bound. InvalidArgument for a contract that is out of range;
  /// System where there can be no more threads. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<PeriodicThread>> start(Scheduler& scheduler,
                                                                     TaskContract contract,
                                                                     std::function<bool()> iterate);
  /// Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] Task& task() noexcept { return m_thread->task(); }

 private:
  explicit PeriodicThread(std::unique_ptr<OwnedThread> thread) noexcept : m_thread(std::move(thread)) {}
  std::unique_ptr<OwnedThread> m_thread;  // ends a wait at once, lets the current iteration finish, joins
};

}  // namespace tactus::periodic
