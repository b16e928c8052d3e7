// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "core/periodic/time/time.h"
#include "media/streaming/stream_terms.h"

namespace tactus::media {

/// Up to which instant a film is due, as time passes: it is sent as it plays, kSendAhead before. While nobody
/// asks, as the port is halted or its receiver takes nothing, the film stands. Owns no clock. Thread-safe:
/// no. Real-time-safe: yes.
class FilmPace {
 public:
  [[nodiscard]] periodic::Duration due(periodic::TimePoint now) noexcept {
    if (m_last) m_passed += std::clamp(now - *m_last, periodic::Duration{0}, kLongestStep);
    m_last = now;
    return m_passed + kSendAhead;
  }

  /// More between two calls is a pause of the film.
  static constexpr periodic::Duration kLongestStep = std::chrono::seconds(1);

 private:
  std::optional<periodic::TimePoint> m_last = {};
  periodic::Duration m_passed{0};
};

}  // namespace tactus::media
