// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// How samples pass that no device takes: at their own pace. One writer; left() is for any thread.
/// Real-time-safe: yes, all of it.
class SamplePace {
 public:
  /// `length` more of them, at `now`: when they will have passed. They begin where those before end, so that
  /// no wake-up's lateness adds up; now after a gap of more than their own length.
  [[nodiscard]] periodic::TimePoint consume(periodic::Duration length, periodic::TimePoint now) noexcept {
    const periodic::TimePoint last = until();
    const periodic::TimePoint end = (now - last > length ? now : last) + length;
    m_until.store(end.time_since_epoch().count(), std::memory_order_relaxed);
    return end;
  }
  /// What has yet to pass of those consumed; 0 at least.
  [[nodiscard]] periodic::Duration left(periodic::TimePoint now) const noexcept {
    return std::max(periodic::Duration{0}, until() - now);
  }

 private:
  [[nodiscard]] periodic::TimePoint until() const noexcept {
    return periodic::TimePoint(periodic::Duration(m_until.load(std::memory_order_relaxed)));
  }
  std::atomic<std::int64_t> m_until{0};  // ns; relaxed: it guards no other data
};

}  // namespace tactus::plugins
