// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Ends an overrun within tens of microseconds: a perf task-clock counter of one thread whose overflow
/// signals that very thread, whose handler lowers itself (HeiTS, second scheme of "Ordering of Priorities",
/// which AIX did not allow). The counter is armed lazily: a packet that begins while the next overflow is due
/// before its budget ends costs no system call; an overflow that finds budget left re-arms for the rest.
class BudgetSignal {
 public:
  /// For thread `tid` of this process, which has SCHED_FIFO and may raise itself again. `overrunLevel`, where
  /// who exceeds a budget goes, is read when it happens, 0 = nowhere; it must outlive the object.
  /// PermissionDenied or Unsupported with a reason where the kernel allows no perf events. Thread-safe: yes.
  /// Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<BudgetSignal>> open(pid_t tid,
                                                                  const std::atomic<int>& overrunLevel);
  /// Any thread; waits for a handler that is under way. A packet of the bound thread goes on unsupervised.
  /// Real-time-safe: no.
  ~BudgetSignal();
  BudgetSignal(const BudgetSignal&) = delete;
  BudgetSignal& operator=(const BudgetSignal&) = delete;

  /// A packet begins: at `cpuNow` of the thread's clock, allowed `budget` (zero = unsupervised). Bound thread
  /// only. Real-time-safe: yes (two system calls when the counter must be set anew).
  void begin(Duration cpuNow, Duration budget) TACTUS_REALTIME;
  /// No packet is open: nothing is supervised. Any thread. Real-time-safe: yes.
  void disarm() TACTUS_REALTIME;

  /// Whether the handler lowered the thread since begin(). Any thread. Real-time-safe: yes.
  [[nodiscard]] bool overran() const TACTUS_REALTIME;
  /// Overruns ended so far. Any thread. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t overruns() const TACTUS_REALTIME;
  /// How far beyond its budget the thread was when the last overrun ended, in CPU time. Any thread.
  [[nodiscard]] Duration lastExcess() const TACTUS_REALTIME;

 private:
  BudgetSignal(int file, const std::atomic<int>& overrunLevel) noexcept;
  friend struct BudgetSignalHandler;
  void onOverflow() noexcept;
  void arm(Duration left) noexcept;

  const int m_file;
  const std::atomic<int>& m_overrunLevel;
  // Written by the bound thread, read by its own handler, which interrupts it: atomics against the compiler
  // only.
  std::atomic<std::int64_t> m_begin{0};
  std::atomic<std::int64_t> m_budget{0};        // 0 = nothing supervised
  std::atomic<std::int64_t> m_shot{INT64_MAX};  // thread CPU time of the next overflow
  // Written by the handler.
  std::atomic<bool> m_overran{false};
  std::atomic<std::uint64_t> m_overruns{0};
  std::atomic<std::int64_t> m_excess{0};
};

}  // namespace tactus::periodic
