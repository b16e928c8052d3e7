// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "core/periodic/time/time.h"

namespace tactus::plugins::testing {

/// The time of a test: a pipeline's clock, and the TimeSource of those who wait beside it. It stands still
/// until somebody waits on the clock, then it is at once as late as was waited for: nothing is ever late, and
/// nothing early, however slow or fast the machine is. Thread-safe: yes.
class CrankedClock final : public periodic::TimeSource {
 public:
  CrankedClock();
  ~CrankedClock() override;
  CrankedClock(const CrankedClock&) = delete;
  CrankedClock& operator=(const CrankedClock&) = delete;

  /// For a pipeline; a GstTestClock.
  [[nodiscard]] const std::shared_ptr<GstClock>& clock() const noexcept { return m_clock; }
  /// What it shows; zero at first.
  [[nodiscard]] periodic::Duration reading() const noexcept;
  /// So much passes. Not where somebody may be waiting on it.
  void advance(periodic::Duration time) noexcept;
  /// It goes no further than this: who waits for a later instant waits until it is let go. Say it before the
  /// clock is there.
  void holdAt(periodic::Duration reading) noexcept { m_hold.store(reading.count()); }
  /// Whether somebody came to wait for a later instant than it is held at, in a minute of real time.
  [[nodiscard]] bool isHeld() const noexcept;
  void letGo() noexcept { holdAt(periodic::Duration::max()); }

  [[nodiscard]] periodic::TimePoint now() noexcept override { return periodic::TimePoint(reading()); }
  [[nodiscard]] periodic::Duration threadCpu() noexcept override { return m_kernelTime.threadCpu(); }
  /// A sleep moves nothing: only who shows pictures does. It may be that the clock stands because these want
  /// what the sleeper has; so it sleeps no longer than kLongestSleep.
  periodic::Wake sleepUntil(periodic::TimePoint instant,
                            const periodic::Interrupt& interrupt) noexcept override;
  void spinUntil(periodic::TimePoint) noexcept override {}

 private:
  static constexpr std::chrono::milliseconds kLongestSleep{20};
  void crank();

  periodic::KernelTime m_kernelTime;
  std::shared_ptr<GstClock> m_clock;  // shared with the pipelines
  std::atomic<std::int64_t> m_hold{periodic::Duration::max().count()};
  std::atomic<std::int64_t> m_heldAt{-1};  // where it stood when somebody waited for more
  std::atomic<bool> m_ends{false};
  std::thread m_thread;
};

}  // namespace tactus::plugins::testing
