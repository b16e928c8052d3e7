// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::conference {

/// How much may be taken of something: `burst` at once, and `perSecond` in the long run.
struct Budget {
  std::int64_t burst = 0;
  std::int64_t perSecond = 0;  ///< 1 ... 1,000,000
};

/// A token bucket. With l(i) the instant at which what was taken is paid off, c may be taken at `now` if
/// max(l(i), now) + c/R <= now + burst/R, and then l(i+1) = max(l(i), now) + c/R: the logical arrival time of
/// an LBAP. It starts full. Thread-safe: no. Real-time-safe: yes.
class TokenBucket {
 public:
  constexpr explicit TokenBucket(Budget budget) noexcept : m_budget(budget) {}

  /// Takes `count`, or nothing: false. `now` of an earlier call may be later than this one.
  [[nodiscard]] constexpr bool take(periodic::TimePoint now, std::int64_t count = 1) noexcept {
    const auto paid = std::max(m_paid, now) + timeOf(count);
    if (count > m_budget.burst || paid > now + timeOf(m_budget.burst)) return false;
    m_paid = paid;
    return true;
  }

 private:
  [[nodiscard]] constexpr periodic::Duration timeOf(std::int64_t count) const noexcept {
    return periodic::Duration(count * 1'000'000'000 / m_budget.perSecond);
  }

  Budget m_budget;
  periodic::TimePoint m_paid = periodic::TimePoint::min();
};

}  // namespace tactus::conference
