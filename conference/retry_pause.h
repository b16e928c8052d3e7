// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::conference {

/// How long who was refused waits before it asks again: a moment, and twice as long after each refusal that
/// follows, up to a limit. Pure: `now` is an argument. Thread-safe: no. Real-time-safe: yes.
class RetryPause {
 public:
  static constexpr periodic::Duration kFirst = std::chrono::milliseconds(300);
  static constexpr periodic::Duration kLongest = std::chrono::seconds(2);

  void refused(periodic::TimePoint now) noexcept {
    m_pause = m_since ? std::min(2 * m_pause, kLongest) : kFirst;
    if (!m_since) m_since = now;
    m_until = now + m_pause;
  }
  /// Until it may ask again; zero: now.
  [[nodiscard]] periodic::Duration left(periodic::TimePoint now) const noexcept {
    return m_since ? std::max(m_until - now, periodic::Duration{0}) : periodic::Duration{0};
  }
  /// Since it was refused first; zero: it was not.
  [[nodiscard]] periodic::Duration waited(periodic::TimePoint now) const noexcept {
    return m_since ? now - *m_since : periodic::Duration{0};
  }

 private:
  std::optional<periodic::TimePoint> m_since;  // it was refused first
  periodic::TimePoint m_until{};
  periodic::Duration m_pause{0};
};

}  // namespace tactus::conference
