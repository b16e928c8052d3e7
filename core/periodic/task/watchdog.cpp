// SPDX-License-Identifier: Apache-2.0
// The scheduler's watchdog: who uses too much, never ends or is not what it declared, and early packets whose
// time has come.
#include <dirent.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "core/periodic/kernel/processors.h"
#include "core/periodic/task/scheduler.h"
#include "core/periodic/task/task_table.h"
#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr Duration kWatchPeriod = 20ms;
constexpr Duration kCheckPeriod = 500ms;
constexpr Duration kRarestRetry = 4s;
constexpr Duration kPatrolFloor = 2ms;
/// A learned time is followed once it is off by so much.
constexpr double kDrift = 0.15;
/// A packet is endless once it has used up so many periods, and so many times what a packet reserves: not a
/// share of a processor, which it may have to give to others meanwhile.
constexpr int kEndlessPeriods = 5;
constexpr int kEndlessPackets = 10;
/// Between two words about one task's overruns.
constexpr Duration kSilence = 60s;

std::string demotionSentence(const std::string& name, const BudgetWatch::Action& action) {
  return format("%s used %.0f %% of a CPU and runs at normal priority for %.0f s.", name.c_str(),
                action.share * 100, inSeconds(action.penalty));
}

}  // namespace

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
  if (reserveLocked(body).ok()) body.retryAfter = Duration{0};
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
                 name.c_str(), inMilliseconds(Duration(body.budget.load(kRelaxed))))});
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
    sentence = format("%s has been busy with one packet for %.0f s", name.c_str(), inSeconds(span));
  } else if (body.contract.enforces && done > 3 * expected + body.contract.lbap.workahead) {
    what = SchedulerEvent::Kind::OffRate;
    sentence = format("%s processes %.3g packets a second and declared %.3g", name.c_str(),
                      done / inSeconds(span), body.contract.lbap.rate.perSecond());
  } else if (body.contract.enforces && done >= 1 && done * 3 < expected * body.contract.frequency &&
             used > 0.1) {
    what = SchedulerEvent::Kind::OffRate;
    sentence = format("%s processes only %.3g packets a second of the %.3g declared", name.c_str(),
                      done / inSeconds(span), body.contract.lbap.rate.perSecond());
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

/// A packet that exceeded its budget has another one each period: what is reserved is reserved, however long
/// a packet takes (as the servers of Abeni and Buttazzo 1998 refill theirs). Without it, it would not end at
/// all while others use all the rest.
TimePoint Scheduler::Shared::refillLocked(TimePoint now) {
  TimePoint next = TimePoint::max();
  for (auto* body : tasks) {
    const std::int64_t packet = body->openSince.load(std::memory_order_relaxed);
    const Duration budget(body->budget.load(std::memory_order_relaxed));
    const bool exceeded = body->signalOwner && body->signalOwner->overran() && packet >= 0;
    const bool early = body->promoteAt.load(std::memory_order_relaxed) != 0;
    if (!exceeded || early || budget <= Duration::zero() || body->priority <= 0) {
      body->refillPacket = -1;
      continue;
    }
    if (body->refillPacket != packet) {
      body->refillPacket = packet;
      body->refillAt = now + body->contract.lbap.rate.period();
      body->refilledCpu.reset();
    }
    const auto cpu = cpuTimeOf(body->thread.tid);
    if (!cpu) continue;
    if (body->refilledCpu && *cpu - *body->refilledCpu >= budget) {
      gate.setLevel(body->thread.tid, body->overrunLevel.load(std::memory_order_relaxed));
      body->refilledCpu.reset();
      body->refillAt += body->contract.lbap.rate.period();
      // It may have begun another packet meanwhile, whose level is its own.
      if (body->openSince.load(std::memory_order_relaxed) != packet)
        (void)gate.raise(body->thread.tid, body->priority).ok();
    } else if (!body->refilledCpu && now >= body->refillAt) {
      body->refilledCpu = cpu;
      (void)gate.raise(body->thread.tid, body->priority).ok();
    }
    const TimePoint look = body->refilledCpu
                               ? now + std::max<Duration>(*body->refilledCpu + budget - *cpu, kPatrolFloor)
                               : std::max<TimePoint>(body->refillAt, now + kPatrolFloor);
    next = std::min(next, look);
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
      next = std::min({next, promoteLocked(now), patrolLocked(now), refillLocked(now)});
      nextLook.store(next.time_since_epoch().count(), std::memory_order_relaxed);
    }
    kernel.sleepUntil(next, wake);
  }
  gate.lower(currentThreadId());
}

}  // namespace tactus::periodic
