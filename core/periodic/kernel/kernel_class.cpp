// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/kernel/kernel_class.h"

#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

namespace tactus::periodic {
namespace {

// Below PipeWire's data threads (88) and the kernel's own (50 for threaded interrupts lies inside, which is
// harmless: they run for microseconds), above everything a desktop starts by itself.
constexpr int kLowestFifo = 10;
constexpr int kHighestFifo = 60;

/// Threads holding a class under RLIMIT_RTTIME: the SIGXCPU handler may only touch atomics and make system
/// calls.
std::array<std::atomic<pid_t>, 128> g_limited{};
std::atomic<std::uint32_t> g_limitsReached{0};

/// RLIMIT_RTTIME's soft limit: somebody used 3/4 of what the broker allows without blocking. Everybody gives
/// the CPU back before the hard limit kills the process; the watchdog restores all but the greediest.
void onRealtimeLimit(int) {
  const int saved = errno;
  for (auto& slot : g_limited) {
    const pid_t tid = slot.load(std::memory_order_relaxed);
    if (tid != 0) KernelClassGate::setLevel(tid, KernelClassGate::kOrdinary);
  }
  g_limitsReached.fetch_add(1, std::memory_order_relaxed);  // relaxed: the watchdog needs no other data
  errno = saved;
}

void remember(pid_t tid) noexcept {
  for (auto& slot : g_limited) {
    if (slot.load(std::memory_order_relaxed) == tid) return;
  }
  for (auto& slot : g_limited) {
    pid_t empty = 0;
    if (slot.compare_exchange_strong(empty, tid, std::memory_order_relaxed)) return;
  }
}

void forget(pid_t tid) noexcept {
  for (auto& slot : g_limited) {
    pid_t expected = tid;
    if (slot.compare_exchange_strong(expected, 0, std::memory_order_relaxed)) return;
  }
}

constexpr Duration kLeastRuntime = std::chrono::microseconds(100);

/// 0 or errno. libc has no wrapper.
int setDeadline(pid_t tid, Duration runtime, Duration deadline, Duration period) noexcept {
  struct Attributes {
    std::uint32_t size = sizeof(Attributes), policy = 6;  // SCHED_DEADLINE
    std::uint64_t flags = 1;  // SCHED_FLAG_RESET_ON_FORK: else it could start no thread
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t runtime = 0, deadline = 0, period = 0;
  } attributes;
  attributes.runtime = static_cast<std::uint64_t>(runtime.count());
  attributes.deadline = static_cast<std::uint64_t>(deadline.count());
  attributes.period = static_cast<std::uint64_t>(period.count());
  return syscall(SYS_sched_setattr, tid, &attributes, 0) == 0 ? 0 : errno;
}

bool hasNiceCapability() noexcept {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2]{};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  return (data[CAP_SYS_NICE / 32].effective >> (CAP_SYS_NICE % 32) & 1u) != 0;
}

/// The process's own path in the version 1 cpu hierarchy, "/" if it is the root or there is none.
std::string cpuGroup() {
  std::ifstream groups("/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find(",cpu,") != std::string::npos) return line.substr(second + 1);
  }
  return "/";
}

std::string fifoRefusal(int error) {
  if (error != EPERM) return std::string("the kernel refused it: ") + std::strerror(error) + ".";
  rlimit limit{};
  getrlimit(RLIMIT_RTPRIO, &limit);
  if (!hasNiceCapability() && limit.rlim_cur < static_cast<rlim_t>(kLowestFifo)) {
    return "this user may not set it (RLIMIT_RTPRIO is " + std::to_string(limit.rlim_cur) +
           " and CAP_SYS_NICE is missing); add '@audio - rtprio 70' to /etc/security/limits.conf and join "
           "that group.";
  }
  if (const std::string group = cpuGroup(); group != "/") {
    return "the cpu control group " + group +
           " has no real-time share (cpu.rt_runtime_us is 0); "
           "start Tactus outside it or give the group a share.";
  }
  return "the kernel refused it (operation not permitted).";
}

/// Sets `policy` on a scratch thread; 0 or errno.
int tryOnScratchThread(int policy, int priority) {
  int error = EAGAIN;
  std::thread([&] {
    const sched_param param{.sched_priority = priority};
    error = syscall(SYS_sched_setscheduler, 0, policy | SCHED_RESET_ON_FORK, &param) == 0 ? 0 : errno;
  }).join();
  return error;
}

int highestPermittedFifo() {
  if (hasNiceCapability()) return kHighestFifo;
  rlimit limit{};
  getrlimit(RLIMIT_RTPRIO, &limit);
  return static_cast<int>(std::min<rlim_t>(limit.rlim_cur, kHighestFifo));
}

Result<void> limitRealtime(Duration limit) {
  const auto hard = static_cast<rlim_t>(std::chrono::duration_cast<std::chrono::microseconds>(limit).count());
  rlimit now{};
  getrlimit(RLIMIT_RTTIME, &now);
  const rlim_t ceiling = std::min(now.rlim_max, hard);
  const rlimit wanted{ceiling - ceiling / 4, ceiling};
  if (setrlimit(RLIMIT_RTTIME, &wanted) != 0) {
    return Error{ErrorCode::System,
                 std::string("RLIMIT_RTTIME could not be set: ") + std::strerror(errno) + "."};
  }
  struct sigaction action {};
  action.sa_handler = onRealtimeLimit;
  action.sa_flags = SA_RESTART;
  sigaction(SIGXCPU, &action, nullptr);
  return {};
}

}  // namespace

std::string_view nameOf(KernelClass kernelClass) noexcept {
  switch (kernelClass) {
    case KernelClass::Fifo:
      return "SCHED_FIFO";
    case KernelClass::Deadline:
      return "SCHED_DEADLINE";
    case KernelClass::RtkitRr:
      return "SCHED_RR (RealtimeKit)";
    case KernelClass::PortalRr:
      return "SCHED_RR (portal)";
    case KernelClass::None:
      break;
  }
  return "SCHED_OTHER";
}

KernelClassGate::~KernelClassGate() = default;

std::unique_ptr<KernelClassGate> KernelClassGate::probe(
    KernelClass strongest, std::vector<std::unique_ptr<RealtimeBroker>> brokers) {
  auto gate = std::unique_ptr<KernelClassGate>(new KernelClassGate);
  if (strongest == KernelClass::None) {
    gate->m_refusals.push_back({KernelClass::Fifo, "it was not asked for."});
    return gate;
  }
  if (strongest == KernelClass::Deadline) {
    int error = EAGAIN;
    std::thread([&] {
      error = setDeadline(0, kLeastRuntime * 2, kLeastRuntime * 20, kLeastRuntime * 20);
    }).join();
    if (error == 0) {
      gate->m_granted = KernelClass::Deadline;
      gate->m_minPriority = gate->m_maxPriority = 1;
      return gate;
    }
    gate->m_refusals.push_back(
        {KernelClass::Deadline, std::string("the kernel refused it: ") + std::strerror(error) + "."});
    strongest = KernelClass::Fifo;
  }
  if (strongest != KernelClass::Fifo) {
    gate->m_refusals.push_back({KernelClass::Fifo, "it was not asked for."});
  } else if (const int error = tryOnScratchThread(SCHED_FIFO, kLowestFifo); error != 0) {
    gate->m_refusals.push_back({KernelClass::Fifo, fifoRefusal(error)});
  } else {
    gate->m_granted = KernelClass::Fifo;
    gate->m_minPriority = kLowestFifo;
    gate->m_maxPriority = highestPermittedFifo();
    std::thread([&] {
      gate->m_setsNice = setpriority(PRIO_PROCESS, 0, 1) == 0 && setpriority(PRIO_PROCESS, 0, 0) == 0;
    }).join();
    return gate;
  }
  for (auto& broker : brokers) {
    if (broker->kernelClass() > strongest) {
      gate->m_refusals.push_back({broker->kernelClass(), "it was not asked for."});
      continue;
    }
    const auto highest = broker->maxPriority();
    Result<void> ready = highest.ok() ? limitRealtime(broker->rttimeLimit()) : Result<void>(highest.error());
    if (ready.ok()) {
      // The scratch thread must be alive while the broker looks at it.
      std::thread([&] {
        const sched_param none{};
        (void)!syscall(SYS_sched_setscheduler, 0, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
        ready = broker->makeRealtime(static_cast<pid_t>(syscall(SYS_gettid)), 1);
      }).join();
    }
    if (!ready.ok()) {
      gate->m_refusals.push_back({broker->kernelClass(), ready.error().message});
      continue;
    }
    gate->m_granted = broker->kernelClass();
    gate->m_minPriority = 1;
    gate->m_maxPriority = std::max(1, highest.value());
    gate->m_broker = std::move(broker);
    return gate;
  }
  return gate;
}

Result<void> KernelClassGate::reserveInKernel(pid_t tid, Duration runtime, Duration deadline,
                                              Duration period) {
  const int error = setDeadline(tid, std::max(runtime, kLeastRuntime), deadline, period);
  if (error == 0) return {};
  if (error == ESRCH) return Error{ErrorCode::NotFound, "The thread has ended."};
  if (error == EBUSY) return Error{ErrorCode::Refused, "The kernel's own admission refused the reservation."};
  return Error{ErrorCode::PermissionDenied,
               std::string("SCHED_DEADLINE was refused: ") + std::strerror(error) + "."};
}

Result<void> KernelClassGate::raise(pid_t tid, int priority) {
  // A deadline thread has no priority; who has no reservation (the watchdog for one) stays ordinary.
  if (m_granted == KernelClass::None || m_granted == KernelClass::Deadline) return {};
  if (m_broker) {
    const sched_param none{};
    (void)!syscall(SYS_sched_setscheduler, tid, SCHED_OTHER | SCHED_RESET_ON_FORK, &none);
    remember(tid);
    auto raised = m_broker->makeRealtime(tid, priority);
    if (!raised.ok()) forget(tid);
    return raised;
  }
  if (setLevel(tid, priority)) return {};
  if (errno == ESRCH) return Error{ErrorCode::NotFound, "The thread has ended."};
  return Error{ErrorCode::PermissionDenied, "SCHED_FIFO was refused: " + fifoRefusal(errno)};
}

std::uint32_t KernelClassGate::limitsReached() noexcept {
  return g_limitsReached.load(std::memory_order_relaxed);
}

void KernelClassGate::setNice(pid_t tid, int nice) noexcept {
  (void)!setpriority(PRIO_PROCESS, static_cast<id_t>(tid), nice);  // Linux: a thread's
}

bool KernelClassGate::setLevel(pid_t tid, int priority) noexcept {
  const sched_param param{.sched_priority = std::max(0, priority)};
  const int policy = priority > 0 ? SCHED_FIFO : SCHED_OTHER;
  // RESET_ON_FORK: a thread that a streaming thread creates is not ours to make real-time unseen. It stays
  // with ordinary ones: clearing it would need a privilege we may lack.
  return syscall(SYS_sched_setscheduler, tid, policy | SCHED_RESET_ON_FORK, &param) == 0;
}

void KernelClassGate::setOwnIdle() noexcept {
  const sched_param none{};
  (void)!syscall(SYS_sched_setscheduler, 0, SCHED_IDLE | SCHED_RESET_ON_FORK, &none);
}

void KernelClassGate::lower(pid_t tid) noexcept {
  forget(tid);
  setLevel(tid, kOrdinary);
}

}  // namespace tactus::periodic
