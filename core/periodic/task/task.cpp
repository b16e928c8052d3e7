// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/task.h"

#include <sched.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/periodic/task/task_table.h"

namespace tactus::periodic {
namespace {

// relaxed: counters for statistics with one writer; nothing is published through them.
constexpr auto kRelaxed = std::memory_order_relaxed;

void increment(std::atomic<std::uint64_t>& counter) noexcept {
  counter.store(counter.load(kRelaxed) + 1, kRelaxed);
}

}  // namespace

Task::Body::Body(std::shared_ptr<Scheduler::Shared> table, std::uint64_t number, TaskContract asked)
    : shared(std::move(table)),
      id(number),
      time(shared->time),
      trace(shared->trace),
      contract(std::move(asked)),
      regulator(contract.lbap),
      relativeDeadline(contract.deadline),
      early(contract.early),
      spin(contract.spin) {}

void Task::Body::record(TraceEvent event, TimePoint at, Duration length, std::int64_t value) TACTUS_REALTIME {
  if (ring && trace.enabled()) ring->push({at, length, value, event});
}

void Task::Body::applyChanges() TACTUS_REALTIME {
  if (const auto changed = terms.take()) {
    regulator.change(changed->lbap);
    relativeDeadline = changed->deadline;
  }
  // The loads spare the exchanges, which cost a bus lock each, on every packet without news.
  if (reanchor.load(kRelaxed) && reanchor.exchange(false, std::memory_order_acquire)) {
    regulator.reanchor();
    record(TraceEvent::Reanchor, time.now(), Duration{0}, 0);
  }
  if (clear.load(kRelaxed) && clear.exchange(false, std::memory_order_acquire)) {
    packets.store(0, kRelaxed);
    completed.store(0, kRelaxed);
    misses.store(0, kRelaxed);
    violations.store(0, kRelaxed);
    laxity.clear();
    responseTime.clear();
    waited.clear();
  }
}

void Task::Body::finish(TimePoint now, std::optional<TimePoint> dueInstead) TACTUS_REALTIME {
  open = false;
  const Duration left = dueInstead.value_or(deadline) - now;
  laxity.record(left);
  responseTime.record(now - std::min(logicalArrival, begin));
  increment(completed);
  record(TraceEvent::Run, begin, now - begin, left.count());
  if (left >= Duration::zero()) return;
  increment(misses);
  record(TraceEvent::Miss, now, Duration{0}, -left.count());
}

/// The packet before is over, completed or not: its CPU time is learned, and the thread is back at its level.
void Task::Body::closePacket() TACTUS_REALTIME {
  const Duration cpu = time.threadCpu();
  if (measured && !hasWorkers.load(kRelaxed)) estimate.record(cpu - cpuAtBegin);
  BudgetSignal* const budgetSignal =
      signal.load(std::memory_order_acquire);  // acquire: made by another thread
  bool below = false;
  if (budgetSignal != nullptr) {
    budgetSignal->disarm();
    below = budgetSignal->overran();
    if (below) record(TraceEvent::Overrun, time.now(), Duration{0}, budgetSignal->lastExcess().count());
  }
  openSince.store(-1, kRelaxed);
  // The load spares a bus lock on every packet.
  if (patrolled.load(kRelaxed) && patrolled.exchange(false, std::memory_order_acq_rel)) {
    below = true;
    record(TraceEvent::Overrun, time.now(), Duration{0}, 0);
  }
  if (lowered) {
    lowered = false;
    // A promotion under way ends within one system call of a more urgent thread.
    std::int64_t at = promoteAt.load(std::memory_order_acquire);
    while (at < 0 || !promoteAt.compare_exchange_weak(at, 0, std::memory_order_acq_rel)) {
      if (at < 0) sched_yield();
      if (at < 0) at = promoteAt.load(std::memory_order_acquire);
    }
    below = below || at > 0;
  }
  if (const int own = ownLevel.load(kRelaxed); below && own > 0) shared->gate.setOwnLevel(own);
  cpuAtBegin = cpu;  // what the wait takes belongs to the packet it is for
}

/// What it exceeded its time by is told with the packet: until the next begins its thread has its level, and
/// another budget.
void Task::Body::forgive() TACTUS_REALTIME {
  BudgetSignal* const budgetSignal = signal.load(std::memory_order_acquire);
  const int own = ownLevel.load(kRelaxed);
  const bool isEarly = promoteAt.load(kRelaxed) != 0;
  if (budgetSignal == nullptr || !budgetSignal->overran() || own <= 0 || isEarly) return;
  record(TraceEvent::Overrun, time.now(), Duration{0}, budgetSignal->lastExcess().count());
  budgetSignal->begin(time.threadCpu(), Duration(budget.load(kRelaxed)));
  shared->gate.setOwnLevel(own);
}

/// Processing begins: an early packet below, until its logical arrival time; any packet with its budget.
void Task::Body::openPacket(bool isEarly) TACTUS_REALTIME {
  measured = true;
  const bool supervisable = ownLevel.load(kRelaxed) > 0;
  if (BudgetSignal* const budgetSignal = signal.load(std::memory_order_acquire); budgetSignal && supervisable)
    budgetSignal->begin(cpuAtBegin, Duration(budget.load(kRelaxed)));
  openSince.store(cpuAtBegin.count(), kRelaxed);
  if (isEarly && supervisable && (early == EarlyPackets::Demoted || early == EarlyPackets::Idle)) {
    lowered = true;
    // The promotion is arranged first: once it is lower, the thread may not run for long. Until it has said
    // that it is, it is promoted again and again, for it might undo that.
    std::int64_t at = logicalArrival.time_since_epoch().count() | kLowering;
    promoteAt.store(at, std::memory_order_release);
    shared->promoteSoon(logicalArrival);
    if (early == EarlyPackets::Idle) {
      shared->gate.setOwnIdle();
    } else {
      shared->gate.setOwnLevel(overrunLevel.load(kRelaxed));
    }
    // It fails where somebody else has taken the class away meanwhile.
    (void)promoteAt.compare_exchange_strong(at, at & ~kLowering, std::memory_order_acq_rel);
  }
  if (!trace.enabled()) return;
  if (const int now = level.load(kRelaxed); now != levelTraced) {
    record(now > 0 ? TraceEvent::Granted : TraceEvent::Demoted, begin, Duration{0}, now);
    levelTraced = now;
  }
  if (const std::int64_t now = share.load(kRelaxed); now != shareTraced) {
    record(TraceEvent::Reserved, begin, Duration{0}, now);
    shareTraced = now;
  }
}

Enforced Task::Body::accept(std::optional<Duration> spacing, ByteCount size, std::optional<TimePoint> arrived,
                            bool mayWait) TACTUS_REALTIME {
  const TimePoint arrival = time.now();
  if (open) finish(arrival, {});
  closePacket();
  applyChanges();
  const Verdict verdict = regulator.arrive(std::min(arrival, arrived.value_or(arrival)), spacing, size);
  increment(packets);
  Enforced result{verdict.logicalArrival, Duration{0}, false};
  begin = arrival;
  if (verdict.release > arrival || size > regulator.contract().maxPacketSize) increment(violations);
  if (mayWait && verdict.release > arrival) {
    result.interrupted = time.sleepUntil(verdict.release - spin, interrupt) == Wake::Interrupted;
    if (spin > Duration::zero() && !result.interrupted) time.spinUntil(verdict.release);  // at most 200 us
    begin = time.now();
    result.waited = begin - arrival;
    record(TraceEvent::Enforce, arrival, result.waited, 0);
    if (!result.interrupted) record(TraceEvent::Wake, begin, Duration{0}, (begin - verdict.release).count());
  }
  waited.record(result.waited);
  logicalArrival = verdict.logicalArrival;
  Duration relative = relativeDeadline;
  if (relative <= Duration::zero()) {
    relative = spacing && *spacing > Duration::zero() ? *spacing : regulator.contract().rate.period();
  }
  deadline = verdict.logicalArrival + relative;
  open = true;
  openPacket(mayWait && begin < logicalArrival);
  return result;
}

Task::Task(std::unique_ptr<Body> body) noexcept : m_body(std::move(body)) {}

Task::~Task() {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  std::erase(shared.tasks, m_body.get());
  shared.lowerLocked(*m_body);
  shared.watch.forget(m_body->id);
  if (const auto times = m_body->estimate.figures(m_body->contract.quantile))
    shared.memory.learn(m_body->contract.kind, *times);
  shared.releaseLocked(*m_body);
  shared.assignPrioritiesLocked();
}

Enforced Task::enforce(std::optional<Duration> spacing, ByteCount size,
                       std::optional<TimePoint> arrival) TACTUS_REALTIME {
  return m_body->accept(spacing, size, arrival, true);
}

Enforced Task::pass(std::optional<Duration> spacing, ByteCount size) TACTUS_REALTIME {
  return m_body->accept(spacing, size, {}, false);
}

Verdict Task::poll(std::optional<Duration> spacing) const TACTUS_REALTIME {
  return m_body->regulator.poll(m_body->time.now(), spacing);
}

void Task::complete(std::optional<TimePoint> deadline) TACTUS_REALTIME {
  if (!m_body->open) return;
  m_body->finish(m_body->time.now(), deadline);
  m_body->forgive();
}

void Task::abandon(std::int64_t reason) TACTUS_REALTIME {
  m_body->measured = false;  // given up: it says nothing about what a packet costs
  if (!m_body->open) return;
  m_body->open = false;
  m_body->record(TraceEvent::Drop, m_body->time.now(), Duration{0}, reason);
  m_body->forgive();
}

void Task::interrupt() noexcept {
  m_body->interrupt.raise();
}

void Task::resume() noexcept {
  reanchor();
  m_body->interrupt.clear();
}

// release: pairs with applyChanges(); whatever moved the stream is done before its regulator starts anew.
void Task::reanchor() noexcept {
  m_body->reanchor.store(true, std::memory_order_release);
}

Result<void, AdmissionRefusal> Task::amend(const ContractPatch& patch) {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  return shared.amendLocked(*m_body, patch);
}

void Task::setWorkers(std::span<const pid_t> tids) {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  m_body->readCpuLocked();
  for (const auto& worker : m_body->workers) {
    m_body->cpuBefore += worker.cpuRead - worker.cpuAtBind;
    if (std::find(tids.begin(), tids.end(), worker.tid) == tids.end()) shared.gate.lower(worker.tid);
  }
  m_body->workers.clear();
  for (const pid_t tid : tids) {
    const Duration cpu = cpuTimeOf(tid).value_or(Duration{0});
    m_body->workers.push_back({tid, cpu, cpu});
  }
  // The estimate has one writer: the bound thread, or the watchdog where packets are worked on elsewhere.
  m_body->hasWorkers.store(!m_body->workers.empty(), kRelaxed);
  m_body->workersMeasured = m_body->cpuLocked();
  m_body->packetsMeasured = m_body->packets.load(kRelaxed);
  m_body->contract.threads = std::max(1, static_cast<int>(m_body->workers.size()));
  (void)shared.reserveLocked(*m_body);
  m_body->priority = 0;  // so that the new ones get it, too
  shared.assignPrioritiesLocked();
}

void Task::bind(pid_t tid) {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  if (m_body->thread.tid == tid) return;
  shared.lowerLocked(*m_body);
  m_body->readCpuLocked();
  m_body->cpuBefore += m_body->thread.cpuRead - m_body->thread.cpuAtBind;
  const Duration cpu = tid == 0 ? Duration{0} : cpuTimeOf(tid).value_or(Duration{0});
  m_body->thread = {tid, cpu, cpu};
  if (!m_body->ring && tid != 0) m_body->ring = shared.trace.open(m_body->contract.name, tid);
  shared.assignPrioritiesLocked();
}

TaskReport Task::Body::reportLocked() {
  readCpuLocked();
  TaskReport report;
  report.id = id;
  report.contract = contract;
  report.tid = thread.tid;
  report.workers = static_cast<int>(workers.size());
  report.kernelClass = kernelClass;
  report.priority = priority;
  if (const ReservationEntry* entry = shared->table.find(reservation); entry != nullptr && entry->admitted) {
    report.reserved = true;
    report.parts = shared->table.analysed(*entry).parts;
  }
  report.refusal = refusal;
  report.budgetBySignal = signal.load(kRelaxed) != nullptr;
  auto& figures = report.statistics;
  figures.packets = packets.load(kRelaxed);
  figures.completed = completed.load(kRelaxed);
  figures.misses = misses.load(kRelaxed);
  figures.violations = violations.load(kRelaxed);
  figures.demotions = demotions;
  figures.overruns = patrolOverruns + (signalOwner ? signalOwner->overruns() : 0);
  for (const auto& retired : retiredSignals) figures.overruns += retired->overruns();
  figures.processing = estimate.figures(contract.quantile);
  figures.cpuTime = cpuLocked();
  figures.laxity = laxity.snapshot();
  figures.responseTime = responseTime.snapshot();
  figures.waited = waited.snapshot();
  return report;
}

TaskReport Task::report() const {
  const std::lock_guard lock(m_body->shared->mutex);
  return m_body->reportLocked();
}

TaskContract Task::contract() const {
  const std::lock_guard lock(m_body->shared->mutex);
  return m_body->contract;
}

TaskCounters Task::counters() const {
  const std::lock_guard lock(m_body->shared->mutex);
  m_body->readCpuLocked();
  return {m_body->packets.load(kRelaxed), m_body->completed.load(kRelaxed), m_body->misses.load(kRelaxed),
          m_body->cpuLocked()};
}

void Task::clearStatistics() noexcept {
  m_body->clear.store(true, std::memory_order_release);
}

std::uint64_t Task::id() const noexcept {
  return m_body->id;
}

}  // namespace tactus::periodic
