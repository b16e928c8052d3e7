// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/scheduler.h"

#include <pthread.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "core/periodic/task/scheduler_shared.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWatchPeriod = 20ms;

/// The thread of the watchdog and of the dispatcher: above all tasks, where there is a class.
void watch(Scheduler::Shared& shared, const std::atomic<bool>& stop) {
  pthread_setname_np(pthread_self(), "tactus-watchdog");
  // Without the class it watches at normal priority.
  (void)shared.gate.raise(currentThreadId(), shared.gate.maxPriority()).ok();
  KernelTime kernel;
  TimePoint nextWatch = MonotonicClock::now();
  while (!stop.load(std::memory_order_relaxed)) {  // relaxed: the alarm that follows orders it
    shared.alarm.clear();
    if (MonotonicClock::now() >= nextWatch) {
      const std::lock_guard lock(shared.mutex);
      shared.watchdog.lookLocked(shared.time.now());
      nextWatch = std::max(nextWatch + kWatchPeriod, MonotonicClock::now());
    }
    TimePoint next = nextWatch;
    {
      const std::lock_guard lock(shared.mutex);
      shared.alarm.setNext(nextWatch);
      next = std::min(next, shared.dispatcher.lookLocked(MonotonicClock::now()));
      shared.alarm.setNext(next);
    }
    kernel.sleepUntil(next, shared.alarm.wake());
  }
  shared.gate.lower(currentThreadId());
}

/// The companion's thread. The kernel patches itself for the machine's first perf counter, which takes some
/// 15 ms: one is kept open here, so that no film's first packet waits for that.
void tell(Scheduler::Shared& shared) {
  pthread_setname_np(pthread_self(), "tactus-events");
  const std::atomic<int> nowhere{0};
  std::unique_ptr<BudgetSignal> kept;
  if (shared.gate.granted() == KernelClass::Fifo)
    if (auto opened = BudgetSignal::open(currentThreadId(), nowhere); opened.ok())
      kept = std::move(opened).value();
  shared.events.deliver();
}

}  // namespace

struct Scheduler::Threads {
  std::atomic<bool> stop{false};
  std::thread watchdog;
  std::thread companion;
};

Scheduler::Scheduler(TimeSource& time, KernelClassGate& gate, TraceLog& trace, bool watches,
                     MemoryShare::Read memory)
    : m_shared(std::make_shared<Shared>(time, gate, trace, std::move(memory))),
      m_threads(std::make_unique<Threads>()) {
  m_threads->companion = std::thread([shared = m_shared] { tell(*shared); });
  if (watches)
    m_threads->watchdog = std::thread([shared = m_shared, &stop = m_threads->stop] { watch(*shared, stop); });
}

Scheduler::~Scheduler() {
  m_threads->stop.store(true, std::memory_order_relaxed);
  m_shared->alarm.ring();
  if (m_threads->watchdog.joinable()) m_threads->watchdog.join();
  m_shared->events.stop();
  m_threads->companion.join();
}

Result<std::unique_ptr<Task>> Scheduler::adopt(TaskContract contract, pid_t tid) {
  auto made = make(std::move(contract), tid, false);
  if (!made.ok()) return Error{made.error().code, made.error().sentence};
  return std::move(made).value();
}

Result<std::unique_ptr<Task>, AdmissionRefusal> Scheduler::reserve(TaskContract contract, pid_t tid) {
  return make(std::move(contract), tid, true);
}

Result<std::unique_ptr<Task>, AdmissionRefusal> Scheduler::make(TaskContract contract, pid_t tid,
                                                                bool strict) {
  if (const auto valid = validate(contract); !valid.ok()) return AdmissionRefusal::of(valid.error());
  if (tid < 0) return AdmissionRefusal::of({ErrorCode::InvalidArgument, "A thread id cannot be negative."});
  const std::lock_guard lock(m_shared->mutex);
  auto body = std::make_unique<Task::Body>(m_shared, m_shared->table.nextId(), std::move(contract));
  if (tid != 0) {
    if (!cpuTimeOf(tid)) {
      return AdmissionRefusal::of(
          {ErrorCode::NotFound, "There is no thread " + std::to_string(tid) + " in this process."});
    }
    body->record.threads.bind(tid);
    body->packets.trace(m_shared->trace.open(body->record.contract.name, tid));
  }
  m_shared->table.recallLocked(*body);
  if (strict) {
    if (auto admitted = m_shared->table.admitLocked(*body); !admitted.ok()) return admitted.error();
  } else {
    (void)m_shared->table.reserveLocked(*body);
  }
  m_shared->table.addLocked(*body);
  m_shared->classes.assignLocked();
  return std::unique_ptr<Task>(new Task(std::move(body)));
}

Result<void, AdmissionRefusal> Scheduler::wouldReserve(const TaskContract& contract) const {
  if (const auto valid = validate(contract); !valid.ok()) return AdmissionRefusal::of(valid.error());
  const std::lock_guard lock(m_shared->mutex);
  Task::Body body(m_shared, 0, contract);
  m_shared->table.recallLocked(body);
  return m_shared->table.reservations().wouldAdmit(m_shared->table.reservationOf(body));
}

std::vector<ReservationEntry> Scheduler::reservations() const {
  const std::lock_guard lock(m_shared->mutex);
  return m_shared->table.reservations().list();
}

AdmissionPolicy Scheduler::policy() const {
  const std::lock_guard lock(m_shared->mutex);
  return m_shared->table.policy();
}

void Scheduler::setPolicy(AdmissionPolicy policy) {
  const std::lock_guard lock(m_shared->mutex);
  m_shared->watchdog.setCapacityLocked(policy.capacity);
  m_shared->table.setPolicyLocked(std::move(policy));
  m_shared->classes.assignLocked();
}

std::string Scheduler::budgetRefusal() const {
  const std::lock_guard lock(m_shared->mutex);
  return m_shared->classes.budgetRefusal();
}

void Scheduler::loadLearned(std::string_view text) {
  const std::lock_guard lock(m_shared->mutex);
  m_shared->table.loadLearnedLocked(text);
}

std::string Scheduler::learned() const {
  const std::lock_guard lock(m_shared->mutex);
  return m_shared->table.learnedLocked();
}

std::vector<TaskReport> Scheduler::report() const {
  std::vector<TaskReport> reports;
  const std::lock_guard lock(m_shared->mutex);
  reports.reserve(m_shared->table.tasks().size());
  for (auto* body : m_shared->table.tasks()) reports.push_back(body->reportLocked());
  return reports;
}

std::uint64_t Scheduler::subscribe(std::function<void(const SchedulerEvent&)> listener) {
  return m_shared->events.subscribe(std::move(listener));
}

void Scheduler::unsubscribe(std::uint64_t subscription) {
  m_shared->events.unsubscribe(subscription);
}

const std::shared_ptr<MemoryShare>& Scheduler::memory() const noexcept {
  return m_shared->memory;
}
KernelClassGate& Scheduler::gate() noexcept {
  return m_shared->gate;
}
TraceLog& Scheduler::trace() noexcept {
  return m_shared->trace;
}
TimeSource& Scheduler::time() noexcept {
  return m_shared->time;
}

}  // namespace tactus::periodic
