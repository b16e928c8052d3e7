// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "core/periodic/task/scheduler.h"

namespace tactus::periodic {

/// A task that owns its thread: calls `iterate` once per period, after enforce(). The framework owns the
/// loop; the callback is one iteration, must not throw, and returns false to end the loop.
class PeriodicThread {
 public:
  /// Starts the thread and returns once it is bound. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<PeriodicThread>> start(Scheduler& scheduler,
                                                                     TaskContract contract,
                                                                     std::function<bool()> iterate);
  /// Ends a wait at once, lets the current iteration finish, joins.
  ~PeriodicThread();
  PeriodicThread(const PeriodicThread&) = delete;
  PeriodicThread& operator=(const PeriodicThread&) = delete;
  [[nodiscard]] Task& task() noexcept;

 private:
  struct State;
  explicit PeriodicThread(std::unique_ptr<State> state) noexcept;
  std::unique_ptr<State> m_state;
};

}  // namespace tactus::periodic
