// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

/// Marks a function that may run on a real-time thread: it never blocks (unless blocking is its purpose),
/// allocates, logs or throws, and takes no lock of ours.
#if defined(__clang__) && __has_cpp_attribute(clang::nonblocking)
#define TACTUS_REALTIME noexcept [[clang::nonblocking]]
#else
#define TACTUS_REALTIME noexcept
#endif

namespace tactus::periodic {

/// A span of time, in nanoseconds.
using Duration = std::chrono::nanoseconds;

[[nodiscard]] constexpr double inSeconds(Duration duration) noexcept {
  return std::chrono::duration<double>(duration).count();
}
[[nodiscard]] constexpr double inMilliseconds(Duration duration) noexcept {
  return std::chrono::duration<double, std::milli>(duration).count();
}
[[nodiscard]] constexpr double inMicroseconds(Duration duration) noexcept {
  return std::chrono::duration<double, std::micro>(duration).count();
}
/// The nearest nanosecond; the longest Duration, of either sign, for what is longer; 0 for what is no number.
/// Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] Duration fromSeconds(double seconds) TACTUS_REALTIME;

/// CLOCK_MONOTONIC as a chrono clock. Only runner shells read it; algorithms take `now`.
struct MonotonicClock {
  using duration = Duration;
  using rep = Duration::rep;
  using period = Duration::period;
  using time_point = std::chrono::time_point<MonotonicClock, Duration>;
  static constexpr bool is_steady = true;
  /// Thread-safe: yes. Real-time-safe: yes (vDSO).
  static time_point now() noexcept;
};
using TimePoint = MonotonicClock::time_point;

/// Ends a sleep from another thread. One waiter at a time, any number of callers of raise().
class Interrupt {
 public:
  /// Makes the present or next sleep on this return at once, until clear(). Thread-safe: yes.
  /// Real-time-safe: yes (wait-free: one exchange, and one futex wake-up while somebody sleeps).
  void raise() noexcept;
  /// Lets sleeps last again. What was done before each raise() that this clears is seen by the caller: who
  /// clears first and looks then misses nothing. Thread-safe: yes. Real-time-safe: yes.
  void clear() noexcept;
  [[nodiscard]] bool raised() const noexcept;

 private:
  friend class KernelTime;
  // 0 = sleeps last, 1 = sleeps end at once. Written by anybody, read by the sleeper; it is a futex word.
  std::atomic<std::uint32_t> m_word{0};
  // raise() calls the kernel while there are sleepers. Written by them, read by raise().
  mutable std::atomic<int> m_sleepers{0};
};

enum class Wake { OnTime, Interrupted };

/// Where a runner shell gets time from. The kernel's, or virtual time in tests and in the simulator.
class TimeSource {
 public:
  virtual ~TimeSource() = default;
  [[nodiscard]] virtual TimePoint now() noexcept = 0;
  /// CPU time used by the calling thread.
  [[nodiscard]] virtual Duration threadCpu() noexcept = 0;
  /// Blocks the caller until `instant` (TimePoint::max(): for ever) or until `interrupt` is raised; at once
  /// if either already holds.
  virtual Wake sleepUntil(TimePoint instant, const Interrupt& interrupt) noexcept = 0;
  /// Reads the clock until `instant`; for the last microseconds of a wait.
  virtual void spinUntil(TimePoint instant) noexcept = 0;
};

/// The kernel's clocks. A sleep is an absolute one on CLOCK_MONOTONIC. Thread-safe: yes.
class KernelTime final : public TimeSource {
 public:
  [[nodiscard]] TimePoint now() noexcept override;
  [[nodiscard]] Duration threadCpu() noexcept override;
  Wake sleepUntil(TimePoint instant, const Interrupt& interrupt) noexcept override;
  void spinUntil(TimePoint instant) noexcept override;
  /// `clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME)`, resumed after signals; cannot be interrupted.
  static void sleepUntil(TimePoint instant) noexcept;
};

}  // namespace tactus::periodic
