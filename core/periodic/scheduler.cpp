// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/scheduler.h"

#include <dirent.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <utility>

#include "core/periodic/format.h"
#include "core/periodic/task_table.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWatchPeriod = 20ms;
constexpr Duration kCheckPeriod = 500ms;
constexpr Duration kRarestRetry = 4s;
constexpr Duration kPatrolFloor = 2ms;
/// What nobody has measured or declared: this part of the period.
constexpr int kGuessedPart = 20;
/// A learned time is reserved with this margin, and followed when it is off by more than the other.
constexpr double kMargin = 1.1;
constexpr double kDrift = 0.15;
constexpr Duration kLeast = 20us;
/// A third of an ordinary program's weight.
constexpr int kEarlyNice = 5;
/// A packet is endless once it has used up so many periods, and so many times what a packet reserves: not a
/// share of a processor, which it may have to give to others meanwhile.
constexpr int kEndlessPeriods = 5;
constexpr int kEndlessPackets = 10;
/// Between two words about one task's overruns.
constexpr Duration kSilence = 60s;
/// What may be used beyond what may be reserved before somebody is lowered.
constexpr double kAboveCapacity = 0.03;

/// The processors that the calling thread may use.
std::vector<int> allowedCpus() {
  cpu_set_t set;
  std::vector<int> cpus;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &set)) cpus.push_back(cpu);
  return cpus;
}

/// Keeps `tid` on one processor, or on any of `all` with -1. It may have ended: no error.
void keepOn(pid_t tid, int cpu, const std::vector<int>& all) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu >= 0) {
    CPU_SET(cpu, &set);
  } else {
    for (const int each : all) CPU_SET(each, &set);
  }
  (void)!sched_setaffinity(tid, sizeof set, &set);
}

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

double milliseconds(Duration duration) noexcept {
  return std::chrono::duration<double, std::milli>(duration).count();
}

}  // namespace

Result<void> validate(const TaskContract& contract) {
  const auto bad = [](const char* sentence) { return Error{ErrorCode::InvalidArgument, sentence}; };
  if (!(contract.cpuCap > 0 && contract.cpuCap <= 1))
    return bad("A task's share of a CPU must be above 0 and at most 1.");
  if (contract.lbap.workahead < 1) return bad("A task's workahead must be at least one packet.");
  if (contract.deadline < Duration::zero()) return bad("A task's deadline cannot be negative.");
  if (contract.processing < Duration::zero()) return bad("A task's processing time cannot be negative.");
  if (!(contract.quantile > 0 && contract.quantile <= 1))
    return bad("A quantile must be above 0 and at most 1.");
  if (!(contract.frequency > 0 && contract.frequency <= 1))
    return bad("A task's frequency must be above 0 and at most 1.");
  if (contract.threads < 1) return bad("A task has at least one thread.");
  if (contract.spin < Duration::zero() || contract.spin > 200us)
    return bad("A task may spin for at most 200 us before a packet.");
  return {};
}

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

bool Scheduler::Shared::reserveLocked(Task::Body& body) {
  const auto admitted = admitLocked(body);
  if (admitted.ok()) {
    if (!body.refusal.empty()) {
      post({SchedulerEvent::Kind::Admitted, body.id, body.contract.name,
            body.contract.name + " has its reservation now."});
    }
    body.refusal.clear();
    if (gate.granted() == KernelClass::Deadline)
      body.priority = 0;  // the kernel is to know the new terms, too
    return true;
  }
  const std::string& sentence = admitted.error().sentence;
  if (body.refusal.empty()) post({SchedulerEvent::Kind::NotAdmitted, body.id, body.contract.name, sentence});
  body.refusal = sentence;
  return false;
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
  body.budget.store(bySignal ? entry->parts.front().demand.processing.count() : 0, kRelaxed);
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

void Scheduler::Shared::watchOnce() {
  const std::lock_guard lock(mutex);
  readings.clear();
  for (auto* body : tasks) {
    body->readCpuLocked();
    if (!body->contract.realtime || body->thread.tid == 0) continue;
    if (body->kernelClass == KernelClass::None && !body->demoted) continue;
    readings.push_back({body->id, body->cpuLocked(), body->contract.cpuCap,
                        1 + static_cast<int>(body->workers.size()), body->onCpu,
                        static_cast<double>(body->share.load(std::memory_order_relaxed)) * 1e-6});
  }
  const TimePoint now = time.now();
  const auto actions = watch.observe(now, readings);
  for (const auto& action : actions) {
    const auto found =
        std::find_if(tasks.begin(), tasks.end(), [&](auto* body) { return body->id == action.task; });
    if (found == tasks.end()) continue;
    Task::Body& body = **found;
    if (action.kind == BudgetWatch::Action::Kind::Demote) {
      if (body.contract.unruly == WatchPolicy::Report) {
        post({SchedulerEvent::Kind::Demoted, body.id, body.contract.name,
              format("%s used %.0f %% of a CPU.", body.contract.name.c_str(), action.share * 100)});
        continue;
      }
      lowerLocked(body);
      body.demoted = true;
      ++body.demotions;
      post({SchedulerEvent::Kind::Demoted, body.id, body.contract.name,
            demotionSentence(body.contract.name, action)});
    } else if (body.demoted) {
      body.demoted = false;
      post({SchedulerEvent::Kind::Restored, body.id, body.contract.name,
            body.contract.name + " has its real-time class back."});
    }
  }
  // A handler that was about to move the thread when it was lowered has done so by now.
  for (auto* body : tasks)
    if (body->demoted && body->thread.tid != 0 && gate.granted() != KernelClass::None)
      gate.lower(body->thread.tid);
  if (!actions.empty()) assignPrioritiesLocked();
  if (now >= nextCheck) {
    nextCheck = now + kCheckPeriod;
    checkLocked(now);
  }
}

/// A thread that a kept one starts is kept, too, by the kernel's inheritance: it is nobody's task and goes
/// free.
void Scheduler::Shared::freeStraysLocked() {
  const auto& cpus = table.policy().cpus;
  if (cpus.size() < 2) return;
  DIR* folder = opendir("/proc/self/task");
  if (folder == nullptr) return;
  while (const dirent* entry = readdir(folder)) {
    const pid_t tid = std::atoi(entry->d_name);
    if (tid <= 0 || std::find(strays.begin(), strays.end(), tid) != strays.end()) continue;
    const bool ours = std::any_of(tasks.begin(), tasks.end(), [&](const Task::Body* body) {
      return body->thread.tid == tid ||
             std::any_of(body->workers.begin(), body->workers.end(),
                         [&](const BoundThread& worker) { return worker.tid == tid; });
    });
    if (ours) continue;
    cpu_set_t set;
    if (sched_getaffinity(tid, sizeof set, &set) == 0 && CPU_COUNT(&set) == 1) keepOn(tid, -1, cpus);
    strays.push_back(tid);  // once: who keeps itself on a processor later has its reasons
  }
  closedir(folder);
}

void Scheduler::Shared::checkLocked(TimePoint now) {
  checkProcessorsLocked();
  if (gate.granted() != KernelClass::None) freeStraysLocked();
  for (auto* body : tasks) checkTaskLocked(*body, now);
  assignPrioritiesLocked();
}

void Scheduler::Shared::checkProcessorsLocked() {
  AdmissionPolicy policy = table.policy();
  std::vector<int> cpus = allowedCpus();
  if (!wantedCpus.empty()) {
    std::erase_if(cpus, [&](int cpu) {
      return std::find(wantedCpus.begin(), wantedCpus.end(), cpu) == wantedCpus.end();
    });
  }
  if (cpus == policy.cpus) return;
  std::string names;
  for (const int cpu : cpus) names += (names.empty() ? "" : ", ") + std::to_string(cpu);
  policy.cpus = std::move(cpus);
  const auto lost = table.setPolicy(std::move(policy));
  post({SchedulerEvent::Kind::ProcessorsChanged, 0, "",
        "The processors that may be used are now " + names +
            (lost.empty() ? "; every reservation still fits." : ".")});
  for (auto* body : tasks) {
    body->priority = 0;  // the kernel may have moved the thread: set anew
    if (std::find(lost.begin(), lost.end(), body->reservation) == lost.end()) continue;
    body->refusal =
        body->contract.name + " lost its reservation: the processors that are left have no room for it.";
    post({SchedulerEvent::Kind::NotAdmitted, body->id, body->contract.name, body->refusal});
  }
}

void Scheduler::Shared::followProcessingLocked(Task::Body& body) {
  if (!body.workers.empty()) {
    const std::uint64_t packets = body.packets.load(std::memory_order_relaxed);
    const Duration cpu = body.cpuLocked();
    const std::uint64_t done = packets - std::min(packets, body.packetsMeasured);
    if (done >= 4) {
      const Duration each = (cpu - body.workersMeasured) / static_cast<std::int64_t>(done);
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(done, 64); ++i) body.estimate.record(each);
      body.workersMeasured = cpu;
      body.packetsMeasured = packets;
    }
  }
  // Who has no packets (a reader) is known by what a period costs it.
  if (!body.contract.enforces && body.packets.load(std::memory_order_relaxed) == 0 && body.thread.tid != 0) {
    const TimePoint now = time.now();
    const Duration cpu = body.cpuLocked();
    const std::int64_t periods = (now - body.readerMeasured) / body.contract.lbap.rate.period();
    if (body.readerMeasured == TimePoint{} || periods > 1000) {
      body.readerMeasured = now;
      body.workersMeasured = cpu;
    } else if (periods >= 1) {
      for (std::int64_t i = 0; i < periods; ++i) body.estimate.record((cpu - body.workersMeasured) / periods);
      body.readerMeasured = now;
      body.workersMeasured = cpu;
    }
  }
  if (!body.contract.realtime || body.detached) return;
  const ReservationEntry* entry = table.find(body.reservation);
  const ReservationContract asked = reservationOf(body);
  const bool bestEffort = asked.service == ServiceClass::BestEffort;
  if (entry != nullptr && bestEffort && entry->contract.service == ServiceClass::BestEffort) return;
  if (entry != nullptr && entry->admitted) {
    const auto off = [](Duration have, Duration want) {
      const auto difference = static_cast<double>(std::abs((want - have).count()));
      return difference > kDrift * static_cast<double>(have.count()) && difference > 5e4;
    };
    const bool guaranteed = asked.service == ServiceClass::Guaranteed;
    if (!off(guaranteed ? entry->contract.worst : entry->contract.typical,
             guaranteed ? asked.worst : asked.typical))
      return;
  } else if (!body.refusal.empty()) {
    // It may fit when others need less; asking is dear, and more often in vain the longer it lasts.
    const TimePoint now = time.now();
    if (now < body.retryAt || table.hopeless(asked, body.reservation)) return;
    body.retryAfter = std::clamp(2 * body.retryAfter, kCheckPeriod, kRarestRetry);
    body.retryAt = now + body.retryAfter;
  }
  if (reserveLocked(body)) body.retryAfter = Duration{0};
}

void Scheduler::Shared::checkTaskLocked(Task::Body& body, TimePoint now) {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const std::string& name = body.contract.name;
  if (body.thread.tid != 0 && !cpuTimeOf(body.thread.tid)) {
    post({SchedulerEvent::Kind::ThreadEnded, body.id, name,
          name + ": its thread ended; what it had reserved is free again."});
    lowerLocked(body);
    body.cpuBefore += body.thread.cpuRead - body.thread.cpuAtBind;
    body.thread = {};
    releaseLocked(body);
    return;
  }
  if (body.reservation == ReservationId::None && body.thread.tid == 0) return;
  followProcessingLocked(body);

  if (const std::uint64_t overruns = body.signalOwner ? body.signalOwner->overruns() : 0;
      overruns > body.overrunsTold + 10 && body.contract.service == ServiceClass::Guaranteed &&
      now >= body.overrunTellable) {
    body.overrunsTold = overruns;
    body.overrunTellable = now + kSilence;
    post({SchedulerEvent::Kind::Overrun, body.id, name,
          format("%s used more than the %.2g ms it had reserved; the rest of such packets ran below others.",
                 name.c_str(), milliseconds(Duration(body.budget.load(kRelaxed))))});
  }

  // A look back over two seconds.
  if (body.thread.tid == 0 || body.interrupt.raised()) {
    body.checked = TimePoint{};
    return;
  }
  const std::uint64_t packets = body.packets.load(kRelaxed);
  const Duration cpu = body.cpuLocked();
  if (body.checked == TimePoint{} || packets < body.packetsChecked) {
    body.checked = now;
    body.packetsChecked = packets;
    body.cpuChecked = cpu;
    return;
  }
  const Duration span = now - body.checked;
  const Duration period = body.contract.lbap.rate.period();
  if (span < std::max<Duration>(2s, 10 * period)) return;
  const auto done = static_cast<double>(packets - body.packetsChecked);
  const Duration spent = cpu - body.cpuChecked;
  const double used = static_cast<double>(spent.count()) / static_cast<double>(span.count());
  const double expected = static_cast<double>(span.count()) / static_cast<double>(period.count());
  body.checked = now;
  body.packetsChecked = packets;
  body.cpuChecked = cpu;
  std::optional<SchedulerEvent::Kind> what;
  std::string sentence;
  if (body.contract.enforces && packets == 0 && used > 0.05) {
    what = SchedulerEvent::Kind::NeverEnforces;
    sentence = format("%s uses %.0f %% of a processor and never says where a packet begins", name.c_str(),
                      used * 100);
  } else if (body.contract.enforces && done < 1 &&
             spent > std::max(kEndlessPeriods * period, kEndlessPackets * reservationOf(body).worst)) {
    what = SchedulerEvent::Kind::EndlessLoop;
    sentence = format("%s has been busy with one packet for %.0f s", name.c_str(), milliseconds(span) * 1e-3);
  } else if (body.contract.enforces && done > 3 * expected + body.contract.lbap.workahead) {
    what = SchedulerEvent::Kind::OffRate;
    sentence = format("%s processes %.3g packets a second and declared %.3g", name.c_str(),
                      done / (milliseconds(span) * 1e-3), body.contract.lbap.rate.perSecond());
  } else if (body.contract.enforces && done >= 1 && done * 3 < expected * body.contract.frequency &&
             used > 0.1) {
    what = SchedulerEvent::Kind::OffRate;
    sentence = format("%s processes only %.3g packets a second of the %.3g declared", name.c_str(),
                      done / (milliseconds(span) * 1e-3), body.contract.lbap.rate.perSecond());
  }
  const auto before = std::exchange(body.unruly, what);
  const auto grave = [](SchedulerEvent::Kind kind) { return kind != SchedulerEvent::Kind::OffRate; };
  // Told already, unless it became worse.
  if (!what || (before && (grave(*before) || !grave(*what)))) return;
  switch (body.contract.unruly) {
    case WatchPolicy::Report:
      sentence += ".";
      break;
    case WatchPolicy::Demote:
      if (grave(*what)) {
        sentence += "; it runs at normal priority for a while.";
        lowerLocked(body);
        body.demoted = true;
        ++body.demotions;
        watch.punish(body.id, now);
      } else {
        sentence += ".";
      }
      break;
    case WatchPolicy::Detach:
      sentence += "; it is let go.";
      lowerLocked(body);
      body.detached = true;
      releaseLocked(body);
      break;
  }
  post({*what, body.id, name, sentence});
}

void Scheduler::Shared::promoteSoon(TimePoint at) TACTUS_REALTIME {
  if (at.time_since_epoch().count() < nextLook.load(std::memory_order_relaxed)) wake.raise();
}

TimePoint Scheduler::Shared::promoteLocked(TimePoint now) {
  TimePoint next = TimePoint::max();
  for (auto* body : tasks) {
    std::int64_t at = body->promoteAt.load(std::memory_order_acquire);
    if (at <= 0) continue;
    if (at > now.time_since_epoch().count()) {
      next = std::min(next, TimePoint(Duration(at)));
      continue;
    }
    const auto promote = [&] {
      // Who used up its time while early stays where it is.
      if (body->priority > 0 && !(body->signalOwner && body->signalOwner->overran()))
        (void)gate.raise(body->thread.tid, body->priority).ok();
    };
    if ((at & Task::Body::kLowering) != 0) {
      promote();
      next = std::min(next, now + kPatrolFloor);
      continue;
    }
    if (!body->promoteAt.compare_exchange_strong(at, -1, std::memory_order_acq_rel)) continue;
    promote();
    body->promoteAt.store(0, std::memory_order_release);
  }
  return next;
}

/// Where no signal ends an overrun: looks at each packet when its time can be over at the earliest, with a
/// floor, so that a look costs next to nothing and an overrun lasts a few milliseconds.
TimePoint Scheduler::Shared::patrolLocked(TimePoint now) {
  TimePoint next = TimePoint::max();
  for (auto* body : tasks) {
    const std::int64_t budget = body->budget.load(std::memory_order_relaxed);
    if (budget <= 0 || body->signalOwner || body->ownLevel.load(std::memory_order_relaxed) <= 0) continue;
    Duration left(budget);
    const std::int64_t begin = body->openSince.load(std::memory_order_relaxed);
    const auto cpu = begin >= 0 ? cpuTimeOf(body->thread.tid) : std::nullopt;
    if (cpu && !body->patrolled.load(std::memory_order_relaxed)) {
      left = Duration(begin + budget) - *cpu;
      if (left <= Duration::zero() && body->openSince.load(std::memory_order_relaxed) == begin) {
        body->patrolled.store(true, std::memory_order_release);
        ++body->patrolOverruns;
        gate.setLevel(body->thread.tid, body->overrunLevel.load(std::memory_order_relaxed));
        left = Duration(budget);
      }
    }
    next = std::min(next, now + std::max<Duration>(left, kPatrolFloor));
  }
  return next;
}

void Scheduler::Shared::watchLoop() {
  pthread_setname_np(pthread_self(), "tactus-watchdog");
  (void)gate.raise(currentThreadId(), gate.maxPriority()).ok();  // without it, it watches at normal priority
  KernelTime kernel;
  TimePoint nextWatch = MonotonicClock::now();
  while (!watchdogStop.load(std::memory_order_relaxed)) {
    wake.clear();
    TimePoint now = MonotonicClock::now();
    if (now >= nextWatch) {
      watchOnce();
      now = MonotonicClock::now();
      nextWatch = std::max(nextWatch + kWatchPeriod, now);
    }
    TimePoint next = nextWatch;
    {
      const std::lock_guard lock(mutex);
      nextLook.store(nextWatch.time_since_epoch().count(), std::memory_order_relaxed);
      next = std::min({next, promoteLocked(now), patrolLocked(now)});
      nextLook.store(next.time_since_epoch().count(), std::memory_order_relaxed);
    }
    kernel.sleepUntil(next, wake);
  }
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
