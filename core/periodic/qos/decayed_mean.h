// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Part of what was known before that is still believed after `passed`, with the time constant `memory`.
[[nodiscard]] inline double remembered(Duration passed, Duration memory) noexcept {
  return std::exp(-inSeconds(passed) / inSeconds(memory));
}

/// Mean of a rate that is read now and then, old readings fading with a time constant: the result does not
/// depend on how often it is read. Thread-safe: no. Real-time-safe: yes.
class DecayedMean {
 public:
  /// `value` held for the last `passed`. The first reading counts fully.
  void add(double value, Duration passed, Duration memory) noexcept {
    const double before = m_known ? remembered(passed, memory) : 0;
    m_value = m_value * before + value * (1 - before);
    m_known = true;
  }
  [[nodiscard]] double value() const noexcept { return m_value; }
  void reset() noexcept { *this = {}; }

 private:
  double m_value = 0;
  bool m_known = false;
};

}  // namespace tactus::periodic
