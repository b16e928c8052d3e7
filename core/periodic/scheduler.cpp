// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/scheduler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "core/periodic/priority.h"
#include "core/periodic/task_table.h"

namespace tactus::periodic {
namespace {

constexpr Duration kWatchPeriod = std::chrono::milliseconds(20);

}  // namespace

pid_t currentThreadId() noexcept {
  static thread_local const pid_t tid = static_cast<pid_t>(syscall(SYS_gettid));
  return tid;
}

std::optional<Duration> cpuTimeOf(pid_t tid) noexcept {
  // The kernel's encoding of "scheduler clock of this thread" (include/linux/posix-timers.h,
  // MAKE_THREAD_CPUCLOCK).
  const auto clock = static_cast<clockid_t>((~static_cast<unsigned>(tid) << 3) | 6u);
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return std::nullopt;
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

void Task::Body::readCpuLocked() noexcept {
  const auto read = [](BoundThread& bound) {
    if (bound.tid == 0) return;
    if (const auto cpu = cpuTimeOf(bound.tid)) bound.cpuRead = std::max(bound.cpuRead, *cpu);
  };
  read(thread);
  for (auto& worker : workers) read(worker);
}

Duration Task::Body::cpuLocked() const noexcept {
  Duration sum = cpuBefore + (thread.cpuRead - thread.cpuAtBind);
  for (const auto& worker : workers) sum += worker.cpuRead - worker.cpuAtBind;
  return sum;
}

namespace {

std::string demotionSentence(const std::string& name, const BudgetWatch::Action& action) {
  char text[256];
  std::snprintf(text, sizeof text, "%s used %.0f %% of a CPU and runs at normal priority for %.0f s.",
                name.c_str(), action.share * 100, std::chrono::duration<double>(action.penalty).count());
  return text;
}

}  // namespace

void Scheduler::Shared::applyClassLocked(Task::Body& body, int priority) {
  const auto raised = gate.raise(body.thread.tid, priority);
  if (!raised.ok()) {
    if (raised.error().code != ErrorCode::NotFound && body.kernelClass != KernelClass::None) {
      post({SchedulerEvent::Kind::RefusedClass, body.id, body.contract.name,
            body.contract.name + " lost its real-time class: " + raised.error().message});
    }
    body.kernelClass = KernelClass::None;
    body.priority = 0;
    return;
  }
  for (const auto& worker : body.workers)
    (void)gate.raise(worker.tid, priority).ok();  // may have ended: no error
  if (body.priority != priority) body.record(TraceEvent::Granted, time.now(), Duration{0}, priority);
  body.kernelClass = gate.granted();
  body.priority = priority;
}

void Scheduler::Shared::lowerLocked(Task::Body& body) noexcept {
  if (body.kernelClass == KernelClass::None) return;
  if (body.thread.tid != 0) gate.lower(body.thread.tid);
  for (const auto& worker : body.workers) gate.lower(worker.tid);
  body.kernelClass = KernelClass::None;
  body.priority = 0;
}

void Scheduler::Shared::assignPrioritiesLocked() {
  if (gate.granted() == KernelClass::None) return;
  std::vector<Task::Body*> entitled;
  std::vector<Duration> periods;
  for (auto* body : tasks) {
    if (!body->contract.realtime || body->thread.tid == 0 || body->demoted) continue;
    entitled.push_back(body);
    periods.push_back(body->contract.lbap.rate.period());
  }
  // The highest level is the watchdog's.
  const int highest = std::max(gate.minPriority(), gate.maxPriority() - 1);
  const auto levels = rateMonotonicPriorities(periods, gate.minPriority(), highest);
  for (std::size_t i = 0; i < entitled.size(); ++i) {
    if (entitled[i]->priority != levels[i]) applyClassLocked(*entitled[i], levels[i]);
  }
}

void Scheduler::Shared::post(SchedulerEvent event) {
  {
    const std::lock_guard lock(eventMutex);
    events.push_back(std::move(event));
  }
  eventReady.notify_one();
}

void Scheduler::Shared::watchOnce() {
  const std::lock_guard lock(mutex);
  readings.clear();
  for (auto* body : tasks) {
    body->readCpuLocked();
    if (!body->contract.realtime || body->thread.tid == 0) continue;
    if (body->kernelClass == KernelClass::None && !body->demoted) continue;
    readings.push_back(
        {body->id, body->cpuLocked(), body->contract.cpuCap, 1 + static_cast<int>(body->workers.size())});
  }
  const auto actions = watch.observe(time.now(), readings);
  for (const auto& action : actions) {
    const auto found =
        std::find_if(tasks.begin(), tasks.end(), [&](auto* body) { return body->id == action.task; });
    if (found == tasks.end()) continue;
    Task::Body& body = **found;
    if (action.kind == BudgetWatch::Action::Kind::Demote) {
      lowerLocked(body);
      body.demoted = true;
      ++body.demotions;
      post({SchedulerEvent::Kind::Demoted, body.id, body.contract.name,
            demotionSentence(body.contract.name, action)});
    } else {
      body.demoted = false;
      post({SchedulerEvent::Kind::Restored, body.id, body.contract.name,
            body.contract.name + " has its real-time class back."});
    }
  }
  if (!actions.empty()) assignPrioritiesLocked();
}

void Scheduler::Shared::watchLoop() {
  pthread_setname_np(pthread_self(), "tactus-watchdog");
  (void)gate.raise(currentThreadId(), gate.maxPriority()).ok();  // without it, it watches at normal priority
  TimePoint next = MonotonicClock::now();
  KernelTime kernel;
  do {
    watchOnce();
    next = std::max(next + kWatchPeriod, MonotonicClock::now());
  } while (kernel.sleepUntil(next, watchdogStop) == Wake::OnTime);
  gate.lower(currentThreadId());
}

void Scheduler::Shared::deliverLoop() {
  pthread_setname_np(pthread_self(), "tactus-events");
  std::unique_lock lock(eventMutex);
  for (;;) {
    eventReady.wait(lock, [this] { return stop || !events.empty(); });
    if (events.empty()) return;
    const SchedulerEvent event = std::move(events.front());
    events.pop_front();
    lock.unlock();
    {
      const std::lock_guard delivering(handlerMutex);
      if (handler) handler(event);
    }
    lock.lock();
  }
}

struct Scheduler::Threads {
  std::thread watchdog;
  std::thread companion;
};

Scheduler::Scheduler(TimeSource& time, KernelClassGate& gate, TraceLog& trace, bool watch)
    : m_shared(std::make_shared<Shared>(time, gate, trace)), m_threads(std::make_unique<Threads>()) {
  m_threads->companion = std::thread([shared = m_shared] { shared->deliverLoop(); });
  if (watch) m_threads->watchdog = std::thread([shared = m_shared] { shared->watchLoop(); });
}

Scheduler::~Scheduler() {
  m_shared->watchdogStop.raise();
  if (m_threads->watchdog.joinable()) m_threads->watchdog.join();
  {
    const std::lock_guard lock(m_shared->eventMutex);
    m_shared->stop = true;
  }
  m_shared->eventReady.notify_one();
  m_threads->companion.join();
}

Result<std::unique_ptr<Task>> Scheduler::adopt(TaskContract contract, pid_t tid) {
  if (!(contract.cpuCap > 0 && contract.cpuCap <= 1)) {
    return Error{ErrorCode::InvalidArgument, "A task's share of a CPU must be above 0 and at most 1."};
  }
  if (contract.lbap.workahead < 1) {
    return Error{ErrorCode::InvalidArgument, "A task's workahead must be at least one packet."};
  }
  if (contract.deadline < Duration::zero()) {
    return Error{ErrorCode::InvalidArgument, "A task's deadline cannot be negative."};
  }
  if (tid < 0) return Error{ErrorCode::InvalidArgument, "A thread id cannot be negative."};
  const std::lock_guard lock(m_shared->mutex);
  auto body = std::make_unique<Task::Body>(m_shared, m_shared->nextId++, std::move(contract));
  if (tid != 0) {
    const auto cpu = cpuTimeOf(tid);
    if (!cpu) {
      return Error{ErrorCode::NotFound, "There is no thread " + std::to_string(tid) + " in this process."};
    }
    body->thread = {tid, *cpu, *cpu};
    body->ring = m_shared->trace.open(body->contract.name, tid);
  }
  m_shared->tasks.push_back(body.get());
  m_shared->assignPrioritiesLocked();
  return std::unique_ptr<Task>(new Task(std::move(body)));
}

std::vector<TaskReport> Scheduler::report() const {
  std::vector<TaskReport> reports;
  const std::lock_guard lock(m_shared->mutex);
  reports.reserve(m_shared->tasks.size());
  for (auto* body : m_shared->tasks) reports.push_back(body->reportLocked());
  return reports;
}

void Scheduler::setEventHandler(std::function<void(const SchedulerEvent&)> handler) {
  const std::lock_guard lock(m_shared->handlerMutex);
  m_shared->handler = std::move(handler);
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
