// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: what a task consists of, by the thread that writes it.

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/kernel/budget_signal.h"
#include "core/periodic/task/admission_retry.h"
#include "core/periodic/task/behaviour_watch.h"
#include "core/periodic/task/budget_refill.h"
#include "core/periodic/task/cost_meter.h"
#include "core/periodic/task/overrun_notice.h"
#include "core/periodic/task/packet_loop.h"
#include "core/periodic/task/scheduler.h"
#include "core/periodic/task/task.h"
#include "core/periodic/task/task_threads.h"

namespace tactus::periodic {

/// What the table knows of a task. Written by TaskTable, under the table's lock.
struct TaskRecord {
  TaskContract contract;
  TaskThreads threads;
  ReservationId reservation = ReservationId::None;
  std::string refusal;                   ///< why it holds none
  std::uint64_t admissions = 0;          ///< so far: each may bring other terms
  std::optional<ProcessingTimes> known;  ///< from earlier runs
};

/// The class in force. Written by ClassAssignment, under the table's lock.
struct AppliedClass {
  KernelClass kernelClass = KernelClass::None;
  int priority = 0;
  int onCpu = -1;                ///< the bound thread is kept on; -1 = any
  bool givesWay = false;         ///< to ordinary programs, with what it does early
  std::uint64_t admissions = 0;  ///< TaskRecord's, when it was applied
  std::unique_ptr<BudgetSignal> signal;
  pid_t signalTid = 0;
  std::vector<std::unique_ptr<BudgetSignal>> retired;  ///< a thread bound before may still touch its own

  [[nodiscard]] bool overran() const noexcept { return signal && signal->overran(); }
  [[nodiscard]] std::uint64_t overruns() const noexcept {
    std::uint64_t sum = signal ? signal->overruns() : 0;
    for (const auto& each : retired) sum += each->overruns();
    return sum;
  }
};

/// What the watchdog and the dispatcher remember of a task. Written by them, under the table's lock.
struct WatchRecord {
  bool demoted = false;   ///< has no class until its penalty is over
  bool detached = false;  ///< let go for good: no class, no reservation
  std::uint64_t demotions = 0;
  std::uint64_t patrolOverruns = 0;
  BehaviourWatch behaviour;
  OverrunNotice notice;
  AdmissionRetry retry;
  CostMeter cost;
  BudgetRefill refill;
};

struct Task::Body {
  Body(std::shared_ptr<Scheduler::Shared> shared, std::uint64_t number, TaskContract contract);

  [[nodiscard]] TaskReport reportLocked();

  const std::shared_ptr<Scheduler::Shared> shared;  // shared: a task may outlive its scheduler
  const std::uint64_t id;

  // Under the table's lock.
  TaskRecord record;
  AppliedClass applied;
  WatchRecord watch;

  // Between threads; each says who writes what.
  Interrupt interrupt;
  Interrupt resumed;               // by resume() and end(), for a loop that waits for one of them
  std::atomic<bool> ended{false};  // by end(), for good
  BoundOrders orders;
  EarlyPromotion promotion;
  OpenPacket openPacket;
  PacketStatistics statistics;

  // The bound thread's.
  PacketLoop packets;
};

}  // namespace tactus::periodic
