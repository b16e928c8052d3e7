// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/time/time.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cmath>
#include <ratio>

#include "core/periodic/time/timespec.h"

namespace tactus::periodic {
namespace {

Duration read(clockid_t clock) noexcept {
  timespec time{};
  clock_gettime(clock, &time);  // cannot fail for the two clocks below
  return std::chrono::seconds(time.tv_sec) + Duration(time.tv_nsec);
}

}  // namespace

Duration fromSeconds(double seconds) TACTUS_REALTIME {
  constexpr double kFirstTooLong = 0x1p63;  // exact, unlike the longest Duration
  const double count = std::round(seconds * std::nano::den);
  if (std::isnan(count)) return Duration::zero();
  if (count >= kFirstTooLong) return Duration::max();
  if (count < -kFirstTooLong) return Duration::min();
  return Duration(static_cast<std::int64_t>(count));
}

TimePoint MonotonicClock::now() noexcept {
  return TimePoint(read(CLOCK_MONOTONIC));
}

void Interrupt::raise() noexcept {
  // release, by an exchange: what each of several raisers did before is seen by whoever finds or clears the
  // word. seq_cst: either we see the sleeper, or it sees the word before it sleeps. Every raiser
  // that finds a sleeper calls the kernel: the first may be preempted before it does.
  m_word.exchange(1, std::memory_order_seq_cst);
  if (m_sleepers.load(std::memory_order_seq_cst) == 0) return;
  syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&m_word), FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr,
          0);
}

void Interrupt::clear() noexcept {
  // An exchange, acquire: it takes part in the order of the raises, and what is looked at next is not read
  // before the word is 0, as it could be after a mere store.
  m_word.exchange(0, std::memory_order_acq_rel);
}

// acquire: pairs with raise().
bool Interrupt::raised() const noexcept {
  return m_word.load(std::memory_order_acquire) != 0;
}

TimePoint KernelTime::now() noexcept {
  return MonotonicClock::now();
}

Duration KernelTime::threadCpu() noexcept {
  return read(CLOCK_THREAD_CPUTIME_ID);
}

Wake KernelTime::sleepUntil(TimePoint instant, const Interrupt& interrupt) noexcept {
  if (interrupt.raised()) return Wake::Interrupted;
  const timespec until = timespecOf(instant.time_since_epoch());
  auto* word = const_cast<std::uint32_t*>(reinterpret_cast<const std::uint32_t*>(&interrupt.m_word));
  interrupt.m_sleepers.fetch_add(1, std::memory_order_seq_cst);  // seq_cst: see raise()
  Wake result = Wake::OnTime;
  for (;;) {
    if (interrupt.m_word.load(std::memory_order_seq_cst) != 0) {
      result = Wake::Interrupted;
      break;
    }
    if (MonotonicClock::now() >= instant) break;
    // FUTEX_WAIT_BITSET takes an absolute time on CLOCK_MONOTONIC: the same high-resolution timer as
    // clock_nanosleep(TIMER_ABSTIME), and the kernel compares the word before it sleeps, so no raise() is
    // lost.
    const long slept =
        syscall(SYS_futex, word, FUTEX_WAIT_BITSET_PRIVATE, 0u, &until, nullptr, FUTEX_BITSET_MATCH_ANY);
    if (slept == -1 && errno == ETIMEDOUT) break;
  }
  interrupt.m_sleepers.fetch_sub(1, std::memory_order_relaxed);  // seen late, it costs a call of the kernel
  return result;
}

void KernelTime::spinUntil(TimePoint instant) noexcept {
  while (MonotonicClock::now() < instant) {
  }
}

void KernelTime::sleepUntil(TimePoint instant) noexcept {
  const timespec until = timespecOf(instant.time_since_epoch());
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) == EINTR) {
  }
}

}  // namespace tactus::periodic
