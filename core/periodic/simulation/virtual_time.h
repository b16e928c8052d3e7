// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Time that passes only when told to: sleeping jumps straight to the instant. For tests and the simulator.
/// Thread-safe: no.
class VirtualTime final : public TimeSource {
 public:
  [[nodiscard]] TimePoint now() noexcept override { return m_now; }
  [[nodiscard]] Duration threadCpu() noexcept override { return m_cpu; }
  Wake sleepUntil(TimePoint instant, const Interrupt& interrupt) noexcept override {
    if (interrupt.raised()) return Wake::Interrupted;
    if (whileAsleep) whileAsleep(instant);
    if (interrupt.raised()) return Wake::Interrupted;
    if (instant > m_now) m_now = instant;
    ++sleeps;
    return Wake::OnTime;
  }

  void spinUntil(TimePoint instant) noexcept override {
    if (instant > m_now) m_now = instant;
  }

  void advance(Duration by) noexcept { m_now += by; }
  /// Advances wall and CPU time together: the thread computed.
  void compute(Duration by) noexcept {
    m_now += by;
    m_cpu += by;
  }

  std::function<void(TimePoint until)> whileAsleep;  ///< what happens elsewhere during a sleep
  int sleeps = 0;

 private:
  TimePoint m_now{std::chrono::seconds(1000)};
  Duration m_cpu{0};
};

}  // namespace tactus::periodic
