// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "media/sharing/qos_events.h"
#include "media/sharing/window_stage.h"

namespace tactus::media {

using periodic::Duration;

/// Whether one window's contract is violated (RTSS, section 4.3: several misses in the recent past), what is
/// to be told of it, and when. Owns no clock. Thread-safe: no. Real-time-safe: no (allocates).
class QosJudge {
 public:
  /// A window after a look.
  struct Seen {
    std::uint64_t misses = 0;     ///< within the time that its terms name
    std::uint64_t tolerated = 0;  ///< so many of them
    periodic::TimePoint lastMiss;
    Duration recovery;  ///< without a miss, and a violation is over
  };
  /// Counts misses: a violation begins or ends.
  void look(periodic::TimePoint now, const Seen& seen);

  /// What is told after look(): mostly nothing. A change of the share shown, `frequency`, is told once a
  /// second at most, a small one every five seconds.
  [[nodiscard]] std::vector<QosEvent::Kind> tell(periodic::TimePoint now, WindowStage stage,
                                                 double frequency);

  /// Default handler of a violation whose cause is the display (RTSS, section 4.3): the period of a film of
  /// `rate` pictures a second is stretched by 10 ms, down to f_min `least`, until the window recovers.
  void stretch(double rate, double least) noexcept;

  [[nodiscard]] bool isViolated() const noexcept { return m_violated; }
  /// Whether the last look() began a violation.
  [[nodiscard]] bool began() const noexcept { return m_violated && !m_wasViolated; }
  /// Highest f by the default handler.
  [[nodiscard]] double stretched() const noexcept { return m_stretched; }

 private:
  bool m_violated = false, m_wasViolated = false;
  double m_stretched = 1;
  double m_told = 1;  // f that the last event said; 0 = keyframes only
  periodic::TimePoint m_lastTold{};
};

}  // namespace tactus::media
