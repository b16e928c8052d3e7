// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/kernel/budget_signal.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <mutex>
#include <string>
#include <thread>

#include "core/periodic/kernel/kernel_class.h"

namespace tactus::periodic {
namespace {

// relaxed: the handler runs in the thread that wrote, between two of its instructions.
constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr int kFiles = 8192;  // file numbers that can be told apart in the handler
/// An overflow this near the end of the budget counts as its end: another round would cost as much.
constexpr std::int64_t kNearEnough = 20'000;
/// What arming and the way into the handler take of the thread's own time: aimed this much earlier.
constexpr std::int64_t kArming = 40'000;
constexpr std::int64_t kShortestPeriod = 10'000;  // the kernel's own floor for this counter

/// The only link between a signal and its object: a handler can take no lock. Set by open(), cleared by the
/// destructor, which then waits for the handlers that saw it.
struct Slot {
  std::atomic<BudgetSignal*> signal{nullptr};
  std::atomic<int> handlers{0};  // inside
};
std::array<Slot, kFiles> g_slots{};

Slot& slotOf(int file) noexcept {
  return g_slots[static_cast<std::size_t>(file)];
}

int signalNumber() noexcept {
  return SIGRTMIN + 4;
}

std::int64_t threadCpu() noexcept {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return time.tv_sec * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

struct BudgetSignalHandler {
  static void handle(int, siginfo_t* info, void*) noexcept {
    const int saved = errno;
    if (info->si_fd >= 0 && info->si_fd < kFiles) {
      Slot& slot = slotOf(info->si_fd);
      // seq_cst here and in the destructor: either it sees this handler, or this handler sees nothing.
      slot.handlers.fetch_add(1, std::memory_order_seq_cst);
      if (BudgetSignal* signal = slot.signal.load(std::memory_order_seq_cst)) signal->onOverflow();
      slot.handlers.fetch_sub(1, std::memory_order_release);
    }
    errno = saved;
  }
};

BudgetSignal::BudgetSignal(int file, const std::atomic<int>& overrunLevel) noexcept
    : m_file(file), m_overrunLevel(overrunLevel) {
  slotOf(file).signal.store(this, std::memory_order_seq_cst);
}

Result<std::unique_ptr<BudgetSignal>> BudgetSignal::open(pid_t tid, const std::atomic<int>& overrunLevel) {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = BudgetSignalHandler::handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigaction(signalNumber(), &action, nullptr);
  });
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = 1'000'000'000;
  attributes.disabled = 1;
  attributes.wakeup_events = 1;
  long file = syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (file < 0 && (errno == EACCES || errno == EPERM)) {
    attributes.exclude_kernel = 1;  // what an unprivileged user may watch; time in system calls escapes
    file = syscall(SYS_perf_event_open, &attributes, tid, -1, -1, PERF_FLAG_FD_CLOEXEC);
  }
  if (file < 0) {
    const bool denied = errno == EACCES || errno == EPERM;
    return Error{denied ? ErrorCode::PermissionDenied : ErrorCode::Unsupported,
                 std::string("the kernel allows no perf events (") + std::strerror(errno) +
                     (denied ? "; sysctl kernel.perf_event_paranoid=2 would)." : ").")};
  }
  const auto fd = static_cast<int>(file);
  const f_owner_ex owner{F_OWNER_TID, tid};
  if (fd >= kFiles || fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0 ||
      fcntl(fd, F_SETSIG, signalNumber()) != 0 || fcntl(fd, F_SETOWN_EX, &owner) != 0) {
    const std::string reason = fd >= kFiles ? "too many files are open" : std::strerror(errno);
    ::close(fd);
    return Error{ErrorCode::Unsupported, "perf events cannot signal a thread (" + reason + ")."};
  }
  return std::unique_ptr<BudgetSignal>(new BudgetSignal(fd, overrunLevel));
}

BudgetSignal::~BudgetSignal() {
  ioctl(m_file, PERF_EVENT_IOC_DISABLE, 0);
  Slot& slot = slotOf(m_file);
  slot.signal.store(nullptr, std::memory_order_seq_cst);
  // Asleep, not spinning: the thread inside may be less urgent than this one.
  while (slot.handlers.load(std::memory_order_seq_cst) != 0)
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  ::close(m_file);
}

void BudgetSignal::arm(Duration left) noexcept {
  auto period = static_cast<std::uint64_t>(std::max<std::int64_t>(kShortestPeriod, left.count() - kArming));
  // The period first: what is left of the old one would fire early.
  ioctl(m_file, PERF_EVENT_IOC_PERIOD, &period);
  ioctl(m_file, PERF_EVENT_IOC_REFRESH, 1);
}

void BudgetSignal::begin(Duration cpuNow, Duration budget) TACTUS_REALTIME {
  m_budget.store(0, kRelaxed);  // nothing is supervised while the others change
  std::atomic_signal_fence(std::memory_order_seq_cst);
  m_overran.store(false, kRelaxed);
  m_begin.store(cpuNow.count(), kRelaxed);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  m_budget.store(budget.count(), kRelaxed);
  if (budget <= Duration::zero()) return;
  const std::int64_t end = cpuNow.count() + budget.count();
  const std::int64_t shot = m_shot.load(kRelaxed);
  // A shot that should have come long ago was lost (the thread was in the kernel, where it is not seen).
  if (shot <= end && shot + kNearEnough * 50 > cpuNow.count()) return;
  m_shot.store(end, kRelaxed);
  arm(budget);
}

void BudgetSignal::disarm() TACTUS_REALTIME {
  m_budget.store(0, kRelaxed);
}

void BudgetSignal::onOverflow() noexcept {
  m_shot.store(INT64_MAX, kRelaxed);
  const std::int64_t budget = m_budget.load(kRelaxed);
  if (budget <= 0 || m_overran.load(kRelaxed)) return;
  const std::int64_t now = threadCpu();
  const std::int64_t left = m_begin.load(kRelaxed) + budget - now;
  if (left > kNearEnough) {
    m_shot.store(now + left, kRelaxed);
    arm(Duration(left));
    return;
  }
  const int level = m_overrunLevel.load(kRelaxed);
  if (level == 0 || !KernelClassGate::setOwnLevel(level)) return;
  m_overran.store(true, kRelaxed);
  m_excess.store(-left, kRelaxed);
  m_overruns.store(m_overruns.load(kRelaxed) + 1, kRelaxed);
}

bool BudgetSignal::overran() const TACTUS_REALTIME {
  return m_overran.load(kRelaxed);
}

std::uint64_t BudgetSignal::overruns() const TACTUS_REALTIME {
  return m_overruns.load(kRelaxed);
}

Duration BudgetSignal::lastExcess() const TACTUS_REALTIME {
  return Duration(m_excess.load(kRelaxed));
}

}  // namespace tactus::periodic
