// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// How long to wait before something is tried again: doubles with each failure, up to a longest wait.
/// Thread-safe: no. Real-time-safe: yes.
class Backoff {
 public:
  /// `shortest` is above zero, `longest` at least `shortest`.
  constexpr Backoff(Duration shortest, Duration longest) noexcept
      : m_shortest(shortest), m_longest(longest), m_wait(shortest) {}

  /// The wait before the next try.
  [[nodiscard]] constexpr Duration wait() const noexcept { return m_wait; }
  /// A try failed: the wait before the next one, at least twice the wait before this one unless it is the
  /// longest. Returns the wait that now holds.
  constexpr Duration fail() noexcept { return m_wait = std::min(2 * m_wait, m_longest); }
  /// A try held: half the wait, at least the shortest.
  constexpr void ease() noexcept { m_wait = std::max(m_shortest, m_wait / 2); }
  /// Nothing is remembered of earlier failures.
  constexpr void reset() noexcept { m_wait = m_shortest; }

 private:
  Duration m_shortest, m_longest, m_wait;
};

}  // namespace tactus::periodic
