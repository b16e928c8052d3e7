// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/task.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/periodic/task/scheduler_shared.h"

namespace tactus::periodic {

Task::Body::Body(std::shared_ptr<Scheduler::Shared> table, std::uint64_t number, TaskContract contract)
    : shared(std::move(table)),
      id(number),
      record{std::move(contract), {}, ReservationId::None, {}, 0, {}},
      packets({shared->time, shared->gate, shared->alarm, interrupt, shared->trace, orders, promotion,
               openPacket, statistics},
              record.contract) {}

Task::Task(std::unique_ptr<Body> body) noexcept : m_body(std::move(body)) {}

Task::~Task() {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  shared.classes.lowerLocked(*m_body);
  shared.watchdog.forgetLocked(*m_body);
  shared.table.removeLocked(*m_body);
  shared.classes.assignLocked();
}

Enforced Task::enforce(std::optional<Duration> spacing, ByteCount size,
                       std::optional<TimePoint> arrival) TACTUS_REALTIME {
  return m_body->packets.accept(spacing, size, arrival, true);
}

Enforced Task::pass(std::optional<Duration> spacing, ByteCount size) TACTUS_REALTIME {
  return m_body->packets.accept(spacing, size, {}, false);
}

Verdict Task::poll(std::optional<Duration> spacing) const TACTUS_REALTIME {
  return m_body->packets.poll(spacing);
}

void Task::complete(std::optional<TimePoint> deadline) TACTUS_REALTIME {
  m_body->packets.complete(deadline);
}

void Task::abandon(std::int64_t reason) TACTUS_REALTIME {
  m_body->packets.abandon(reason);
}

TimeSource& Task::time() const noexcept {
  return m_body->shared->time;
}

void Task::interrupt() noexcept {
  m_body->interrupt.raise();
}

void Task::resume() noexcept {
  reanchor();
  m_body->interrupt.clear();
  m_body->resumed.raise();
}

void Task::end() noexcept {
  m_body->ended.store(true, std::memory_order_release);  // release: what was done before is seen by the loop
  m_body->interrupt.raise();
  m_body->resumed.raise();
}

Pause Task::awaitResume() TACTUS_REALTIME {
  for (Pause met = Pause::None;; met = Pause::Ended) {
    if (m_body->ended.load(std::memory_order_acquire)) return Pause::ForGood;
    if (!m_body->interrupt.raised()) return met;
    (void)m_body->shared->time.sleepUntil(TimePoint::max(), m_body->resumed);
    m_body->resumed.clear();  // before the next look, so that what is raised after it is not lost
  }
}

void Task::reanchor() noexcept {
  // release: whatever moved the stream is done before its regulator starts anew.
  m_body->orders.reanchor.store(true, std::memory_order_release);
}

Result<void, AdmissionRefusal> Task::amend(const ContractPatch& patch) {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  auto admitted = shared.table.amendLocked(*m_body, patch);
  shared.classes.assignLocked();
  return admitted;
}

void Task::setWorkers(std::span<const pid_t> tids) {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  for (const pid_t worker : m_body->record.threads.workers())
    if (std::find(tids.begin(), tids.end(), worker) == tids.end()) shared.gate.lower(worker);
  shared.table.setWorkersLocked(*m_body, tids);
  shared.classes.reapplyLocked(*m_body);  // so that the new ones get it, too
  shared.classes.assignLocked();
}

void Task::bind(pid_t tid) {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  if (m_body->record.threads.bound() == tid) return;
  shared.classes.lowerLocked(*m_body);
  m_body->record.threads.bind(tid);
  if (tid != 0 && !m_body->packets.traced())
    m_body->packets.trace(shared.trace.open(m_body->record.contract.name, tid));
  shared.classes.assignLocked();
}

TaskReport Task::Body::reportLocked() {
  record.threads.read();
  TaskReport report;
  report.id = id;
  report.contract = record.contract;
  report.tid = record.threads.bound();
  report.workers = static_cast<int>(record.threads.workers().size());
  report.kernelClass = applied.kernelClass;
  report.priority = applied.priority;
  if (const ReservationEntry* entry = shared->table.admittedLocked(*this)) {
    report.reserved = true;
    report.parts = shared->table.reservations().analysed(*entry).parts;
  }
  report.refusal = record.refusal;
  report.budgetBySignal = applied.signal != nullptr;
  auto& figures = report.statistics;
  figures.packets = statistics.packets();
  figures.completed = statistics.completed();
  figures.misses = statistics.misses();
  figures.violations = statistics.violations();
  figures.demotions = watch.demotions;
  figures.overruns = watch.patrolOverruns + applied.overruns();
  figures.processing = statistics.estimate.figures(record.contract.quantile);
  figures.cpuTime = record.threads.cpuTime();
  figures.laxity = statistics.laxity();
  figures.responseTime = statistics.response();
  figures.waited = statistics.waited();
  return report;
}

TaskReport Task::report() const {
  const std::lock_guard lock(m_body->shared->mutex);
  return m_body->reportLocked();
}

TaskContract Task::contract() const {
  const std::lock_guard lock(m_body->shared->mutex);
  return m_body->record.contract;
}

TaskCounters Task::counters() const {
  const std::lock_guard lock(m_body->shared->mutex);
  m_body->record.threads.read();
  return {m_body->statistics.packets(), m_body->statistics.completed(), m_body->statistics.misses(),
          m_body->record.threads.cpuTime()};
}

void Task::clearStatistics() noexcept {
  m_body->orders.clear.store(true, std::memory_order_release);
}

std::uint64_t Task::id() const noexcept {
  return m_body->id;
}

}  // namespace tactus::periodic
