// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/class_assignment.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/periodic/kernel/processors.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

// relaxed: see BoundOrders.
constexpr auto kRelaxed = std::memory_order_relaxed;
/// Nobody is lowered sooner: what a wake-up costs wavers by more than the smallest packets take.
constexpr Duration kLeastBudget = 250us;
/// A third of an ordinary program's weight.
constexpr int kEarlyNice = 5;

}  // namespace

/// The processor that the bound thread is kept on. A task whose packets others work on, or that has none (a
/// reader), goes where there is room: it holds its reservation as an allowance.
int ClassAssignment::processorOf(const Task::Body& body, const ReservationEntry* entry) const noexcept {
  const bool kept = entry != nullptr && body.record.threads.workers().empty() &&
                    body.record.contract.enforces && m_gate.granted() != KernelClass::Deadline;
  return kept ? entry->parts.front().cpu : -1;
}

Result<void> ClassAssignment::raise(pid_t tid, int priority, const ReservedPart* part) {
  if (m_gate.granted() != KernelClass::Deadline)
    return m_gate.raise(tid, part != nullptr ? part->level : priority);
  if (part == nullptr) return {};
  const Demand& demand = part->demand;
  return m_gate.reserveInKernel(tid, demand.processing, std::min(demand.deadline, demand.period),
                                demand.period);
}

void ClassAssignment::applyLocked(Task::Body& body, int priority, const ReservationEntry* entry) {
  auto& applied = body.applied;
  const auto& threads = body.record.threads;
  const auto raised = raise(threads.bound(), priority, entry != nullptr ? &entry->parts.front() : nullptr);
  if (!raised.ok()) {
    if (raised.error().code != ErrorCode::NotFound && applied.kernelClass != KernelClass::None) {
      const std::string& name = body.record.contract.name;
      m_events.post({SchedulerEvent::Kind::RefusedClass, body.id, name,
                     name + " lost its real-time class: " + raised.error().message});
    }
    lowerLocked(body);
    return;
  }
  const int cpu = processorOf(body, entry);
  if (applied.onCpu != cpu) keepOn(threads.bound(), cpu, m_table.policy().cpus);
  for (std::size_t i = 0; i < threads.workers().size(); ++i) {
    const pid_t tid = threads.workers()[i];
    const ReservedPart* part = entry != nullptr ? &entry->parts[i % entry->parts.size()] : nullptr;
    if (!raise(tid, priority, part).ok()) continue;  // may have ended: no error
    if (m_gate.granted() == KernelClass::Deadline) continue;
    keepOn(tid, part != nullptr ? part->cpu : -1, m_table.policy().cpus);
  }
  applied.kernelClass = m_gate.granted();
  applied.priority = priority;
  applied.onCpu = cpu;
  applied.admissions = body.record.admissions;
  body.orders.level.store(priority, kRelaxed);
  superviseLocked(body);
}

/// What is done early is worth less than what others want now, the display server first of all: threads of
/// ours, several for each film, took its turns. A task without a reservation is served by these turns itself.
void ClassAssignment::giveWayLocked(Task::Body& body, bool gives) noexcept {
  const pid_t tid = body.record.threads.bound();
  if (tid == 0 || !m_gate.setsNice() || std::exchange(body.applied.givesWay, gives) == gives) return;
  KernelClassGate::setNice(tid, gives ? kEarlyNice : 0);
}

void ClassAssignment::superviseLocked(Task::Body& body) {
  const auto& contract = body.record.contract;
  const ReservationEntry* entry = m_table.admittedLocked(body);
  body.orders.share.store(entry != nullptr ? std::llround(shareOf(entry->parts) * 1e6) : 0, kRelaxed);
  const bool raised = body.applied.kernelClass != KernelClass::None && m_gate.setsLevelsItself();
  body.orders.ownLevel.store(raised ? body.applied.priority : 0, kRelaxed);
  const int below = contract.aboveOrdinary ? m_gate.minPriority() : KernelClassGate::kOrdinary;
  body.orders.overrunLevel.store(raised ? below : 0, kRelaxed);
  giveWayLocked(body, raised && entry != nullptr && !contract.aboveOrdinary);
  // Packets worked on by other threads cannot be told apart on this one's clock: they have no budget.
  const bool supervised = raised && entry != nullptr && contract.supervised &&
                          body.record.threads.workers().empty() &&
                          m_table.policy().scheme == PriorityScheme::Demotion;
  const Duration budget =
      supervised ? std::max(kLeastBudget, entry->parts.front().demand.processing) : Duration{0};
  body.orders.budget.store(budget.count(), kRelaxed);
  if (supervised && m_table.policy().signals) openSignalLocked(body);
}

void ClassAssignment::openSignalLocked(Task::Body& body) {
  auto& applied = body.applied;
  const pid_t tid = body.record.threads.bound();
  if (applied.signal && applied.signalTid == tid) return;
  auto opened = BudgetSignal::open(tid, body.orders.overrunLevel);
  if (!opened.ok()) {
    m_budgetRefusal = opened.error().message;
    return;
  }
  if (applied.signal) applied.retired.push_back(std::move(applied.signal));
  applied.signal = std::move(opened).value();
  applied.signalTid = tid;
  // release: the object is made before the bound thread sees it.
  body.orders.signal.store(applied.signal.get(), std::memory_order_release);
}

void ClassAssignment::lowerLocked(Task::Body& body) noexcept {
  // First what could raise it again: its own code and its handler.
  body.orders.ownLevel.store(0, kRelaxed);
  body.orders.overrunLevel.store(0, kRelaxed);
  body.orders.budget.store(0, kRelaxed);
  body.promotion.cancel();
  if (body.applied.signal) body.applied.signal->disarm();
  body.orders.level.store(0, kRelaxed);
  giveWayLocked(body, false);
  if (body.applied.kernelClass == KernelClass::None) return;
  const auto free = [&](pid_t tid) {
    if (tid == 0) return;
    m_gate.lower(tid);
    keepOn(tid, -1, m_table.policy().cpus);
  };
  free(body.record.threads.bound());
  for (const pid_t worker : body.record.threads.workers()) free(worker);
  body.applied.kernelClass = KernelClass::None;
  body.applied.priority = 0;
  body.applied.onCpu = -1;
}

void ClassAssignment::assignLocked() {
  for (auto* body : m_table.tasks()) {
    const auto& contract = body->record.contract;
    const ReservationEntry* entry = m_table.admittedLocked(*body);
    if (m_gate.granted() == KernelClass::None || !contract.realtime || body->record.threads.bound() == 0 ||
        body->watch.demoted || body->watch.detached) {
      superviseLocked(*body);
      continue;
    }
    if (entry == nullptr && (!contract.aboveOrdinary || contract.service == ServiceClass::BestEffort)) {
      lowerLocked(*body);
      continue;
    }
    // Without a reservation: in the overrun band, above ordinary programs and below every reservation.
    const int priority = entry != nullptr ? entry->parts.front().level : m_gate.minPriority();
    const auto& applied = body->applied;
    const bool newTerms =
        m_gate.granted() == KernelClass::Deadline && applied.admissions != body->record.admissions;
    if (applied.priority != priority || applied.onCpu != processorOf(*body, entry) || newTerms) {
      applyLocked(*body, priority, entry);
    } else {
      superviseLocked(*body);
    }
  }
}

}  // namespace tactus::periodic
