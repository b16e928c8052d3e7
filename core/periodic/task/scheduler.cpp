// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/scheduler.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "core/periodic/kernel/processors.h"
#include "core/periodic/task/task_table.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

/// What nobody has measured or declared: this part of the period.
constexpr int kGuessedPart = 20;
/// A learned time is reserved with this margin.
constexpr double kMargin = 1.1;
constexpr Duration kLeast = 20us;
/// Nobody is lowered sooner: what a wake-up costs wavers by more than the smallest packets take.
constexpr Duration kLeastBudget = 250us;
/// A third of an ordinary program's weight.
constexpr int kEarlyNice = 5;
/// What may be used beyond what may be reserved before somebody is lowered.
constexpr double kAboveCapacity = 0.03;

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

Scheduler::Shared::Shared(TimeSource& timeSource, KernelClassGate& kernelGate, TraceLog& traceLog)
    : time(timeSource),
      gate(kernelGate),
      trace(traceLog),
      table(policyFor(kernelGate)),
      watch({}, static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))) {}

ReservationContract Scheduler::Shared::reservationOf(const Task::Body& body) const {
  const TaskContract& task = body.contract;
  ReservationContract asked;
  asked.name = task.name;
  asked.rate = task.lbap.rate;
  asked.service = task.realtime && !body.detached ? task.service : ServiceClass::BestEffort;
  asked.deadline = task.deadline;
  asked.threads = task.threads;
  asked.frequency = task.frequency;
  asked.cpus = task.cpus;
  asked.preferred = task.preferred;
  const bool heldBack =
      task.early == EarlyPackets::Clocked || (task.early != EarlyPackets::Run && gate.setsLevelsItself());
  asked.workahead = heldBack ? 1 : task.lbap.workahead;
  asked.worksAhead = task.early != EarlyPackets::Clocked && task.lbap.workahead > 1;
  std::optional<ProcessingTimes> times = body.estimate.figures(task.quantile);
  if (!times) times = body.known;
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

Result<void, AdmissionRefusal> Scheduler::Shared::admitLocked(Task::Body& body) {
  const ReservationContract asked = reservationOf(body);
  if (body.reservation != ReservationId::None) return table.change(body.reservation, asked);
  auto made = table.create(asked);
  if (!made.ok()) return made.error();
  body.reservation = made.value();
  return {};
}

Result<void, AdmissionRefusal> Scheduler::Shared::reserveLocked(Task::Body& body) {
  auto admitted = admitLocked(body);
  if (admitted.ok()) {
    if (!body.refusal.empty()) {
      post({SchedulerEvent::Kind::Admitted, body.id, body.contract.name,
            body.contract.name + " has its reservation now."});
    }
    body.refusal.clear();
    if (gate.granted() == KernelClass::Deadline)
      body.priority = 0;  // the kernel is to know the new terms, too
    return {};
  }
  const std::string& sentence = admitted.error().sentence;
  if (body.refusal.empty()) post({SchedulerEvent::Kind::NotAdmitted, body.id, body.contract.name, sentence});
  body.refusal = sentence;
  return admitted;
}

Result<void, AdmissionRefusal> Scheduler::Shared::amendLocked(Task::Body& body, const ContractPatch& patch) {
  TaskContract other = body.contract;
  if (!patch.applyTo(other)) return {};
  if (const auto valid = validate(other); !valid.ok()) return AdmissionRefusal::of(valid.error());
  std::swap(body.contract, other);  // the old one from here on
  if (patch.lbap) {
    body.terms.publish({body.contract.lbap, body.contract.deadline});
    auto admitted = reserveLocked(body);
    if (!admitted.ok()) releaseLocked(body);
    assignPrioritiesLocked();
    return admitted;
  }
  const ReservationEntry* entry = table.find(body.reservation);
  const bool holds = entry != nullptr && entry->admitted;
  Result<void, AdmissionRefusal> admitted;
  if (!holds && !body.refusal.empty() && table.hopeless(reservationOf(body))) {
    admitted = AdmissionRefusal::of({ErrorCode::Refused, body.refusal});
  } else {
    admitted = admitLocked(body);
  }
  if (!admitted.ok() && holds) {
    std::swap(body.contract, other);
    return admitted;
  }
  body.terms.publish({body.contract.lbap, body.contract.deadline});
  if (!admitted.ok()) return admitted;
  body.refusal.clear();
  assignPrioritiesLocked();
  return {};
}

void Scheduler::Shared::releaseLocked(Task::Body& body) {
  table.release(body.reservation);
  body.reservation = ReservationId::None;
}

namespace {

/// The processor that a task's own thread is kept on. One whose packets others work on, or that has none (a
/// reader), goes where there is room: it holds its reservation as an allowance.
int keptOn(const Task::Body& body, const ReservationEntry* entry) noexcept {
  return entry != nullptr && body.workers.empty() && body.contract.enforces ? entry->parts.front().cpu : -1;
}

}  // namespace

void Scheduler::Shared::applyClassLocked(Task::Body& body, int priority, const ReservationEntry* entry) {
  const bool inKernel = gate.granted() == KernelClass::Deadline;
  const int cpu = inKernel ? -1 : keptOn(body, entry);
  const auto raise = [&](pid_t tid, const ReservedPart* part) -> Result<void> {
    if (!inKernel) return gate.raise(tid, part != nullptr ? part->level : priority);
    if (part == nullptr) return {};
    const Demand& demand = part->demand;
    return gate.reserveInKernel(tid, demand.processing, std::min(demand.deadline, demand.period),
                                demand.period);
  };
  const auto raised = raise(body.thread.tid, entry != nullptr ? &entry->parts.front() : nullptr);
  if (!raised.ok()) {
    if (raised.error().code != ErrorCode::NotFound && body.kernelClass != KernelClass::None) {
      post({SchedulerEvent::Kind::RefusedClass, body.id, body.contract.name,
            body.contract.name + " lost its real-time class: " + raised.error().message});
    }
    lowerLocked(body);
    return;
  }
  if (body.onCpu != cpu) keepOn(body.thread.tid, cpu, table.policy().cpus);
  for (std::size_t i = 0; i < body.workers.size(); ++i) {
    const pid_t tid = body.workers[i].tid;
    const ReservedPart* part = entry != nullptr ? &entry->parts[i % entry->parts.size()] : nullptr;
    if (!raise(tid, part).ok()) continue;  // may have ended: no error
    if (inKernel) continue;
    keepOn(tid, part != nullptr ? part->cpu : -1, table.policy().cpus);
  }
  body.kernelClass = gate.granted();
  body.priority = priority;
  body.onCpu = cpu;
  // relaxed: single values, each good by itself; the bound thread looks at them with its next packet.
  body.level.store(priority, std::memory_order_relaxed);
  superviseLocked(body);
}

/// What is done early is worth less than what others want now, the display server first of all: threads of
/// ours, several for each film, took its turns. Whoever has no reservation is served by these turns itself.
void Scheduler::Shared::giveWayLocked(Task::Body& body, bool gives) noexcept {
  if (body.thread.tid == 0 || !gate.setsNice() || std::exchange(body.givesWay, gives) == gives) return;
  KernelClassGate::setNice(body.thread.tid, gives ? kEarlyNice : 0);
}

void Scheduler::Shared::superviseLocked(Task::Body& body) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const ReservationEntry* entry = table.find(body.reservation);
  const bool admitted = entry != nullptr && entry->admitted;
  body.share.store(admitted ? std::llround(shareOf(entry->parts) * 1e6) : 0, kRelaxed);
  const bool raised = body.kernelClass != KernelClass::None && gate.setsLevelsItself();
  body.ownLevel.store(raised ? body.priority : 0, kRelaxed);
  const int below = body.contract.aboveOrdinary ? gate.minPriority() : KernelClassGate::kOrdinary;
  body.overrunLevel.store(raised ? below : 0, kRelaxed);
  giveWayLocked(body, raised && admitted && !body.contract.aboveOrdinary);
  // Packets worked on by other threads cannot be told apart on this one's clock: the watchdog alone sees to
  // them.
  const bool bySignal = raised && admitted && body.contract.supervised && body.workers.empty() &&
                        table.policy().scheme == PriorityScheme::Demotion;
  body.budget.store(bySignal ? std::max(kLeastBudget, entry->parts.front().demand.processing).count() : 0,
                    kRelaxed);
  if (!bySignal || !table.policy().signals || (body.signalOwner && body.signalTid == body.thread.tid)) return;
  auto opened = BudgetSignal::open(body.thread.tid, body.overrunLevel);
  if (!opened.ok()) {
    budgetRefusal = opened.error().message;
    return;
  }
  if (body.signalOwner) body.retiredSignals.push_back(std::move(body.signalOwner));
  body.signalOwner = std::move(opened).value();
  body.signalTid = body.thread.tid;
  // release: the object is made before the bound thread sees it.
  body.signal.store(body.signalOwner.get(), std::memory_order_release);
}

void Scheduler::Shared::lowerLocked(Task::Body& body) noexcept {
  // First what could raise it again: its own code and its handler.
  body.ownLevel.store(0, std::memory_order_relaxed);
  body.overrunLevel.store(0, std::memory_order_relaxed);
  body.budget.store(0, std::memory_order_relaxed);
  body.promoteAt.exchange(0, std::memory_order_acq_rel);
  if (body.signalOwner) body.signalOwner->disarm();
  body.level.store(0, std::memory_order_relaxed);
  giveWayLocked(body, false);
  if (body.kernelClass == KernelClass::None) return;
  const auto free = [&](pid_t tid) {
    if (tid == 0) return;
    gate.lower(tid);
    keepOn(tid, -1, table.policy().cpus);
  };
  free(body.thread.tid);
  for (const auto& worker : body.workers) free(worker.tid);
  body.kernelClass = KernelClass::None;
  body.priority = 0;
  body.onCpu = -1;
}

void Scheduler::Shared::assignPrioritiesLocked() {
  for (auto* body : tasks) {
    const ReservationEntry* entry = table.find(body->reservation);
    if (entry != nullptr && !entry->admitted) entry = nullptr;
    if (gate.granted() == KernelClass::None || !body->contract.realtime || body->thread.tid == 0 ||
        body->demoted || body->detached) {
      superviseLocked(*body);
      continue;
    }
    const auto& contract = body->contract;
    if (entry == nullptr && (!contract.aboveOrdinary || contract.service == ServiceClass::BestEffort)) {
      lowerLocked(*body);
      continue;
    }
    // Without a reservation: in the overrun band, above ordinary programs and below everybody who holds one.
    const int priority = entry != nullptr ? entry->parts.front().level : gate.minPriority();
    const int cpu = gate.granted() == KernelClass::Deadline ? -1 : keptOn(*body, entry);
    if (body->priority != priority || body->onCpu != cpu) {
      applyClassLocked(*body, priority, entry);
    } else {
      superviseLocked(*body);
    }
  }
}

void Scheduler::Shared::post(SchedulerEvent event) {
  {
    const std::lock_guard lock(eventMutex);
    events.push_back(std::move(event));
  }
  eventReady.notify_one();
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
  m_shared->watchdogStop.store(true, std::memory_order_relaxed);
  m_shared->wake.raise();
  if (m_threads->watchdog.joinable()) m_threads->watchdog.join();
  {
    const std::lock_guard lock(m_shared->eventMutex);
    m_shared->stop = true;
  }
  m_shared->eventReady.notify_one();
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
  auto body = std::make_unique<Task::Body>(m_shared, m_shared->nextId++, std::move(contract));
  if (tid != 0) {
    const auto cpu = cpuTimeOf(tid);
    if (!cpu) {
      return AdmissionRefusal::of(
          {ErrorCode::NotFound, "There is no thread " + std::to_string(tid) + " in this process."});
    }
    body->thread = {tid, *cpu, *cpu};
    body->ring = m_shared->trace.open(body->contract.name, tid);
  }
  if (!body->contract.kind.empty()) body->known = m_shared->memory.find(body->contract.kind);
  if (strict) {
    if (auto admitted = m_shared->admitLocked(*body); !admitted.ok()) return admitted.error();
  } else {
    (void)m_shared->reserveLocked(*body);
  }
  m_shared->tasks.push_back(body.get());
  m_shared->assignPrioritiesLocked();
  return std::unique_ptr<Task>(new Task(std::move(body)));
}

Result<void, AdmissionRefusal> Scheduler::wouldReserve(const TaskContract& contract) const {
  if (const auto valid = validate(contract); !valid.ok()) return AdmissionRefusal::of(valid.error());
  const std::lock_guard lock(m_shared->mutex);
  Task::Body body(m_shared, 0, contract);
  if (!contract.kind.empty()) body.known = m_shared->memory.find(contract.kind);
  return m_shared->table.wouldAdmit(m_shared->reservationOf(body));
}

std::vector<ReservationEntry> Scheduler::reservations() const {
  const std::lock_guard lock(m_shared->mutex);
  return m_shared->table.list();
}

AdmissionPolicy Scheduler::policy() const {
  const std::lock_guard lock(m_shared->mutex);
  return m_shared->table.policy();
}

void Scheduler::setPolicy(AdmissionPolicy policy) {
  const std::lock_guard lock(m_shared->mutex);
  m_shared->wantedCpus = policy.cpus == allowedCpus() ? std::vector<int>{} : policy.cpus;
  m_shared->watch.setTotal(policy.capacity + kAboveCapacity);
  const auto lost = m_shared->table.setPolicy(std::move(policy));
  for (auto* body : m_shared->tasks) {
    if (std::find(lost.begin(), lost.end(), body->reservation) == lost.end()) continue;
    body->refusal = body->contract.name + " lost its reservation: it no longer fits.";
    m_shared->post({SchedulerEvent::Kind::NotAdmitted, body->id, body->contract.name, body->refusal});
  }
  m_shared->assignPrioritiesLocked();
}

std::string Scheduler::budgetRefusal() const {
  const std::lock_guard lock(m_shared->mutex);
  return m_shared->budgetRefusal;
}

void Scheduler::loadLearned(std::string_view text) {
  const std::lock_guard lock(m_shared->mutex);
  m_shared->memory.load(text);
}

std::string Scheduler::learned() const {
  const std::lock_guard lock(m_shared->mutex);
  for (auto* body : m_shared->tasks) {
    if (const auto times = body->estimate.figures(body->contract.quantile))
      m_shared->memory.learn(body->contract.kind, *times);
  }
  return m_shared->memory.save();
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
