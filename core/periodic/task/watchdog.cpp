// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/watchdog.h"

#include <sched.h>

#include <algorithm>
#include <set>
#include <thread>
#include <utility>

#include "core/periodic/kernel/processors.h"
#include "core/periodic/kernel/thread_clock.h"
#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Kind = SchedulerEvent::Kind;

constexpr Duration kCheckPeriod = 500ms;
/// What may be used beyond what may be reserved before somebody is lowered.
constexpr double kAboveCapacity = 0.03;

Kind eventOf(Misbehaviour::Kind kind) noexcept {
  switch (kind) {
    case Misbehaviour::Kind::NeverEnforces:
      return Kind::NeverEnforces;
    case Misbehaviour::Kind::EndlessPacket:
      return Kind::EndlessLoop;
    case Misbehaviour::Kind::TooManyPackets:
    case Misbehaviour::Kind::TooFewPackets:
      break;
  }
  return Kind::OffRate;
}

}  // namespace

Watchdog::Watchdog(KernelClassGate& gate, TaskTable& table, ClassAssignment& classes, EventQueue& events)
    : m_gate(gate),
      m_table(table),
      m_classes(classes),
      m_events(events),
      m_budgets({}, static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))),
      m_limitsSeen(gate.limitsReached()) {}

void Watchdog::setCapacityLocked(double capacity) {
  m_budgets.setTotal(capacity + kAboveCapacity);
}

void Watchdog::readLocked() {
  m_readings.clear();
  for (auto* body : m_table.tasks()) {
    auto& record = body->record;
    record.threads.read();
    if (!record.contract.realtime || record.threads.bound() == 0) continue;
    if (body->applied.kernelClass == KernelClass::None && !body->watch.demoted) continue;
    m_readings.push_back({body->id, record.threads.cpuTime(), record.contract.cpuCap,
                          1 + static_cast<int>(record.threads.workers().size()), body->applied.onCpu,
                          static_cast<double>(body->orders.share.load(std::memory_order_relaxed)) * 1e-6});
  }
}

/// The kernel's SIGXCPU lowered every thread of ours: the greediest task stays there, the others get back
/// what they had.
void Watchdog::followKernelLimitLocked(TimePoint now, std::vector<BudgetWatch::Action>& actions) {
  const std::uint32_t reached = m_gate.limitsReached();
  if (std::exchange(m_limitsSeen, reached) == reached) return;
  (void)m_gate.raise(currentThreadId(), m_gate.maxPriority()).ok();  // the watchdog's own thread, too
  if (const auto greediest = m_budgets.limitReached(now, m_readings)) actions.push_back(*greediest);
  for (auto* body : m_table.tasks()) m_classes.reapplyLocked(*body);
  m_classes.assignLocked();
}

void Watchdog::applyLocked(const BudgetWatch::Action& action) {
  Task::Body* const body = m_table.findLocked(action.task);
  if (body == nullptr) return;
  const std::string& name = body->record.contract.name;
  if (action.kind == BudgetWatch::Action::Kind::Restore) {
    if (std::exchange(body->watch.demoted, false))
      m_events.post({Kind::Restored, body->id, name, name + " has its real-time class back."});
    return;
  }
  const std::string used = format("%s used %.0f %% of a CPU", name.c_str(), action.share * 100);
  if (body->record.contract.unruly == WatchPolicy::Report) {
    m_events.post({Kind::Demoted, body->id, name, used + "."});
    return;
  }
  m_classes.lowerLocked(*body);
  body->watch.demoted = true;
  ++body->watch.demotions;
  m_events.post({Kind::Demoted, body->id, name,
                 used + format(" and runs at normal priority for %.0f s.", inSeconds(action.penalty))});
}

void Watchdog::lookLocked(TimePoint now) {
  readLocked();
  auto actions = m_budgets.observe(now, m_readings);
  followKernelLimitLocked(now, actions);
  for (const auto& action : actions) applyLocked(action);
  // A handler that was about to move the thread when it was lowered has done so by now.
  for (auto* body : m_table.tasks())
    if (body->watch.demoted && body->record.threads.bound() != 0 && m_gate.granted() != KernelClass::None)
      m_gate.lower(body->record.threads.bound());
  if (!actions.empty()) m_classes.assignLocked();
  if (now < m_nextCheck) return;
  m_nextCheck = now + kCheckPeriod;
  checkLocked(now);
}

void Watchdog::checkLocked(TimePoint now) {
  if (m_table.followProcessorsLocked())
    for (auto* body : m_table.tasks()) m_classes.reapplyLocked(*body);  // the kernel may have moved them
  if (m_gate.granted() != KernelClass::None) freeStraysLocked();
  for (auto* body : m_table.tasks()) checkTaskLocked(*body, now);
  m_classes.assignLocked();
}

void Watchdog::freeStraysLocked() {
  const auto& cpus = m_table.policy().cpus;
  if (cpus.size() < 2) return;
  std::set<pid_t> ofTasks;
  for (const auto* body : m_table.tasks()) {
    ofTasks.insert(body->record.threads.bound());
    ofTasks.insert(body->record.threads.workers().begin(), body->record.threads.workers().end());
  }
  for (const pid_t tid : m_strays.fresh(threadsOfProcess(), ofTasks)) {
    cpu_set_t set;
    if (sched_getaffinity(tid, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1) keepOn(tid, -1, cpus);
  }
}

void Watchdog::checkTaskLocked(Task::Body& body, TimePoint now) {
  auto& record = body.record;
  if (record.threads.ended()) {
    const std::string& name = record.contract.name;
    if (!record.contract.mayEnd)
      m_events.post({Kind::ThreadEnded, body.id, name,
                     name + ": its thread ended; what it had reserved is free again."});
    m_classes.lowerLocked(body);
    record.threads.bind(0);
    m_table.releaseLocked(body);
    return;
  }
  if (record.reservation == ReservationId::None && record.threads.bound() == 0) return;
  m_table.followCostLocked(body, now);
  tellOverrunsLocked(body, now);
  lookBackLocked(body, now);
}

void Watchdog::tellOverrunsLocked(Task::Body& body, TimePoint now) {
  const auto& contract = body.record.contract;
  const std::uint64_t overruns = body.applied.signal ? body.applied.signal->overruns() : 0;
  if (contract.service != ServiceClass::Guaranteed || !body.watch.notice.tell(now, overruns)) return;
  const Duration budget(body.orders.budget.load(std::memory_order_relaxed));
  m_events.post(
      {Kind::Overrun, body.id, contract.name,
       format("%s used more than the %.2g ms it had reserved; the rest of such packets ran below others.",
              contract.name.c_str(), inMilliseconds(budget))});
}

void Watchdog::lookBackLocked(Task::Body& body, TimePoint now) {
  const auto& contract = body.record.contract;
  if (body.record.threads.bound() == 0 || body.interrupt.raised()) {
    body.watch.behaviour.rest();
    return;
  }
  const BehaviourWatch::Declared declared{contract.lbap.rate, contract.lbap.workahead,
                                          contract.frequency, m_table.reservationOf(body).worst,
                                          contract.enforces,  contract.sporadic};
  const auto found =
      body.watch.behaviour.look(now, declared, {body.statistics.packets(), body.record.threads.cpuTime()});
  if (!found) return;
  std::string sentence = sentenceOf(*found, contract.name, contract.lbap.rate);
  if (contract.unruly == WatchPolicy::Demote && found->grave()) {
    sentence += "; it runs at normal priority for a while.";
    m_classes.lowerLocked(body);
    body.watch.demoted = true;
    ++body.watch.demotions;
    m_budgets.punish(body.id, now);
  } else if (contract.unruly == WatchPolicy::Detach) {
    sentence += "; it is let go.";
    m_classes.lowerLocked(body);
    body.watch.detached = true;
    m_table.releaseLocked(body);
  } else {
    sentence += ".";
  }
  m_events.post({eventOf(found->kind), body.id, contract.name, std::move(sentence)});
}

}  // namespace tactus::periodic
