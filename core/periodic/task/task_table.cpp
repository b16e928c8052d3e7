// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/task_table.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/periodic/kernel/processors.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Kind = SchedulerEvent::Kind;

/// What nobody has measured or declared: this part of the period.
constexpr int kGuessedPart = 20;
/// A learned time is reserved with this margin.
constexpr double kMargin = 1.1;
constexpr Duration kLeast = 20us;

AdmissionPolicy policyFor(const KernelClassGate& gate) {
  AdmissionPolicy policy;
  policy.cpus = allowedCpus();
  // Demotion needs a thread that can raise itself again; with a broker between, the first scheme.
  policy.scheme = gate.setsLevelsItself() ? PriorityScheme::Demotion : PriorityScheme::Bands;
  // Without priorities the levels are those of the analysis alone.
  if (gate.granted() == KernelClass::None || gate.granted() == KernelClass::Deadline) return policy;
  // The highest level is the watchdog's, the lowest the overrun band.
  policy.levels.lowest = std::min(gate.minPriority() + 1, gate.maxPriority());
  policy.levels.highest = std::max(policy.levels.lowest, gate.maxPriority() - 1);
  return policy;
}

}  // namespace

TaskTable::TaskTable(KernelClassGate& gate, EventQueue& events)
    : m_gate(gate), m_events(events), m_reservations(policyFor(gate)) {}

Task::Body* TaskTable::findLocked(std::uint64_t id) const noexcept {
  const auto found =
      std::find_if(m_tasks.begin(), m_tasks.end(), [id](const Task::Body* body) { return body->id == id; });
  return found == m_tasks.end() ? nullptr : *found;
}

void TaskTable::removeLocked(Task::Body& body) {
  std::erase(m_tasks, &body);
  learnLocked(body);
  releaseLocked(body);
}

ReservationContract TaskTable::reservationOf(const Task::Body& body) const {
  const TaskContract& task = body.record.contract;
  ReservationContract asked;
  asked.name = task.name;
  asked.rate = task.lbap.rate;
  asked.service = task.realtime && !body.watch.detached ? task.service : ServiceClass::BestEffort;
  asked.deadline = task.deadline;
  asked.threads = task.threads;
  asked.frequency = task.frequency;
  asked.cpus = task.cpus;
  asked.preferred = task.preferred;
  const bool heldBack =
      task.early == EarlyPackets::Clocked || (task.early != EarlyPackets::Run && m_gate.setsLevelsItself());
  asked.workahead = heldBack ? 1 : task.lbap.workahead;
  asked.worksAhead = task.early != EarlyPackets::Clocked && task.lbap.workahead > 1;
  std::optional<ProcessingTimes> times = body.statistics.estimate.figures(task.quantile);
  if (!times) times = body.record.known;
  if (!times) {
    const Duration guess =
        task.processing > Duration::zero() ? task.processing : asked.rate.period() / kGuessedPart;
    times = {guess, guess, 0};
  } else {
    times->typical = Duration(std::llround(static_cast<double>(times->typical.count()) * kMargin));
  }
  asked.typical = std::max(times->typical, kLeast);
  asked.worst = std::max(times->worst, asked.typical);
  return asked;
}

const ReservationEntry* TaskTable::admittedLocked(const Task::Body& body) const {
  const ReservationEntry* entry = m_reservations.find(body.record.reservation);
  return entry != nullptr && entry->admitted ? entry : nullptr;
}

Result<void, AdmissionRefusal> TaskTable::admitLocked(Task::Body& body) {
  const ReservationContract asked = reservationOf(body);
  if (body.record.reservation == ReservationId::None) {
    auto made = m_reservations.create(asked);
    if (!made.ok()) return made.error();
    body.record.reservation = made.value();
  } else if (auto changed = m_reservations.change(body.record.reservation, asked); !changed.ok()) {
    return changed;
  }
  ++body.record.admissions;
  return {};
}

Result<void, AdmissionRefusal> TaskTable::reserveLocked(Task::Body& body) {
  auto& record = body.record;
  const std::string& name = record.contract.name;
  auto admitted = admitLocked(body);
  if (admitted.ok()) {
    if (!record.refusal.empty())
      m_events.post({Kind::Admitted, body.id, name, name + " has its reservation now."});
    record.refusal.clear();
    return {};
  }
  const std::string& sentence = admitted.error().sentence;
  if (record.refusal.empty()) m_events.post({Kind::NotAdmitted, body.id, name, sentence});
  record.refusal = sentence;
  return admitted;
}

void TaskTable::releaseLocked(Task::Body& body) {
  m_reservations.release(body.record.reservation);
  body.record.reservation = ReservationId::None;
}

Result<void, AdmissionRefusal> TaskTable::amendLocked(Task::Body& body, const ContractPatch& patch) {
  TaskRecord& record = body.record;
  TaskContract other = record.contract;
  if (!patch.applyTo(other)) return {};
  if (const auto valid = validate(other); !valid.ok()) return AdmissionRefusal::of(valid.error());
  std::swap(record.contract, other);  // `other` is the old one from here on
  const auto publish = [&] { body.orders.terms.publish({record.contract.lbap, record.contract.deadline}); };
  if (record.contract.lbap != other.lbap) {
    publish();
    auto admitted = reserveLocked(body);
    if (!admitted.ok()) releaseLocked(body);
    return admitted;
  }
  const bool holds = admittedLocked(body) != nullptr;
  Result<void, AdmissionRefusal> admitted;
  if (!holds && !record.refusal.empty() && m_reservations.hopeless(reservationOf(body))) {
    admitted = AdmissionRefusal::of({ErrorCode::Refused, record.refusal});
  } else {
    admitted = admitLocked(body);
  }
  if (!admitted.ok() && holds) {
    std::swap(record.contract, other);
    return admitted;
  }
  publish();
  if (admitted.ok()) record.refusal.clear();
  return admitted;
}

void TaskTable::setWorkersLocked(Task::Body& body, std::span<const pid_t> tids) {
  body.record.threads.setWorkers(tids);
  body.record.contract.threads = std::max(1, static_cast<int>(tids.size()));
  // The estimate has one writer: the bound thread, or the watchdog where packets are worked on elsewhere.
  body.orders.hasWorkers.store(!tids.empty(), std::memory_order_relaxed);
  body.watch.cost.restart(body.statistics.packets(), body.record.threads.cpuTime());
  (void)reserveLocked(body);  // refused: the record says why
}

void TaskTable::measureLocked(Task::Body& body, TimePoint now) {
  const auto& contract = body.record.contract;
  const std::uint64_t packets = body.statistics.packets();
  const Duration cpu = body.record.threads.cpuTime();
  CostMeter::Measured measured;
  if (!body.record.threads.workers().empty()) {
    measured = body.watch.cost.ofPackets(packets, cpu);
  } else if (!contract.enforces && packets == 0 && body.record.threads.bound() != 0) {
    measured = body.watch.cost.ofPeriods(now, contract.lbap.rate.period(), cpu);
  }
  for (std::uint64_t i = 0; i < measured.packets; ++i) body.statistics.estimate.record(measured.each);
}

void TaskTable::followCostLocked(Task::Body& body, TimePoint now) {
  measureLocked(body, now);
  if (!body.record.contract.realtime || body.watch.detached) return;
  const ReservationEntry* entry = m_reservations.find(body.record.reservation);
  const ReservationContract asked = reservationOf(body);
  if (entry != nullptr && asked.service == ServiceClass::BestEffort &&
      entry->contract.service == ServiceClass::BestEffort)
    return;
  if (entry != nullptr && entry->admitted) {
    const bool guaranteed = asked.service == ServiceClass::Guaranteed;
    const auto& reserved = entry->contract;
    if (!drifted(guaranteed ? reserved.worst : reserved.typical, guaranteed ? asked.worst : asked.typical))
      return;
  } else if (!body.record.refusal.empty()) {
    auto& retry = body.watch.retry;
    if (!retry.due(now) || m_reservations.hopeless(asked, body.record.reservation)) return;
    retry.asked(now);
  }
  if (reserveLocked(body).ok()) body.watch.retry.admitted();
}

void TaskTable::tellLossesLocked(const std::vector<ReservationId>& lost, const char* reason) {
  for (auto* body : m_tasks) {
    if (std::find(lost.begin(), lost.end(), body->record.reservation) == lost.end()) continue;
    const std::string& name = body->record.contract.name;
    body->record.refusal = name + " lost its reservation: " + reason;
    m_events.post({Kind::NotAdmitted, body->id, name, body->record.refusal});
  }
}

void TaskTable::setPolicyLocked(AdmissionPolicy policy) {
  m_wantedCpus = policy.cpus == allowedCpus() ? std::vector<int>{} : policy.cpus;
  tellLossesLocked(m_reservations.setPolicy(std::move(policy)), "it no longer fits.");
}

bool TaskTable::followProcessorsLocked() {
  AdmissionPolicy policy = m_reservations.policy();
  std::vector<int> cpus = allowedCpus();
  if (!m_wantedCpus.empty()) {
    std::erase_if(cpus, [&](int cpu) {
      return std::find(m_wantedCpus.begin(), m_wantedCpus.end(), cpu) == m_wantedCpus.end();
    });
  }
  if (cpus == policy.cpus) return false;
  std::string names;
  for (const int cpu : cpus) names += (names.empty() ? "" : ", ") + std::to_string(cpu);
  policy.cpus = std::move(cpus);
  const auto lost = m_reservations.setPolicy(std::move(policy));
  m_events.post({Kind::ProcessorsChanged, 0, "",
                 "The processors that may be used are now " + names +
                     (lost.empty() ? "; every reservation still fits." : ".")});
  tellLossesLocked(lost, "the processors that are left have no room for it.");
  return true;
}

void TaskTable::learnLocked(const Task::Body& body) {
  if (const auto times = body.statistics.estimate.figures(body.record.contract.quantile))
    m_memory.learn(body.record.contract.kind, *times);
}

std::string TaskTable::learnedLocked() {
  for (const auto* body : m_tasks) learnLocked(*body);
  return m_memory.save();
}

void TaskTable::recallLocked(Task::Body& body) const {
  const std::string& kind = body.record.contract.kind;
  if (!kind.empty()) body.record.known = m_memory.find(kind);
}

}  // namespace tactus::periodic
