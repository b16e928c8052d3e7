// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task.h"

#include <algorithm>
#include <mutex>

#include "core/periodic/task_table.h"

namespace tactus::periodic {
namespace {

// relaxed: counters for statistics with one writer; nothing is published through them.
constexpr auto kRelaxed = std::memory_order_relaxed;

void increment(std::atomic<std::uint64_t>& counter) noexcept {
  counter.store(counter.load(kRelaxed) + 1, kRelaxed);
}

}  // namespace

std::string_view nameOf(Stage stage) noexcept {
  switch (stage) {
    case Stage::Source:
      return "source";
    case Stage::VideoDecode:
      return "video decode";
    case Stage::AudioDecode:
      return "audio decode";
    case Stage::VideoDisplay:
      return "video display";
    case Stage::Audio:
      return "audio";
    case Stage::Render:
      return "render";
    case Stage::Other:
      break;
  }
  return "other";
}

Task::Body::Body(std::shared_ptr<Scheduler::Shared> table, std::uint64_t number, TaskContract terms)
    : shared(std::move(table)),
      id(number),
      time(shared->time),
      trace(shared->trace),
      declaredDeadline(terms.deadline),
      contract(std::move(terms)),
      regulator(contract.lbap) {}

Task::Body::~Body() {
  delete pending.load(kRelaxed);
  freeSpent();
}

void Task::Body::freeSpent() noexcept {
  // acquire: pairs with the bound thread's release when it put the change there.
  ContractChange* change = spent.exchange(nullptr, std::memory_order_acquire);
  while (change != nullptr) {
    ContractChange* next = change->nextSpent;
    delete change;
    change = next;
  }
}

void Task::Body::record(TraceEvent event, TimePoint at, Duration length, std::int64_t value) TACTUS_REALTIME {
  if (ring && trace.enabled()) ring->push({at, length, value, event});
}

void Task::Body::applyChanges() TACTUS_REALTIME {
  // The loads spare the exchanges, which cost a bus lock each, on every packet without news.
  if (pending.load(kRelaxed) != nullptr) {
    // acquire: the contract was written before it was published.
    if (ContractChange* change = pending.exchange(nullptr, std::memory_order_acquire)) {
      regulator.change(change->lbap);
      change->nextSpent = spent.load(kRelaxed);
      // release: the link is written before the list is taken by freeSpent().
      while (!spent.compare_exchange_weak(change->nextSpent, change, std::memory_order_release, kRelaxed)) {
      }
    }
  }
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

Enforced Task::Body::accept(std::optional<Duration> spacing, ByteCount size, bool mayWait) TACTUS_REALTIME {
  const TimePoint arrival = time.now();
  if (open) finish(arrival, {});
  applyChanges();
  const Verdict verdict = regulator.arrive(arrival, spacing, size);
  increment(packets);
  Enforced result{verdict.logicalArrival, Duration{0}, false};
  begin = arrival;
  if (verdict.conformance == Conformance::Violation) increment(violations);
  if (mayWait && verdict.release > arrival) {
    result.interrupted = time.sleepUntil(verdict.release, interrupt) == Wake::Interrupted;
    begin = time.now();
    result.waited = begin - arrival;
    record(TraceEvent::Enforce, arrival, result.waited, 0);
    if (!result.interrupted) record(TraceEvent::Wake, begin, Duration{0}, (begin - verdict.release).count());
  }
  waited.record(result.waited);
  logicalArrival = verdict.logicalArrival;
  Duration relative = declaredDeadline;
  if (relative <= Duration::zero()) {
    relative = spacing && *spacing > Duration::zero() ? *spacing : regulator.contract().rate.period();
  }
  deadline = verdict.logicalArrival + relative;
  open = true;
  return result;
}

Task::Task(std::unique_ptr<Body> body) noexcept : m_body(std::move(body)) {}

Task::~Task() {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  std::erase(shared.tasks, m_body.get());
  shared.lowerLocked(*m_body);
  shared.watch.forget(m_body->id);
  shared.assignPrioritiesLocked();
}

Enforced Task::enforce(std::optional<Duration> spacing, ByteCount size) TACTUS_REALTIME {
  return m_body->accept(spacing, size, true);
}

Enforced Task::pass(std::optional<Duration> spacing, ByteCount size) TACTUS_REALTIME {
  return m_body->accept(spacing, size, false);
}

Verdict Task::poll(std::optional<Duration> spacing) const TACTUS_REALTIME {
  return m_body->regulator.poll(m_body->time.now(), spacing);
}

void Task::complete(std::optional<TimePoint> deadline) TACTUS_REALTIME {
  if (m_body->open) m_body->finish(m_body->time.now(), deadline);
}

void Task::abandon(std::int64_t reason) TACTUS_REALTIME {
  if (!m_body->open) return;
  m_body->open = false;
  m_body->record(TraceEvent::Drop, m_body->time.now(), Duration{0}, reason);
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

void Task::change(LbapContract lbap) {
  auto& shared = *m_body->shared;
  const std::lock_guard lock(shared.mutex);
  m_body->freeSpent();
  lbap.workahead = std::max(lbap.workahead, 1u);
  auto change = std::make_unique<ContractChange>(ContractChange{lbap});
  // release publishes the contract; a change not yet applied is replaced and comes back to us.
  delete m_body->pending.exchange(change.release(), std::memory_order_acq_rel);
  m_body->contract.lbap = lbap;
  shared.assignPrioritiesLocked();
}

void Task::rename(std::string name) {
  const std::lock_guard lock(m_body->shared->mutex);
  m_body->contract.name = std::move(name);
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
  if (m_body->kernelClass != KernelClass::None) shared.applyClassLocked(*m_body, m_body->priority);
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
  auto& figures = report.statistics;
  figures.packets = packets.load(kRelaxed);
  figures.completed = completed.load(kRelaxed);
  figures.misses = misses.load(kRelaxed);
  figures.violations = violations.load(kRelaxed);
  figures.demotions = demotions;
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

void Task::clearStatistics() noexcept {
  m_body->clear.store(true, std::memory_order_release);
}

std::uint64_t Task::id() const noexcept {
  return m_body->id;
}

}  // namespace tactus::periodic
