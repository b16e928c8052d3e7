// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: what happens to single packets, between the watchdog's looks.

#include "core/periodic/task/dispatch_alarm.h"
#include "core/periodic/task/task_table.h"

namespace tactus::periodic {

/// Promotes early packets whose time has come, ends overruns where no signal does, gives a packet that
/// exceeded its budget another one each period. The rules are EarlyPromotion, Patrol and BudgetRefill; this
/// reads the clocks and makes the system calls. Runs on the watchdog's thread. Everything under the table's
/// lock.
class Dispatcher {
 public:
  Dispatcher(KernelClassGate& gate, TaskTable& table) : m_gate(gate), m_table(table) {}

  /// Looks at every task; returns when the next look is worth it. Allocates only where the kernel refuses a
  /// level.
  [[nodiscard]] TimePoint lookLocked(TimePoint now) noexcept;

 private:
  [[nodiscard]] TimePoint promoteLocked(Task::Body& body, TimePoint now) noexcept;
  [[nodiscard]] TimePoint patrolLocked(Task::Body& body, TimePoint now) noexcept;
  [[nodiscard]] TimePoint refillLocked(Task::Body& body, TimePoint now) noexcept;
  void raise(const Task::Body& body) noexcept;

  KernelClassGate& m_gate;
  TaskTable& m_table;
};

}  // namespace tactus::periodic
