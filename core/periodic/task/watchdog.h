// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: who uses too much, never ends or is not what it declared.

#include <vector>

#include "core/periodic/task/budget_watch.h"
#include "core/periodic/task/class_assignment.h"
#include "core/periodic/task/stray_threads.h"

namespace tactus::periodic {

/// The watchdog of HeiTS. The rules are BudgetWatch, BehaviourWatch, OverrunNotice, CostMeter, AdmissionRetry
/// and StrayThreads; this reads the clocks and does what they say. Everything under the table's lock, by the
/// watchdog's thread. Real-time-safe: no (sentences allocate).
class Watchdog {
 public:
  Watchdog(KernelClassGate& gate, TaskTable& table, ClassAssignment& classes, EventQueue& events);

  /// Every 20 ms: who uses too much CPU; every half second the rest.
  void lookLocked(TimePoint now);
  void forgetLocked(const Task::Body& body) { m_budgets.forget(body.id); }
  /// The share of a processor that may be reserved is another one.
  void setCapacityLocked(double capacity);

 private:
  void readLocked();
  void followKernelLimitLocked(TimePoint now, std::vector<BudgetWatch::Action>& actions);
  void applyLocked(const BudgetWatch::Action& action);
  void checkLocked(TimePoint now);
  void checkTaskLocked(Task::Body& body, TimePoint now);
  void tellOverrunsLocked(Task::Body& body, TimePoint now);
  void lookBackLocked(Task::Body& body, TimePoint now);
  void freeStraysLocked();

  KernelClassGate& m_gate;
  TaskTable& m_table;
  ClassAssignment& m_classes;
  EventQueue& m_events;
  BudgetWatch m_budgets;
  StrayThreads m_strays;
  std::vector<BudgetWatch::Reading> m_readings;  // kept for its capacity
  std::uint32_t m_limitsSeen = 0;
  TimePoint m_nextCheck{};
};

}  // namespace tactus::periodic
