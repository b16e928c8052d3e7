// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: classes, levels and processors of all threads follow the table.

#include <string>

#include "core/periodic/task/task_table.h"

namespace tactus::periodic {

/// Gives the threads of tasks the class, level, processor and budget that their reservations say, and takes
/// them away again. Everything under the table's lock. Real-time-safe: no, but for lowerLocked().
class ClassAssignment {
 public:
  ClassAssignment(KernelClassGate& gate, TaskTable& table, EventQueue& events)
      : m_gate(gate), m_table(table), m_events(events) {}

  /// Every task gets what it should have now. Costs system calls only where that differs.
  void assignLocked();
  /// The kernel may no longer have what we set: the next assignLocked() sets it anew.
  void reapplyLocked(Task::Body& body) noexcept { body.applied.priority = 0; }
  /// All threads of the task go back to the ordinary class and to any processor.
  void lowerLocked(Task::Body& body) noexcept;
  /// Why overruns are not ended by signal; empty = they are, as far as known.
  [[nodiscard]] const std::string& budgetRefusal() const noexcept { return m_budgetRefusal; }

 private:
  [[nodiscard]] int processorOf(const Task::Body& body, const ReservationEntry* entry) const noexcept;
  [[nodiscard]] Result<void> raise(pid_t tid, int priority, const ReservedPart* part);
  void applyLocked(Task::Body& body, int priority, const ReservationEntry* entry);
  void superviseLocked(Task::Body& body);
  void openSignalLocked(Task::Body& body);
  void giveWayLocked(Task::Body& body, bool gives) noexcept;

  KernelClassGate& m_gate;
  TaskTable& m_table;
  EventQueue& m_events;
  std::string m_budgetRefusal;
};

}  // namespace tactus::periodic
