// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// When somebody is told about a task's overruns: more than ten new ones, and a minute of silence in between.
/// Thread-safe: no (the watchdog's). Real-time-safe: yes.
class OverrunNotice {
 public:
  /// True if the count is worth telling now; it counts as told then.
  [[nodiscard]] bool tell(TimePoint now, std::uint64_t overruns) noexcept {
    if (overruns <= m_told + kFew || now < m_silentUntil) return false;
    m_told = overruns;
    m_silentUntil = now + kSilence;
    return true;
  }

 private:
  static constexpr std::uint64_t kFew = 10;
  static constexpr Duration kSilence = std::chrono::seconds(60);
  std::uint64_t m_told = 0;
  TimePoint m_silentUntil{};
};

}  // namespace tactus::periodic
