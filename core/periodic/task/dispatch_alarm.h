// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Wakes the dispatcher for what comes before its next look. Real-time-safe: yes.
class DispatchAlarm {
 public:
  /// A look is wanted at `at`. Any thread.
  void lookAt(TimePoint at) TACTUS_REALTIME {
    // relaxed: what is to be looked at was stored with release before; a look too many costs microseconds.
    if (at.time_since_epoch().count() < m_next.load(std::memory_order_relaxed)) m_wake.raise();
  }
  /// The next look is at once.
  void ring() noexcept { m_wake.raise(); }

  // The dispatcher.
  /// Forgets earlier rings. Before a look, so that one that comes meanwhile is not lost.
  void clear() noexcept { m_wake.clear(); }
  void setNext(TimePoint at) noexcept {
    m_next.store(at.time_since_epoch().count(), std::memory_order_relaxed);
  }
  [[nodiscard]] const Interrupt& wake() const noexcept { return m_wake; }

 private:
  Interrupt m_wake;
  std::atomic<std::int64_t> m_next{0};
};

}  // namespace tactus::periodic
