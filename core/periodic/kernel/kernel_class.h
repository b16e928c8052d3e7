// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// What the kernel grants our threads, from weakest to strongest.
enum class KernelClass {
  None,      ///< SCHED_OTHER only
  PortalRr,  ///< SCHED_RR through the desktop portal's Realtime interface
  RtkitRr,   ///< SCHED_RR through RealtimeKit
  Fifo,      ///< SCHED_FIFO set by ourselves
  /// SCHED_DEADLINE with each task's reservation as runtime, deadline and period: the kernel's own
  /// enforcement, to compare. Never asked for but by name: its budget is checked at the tick, and its threads
  /// cannot be kept on a CPU.
  Deadline,
};
[[nodiscard]] std::string_view nameOf(
    KernelClass kernelClass) noexcept;  // "SCHED_FIFO", "SCHED_RR (RealtimeKit)", ...

/// Why one class could not be had; a sentence for a person.
struct Refusal {
  KernelClass wanted;
  std::string reason;
};

/// Someone outside this process who can raise a thread's class. Implemented over D-Bus by a higher layer.
/// Thread-safe: yes. Real-time-safe: no (may block for a round trip).
class RealtimeBroker {
 public:
  virtual ~RealtimeBroker() = default;
  [[nodiscard]] virtual KernelClass kernelClass() const noexcept = 0;
  /// Highest priority it grants, or why it grants none. May block up to its own time-out (2 s).
  [[nodiscard]] virtual Result<int> maxPriority() = 0;
  /// RLIMIT_RTTIME it asks for; the gate sets it (with SCHED_RESET_ON_FORK) before the first grant.
  [[nodiscard]] virtual Duration rttimeLimit() = 0;
  [[nodiscard]] virtual Result<void> makeRealtime(pid_t tid, int priority) = 0;
};

/// Tries, in order, SCHED_FIFO, RealtimeKit, the Realtime portal, none; then raises and lowers single
/// threads.
class KernelClassGate {
 public:
  /// `strongest` caps what is tried (None = never ask for anything: `--realtime=none`). Probes on a scratch
  /// thread; the caller's own class is left as it was. Real-time-safe: no.
  [[nodiscard]] static std::unique_ptr<KernelClassGate> probe(
      KernelClass strongest, std::vector<std::unique_ptr<RealtimeBroker>> brokers);
  ~KernelClassGate();

  [[nodiscard]] KernelClass granted() const noexcept { return m_granted; }
  /// Every class stronger than granted() with the reason it was refused.
  [[nodiscard]] const std::vector<Refusal>& refusals() const noexcept { return m_refusals; }
  /// Priorities a task may get; empty range (0, 0) with KernelClass::None.
  [[nodiscard]] int minPriority() const noexcept { return m_minPriority; }
  [[nodiscard]] int maxPriority() const noexcept { return m_maxPriority; }

  /// Gives `tid` (a thread of this process) the granted class at `priority`. With KernelClass::None does
  /// nothing and succeeds. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] Result<void> raise(pid_t tid, int priority);
  /// Only with KernelClass::Deadline, in place of raise(): `runtime` within every `period`, done `deadline`
  /// after its begin (runtime <= deadline <= period). The kernel's own admission may refuse. Thread-safe:
  /// yes. Real-time-safe: no.
  [[nodiscard]] Result<void> reserveInKernel(pid_t tid, Duration runtime, Duration deadline, Duration period);
  /// Back to SCHED_OTHER. A thread that is gone already is no error. Thread-safe: yes. Real-time-safe: yes
  /// (one system call), so that a watchdog may call it.
  void lower(pid_t tid) noexcept;
  /// How often the kernel's SIGXCPU (RLIMIT_RTTIME, set with a broker) lowered every thread that holds a
  /// class. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] static std::uint32_t limitsReached() noexcept;
  /// Whether a thread may set its own level at any time, without a broker: what budgets by signal need.
  [[nodiscard]] bool setsLevelsItself() const noexcept { return m_granted == KernelClass::Fifo; }
  /// Among ordinary programs (SCHED_OTHER), where a level is meant.
  static constexpr int kOrdinary = -1;
  /// A thread, 0 = the calling one, to `priority` of SCHED_FIFO or to kOrdinary; only where
  /// setsLevelsItself(). False if the kernel refused. Thread-safe: yes. Real-time-safe and
  /// async-signal-safe: yes (one system call).
  static bool setLevel(pid_t tid, int priority) noexcept;
  /// The calling thread's. Thread-safe: yes. Real-time-safe: yes.
  static bool setOwnLevel(int priority) noexcept { return setLevel(0, priority); }
  /// Whether a thread's nice value may be raised and lowered again.
  [[nodiscard]] bool setsNice() const noexcept { return m_setsNice; }
  /// The nice value of a thread, which counts while it runs among ordinary programs. One that is gone is no
  /// error. Thread-safe: yes. Real-time-safe: yes (one system call).
  static void setNice(pid_t tid, int nice) noexcept;
  /// The calling thread below everybody else (SCHED_IDLE), or back with setOwnLevel(). Real-time-safe: yes.
  void setOwnIdle() noexcept;

 private:
  KernelClassGate() = default;
  KernelClass m_granted = KernelClass::None;
  int m_minPriority = 0;
  int m_maxPriority = 0;
  bool m_setsNice = false;
  std::vector<Refusal> m_refusals;
  std::unique_ptr<RealtimeBroker> m_broker;  // the one in use, if any
};

}  // namespace tactus::periodic
