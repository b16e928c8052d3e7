// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// Least of the values that were noted within a time. Of a backlog it is the part that stands: the rest comes
/// and goes with each turn of the thread that works it off (CoDel, RFC 8289, section 3.1). Owns no clock.
/// Thread-safe: no. Real-time-safe: no (allocates).
class LeastLately {
 public:
  /// `value` held since the one before; what is older than `time` is forgotten. In the order of `now`.
  void note(double value, periodic::TimePoint now, periodic::Duration time) {
    std::erase_if(m_noted, [&](const auto& each) { return each.first <= now - time; });
    m_noted.emplace_back(now, value);
  }
  /// Endless before the first.
  [[nodiscard]] double value() const noexcept {
    double least = std::numeric_limits<double>::infinity();
    for (const auto& [at, value] : m_noted) least = std::min(least, value);
    return least;
  }

 private:
  std::vector<std::pair<periodic::TimePoint, double>> m_noted;
};

}  // namespace tactus::media
