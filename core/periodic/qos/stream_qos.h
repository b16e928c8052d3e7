// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "core/periodic/qos/qos_event.h"
#include "core/periodic/time/backoff.h"

namespace tactus::periodic {

/// The default handler of a violation (RTSS, section 4.2): the period is lengthened by 10 ms, again and again
/// while the violation lasts, and then shortened step by step. A violation soon after a shorter period means
/// that it was too short: the next one waits twice as long. Owns no clock. Thread-safe: no. Real-time-safe:
/// yes.
class PeriodStretch {
 public:
  struct Constants {
    Duration step = std::chrono::milliseconds(10);
    Duration shortest = std::chrono::seconds(1);  ///< before a period is shortened
    Duration longest = std::chrono::seconds(16);  ///< the same, after failures
  };
  explicit PeriodStretch(const Constants& constants) noexcept
      : m_constants(constants), m_backoff(constants.shortest, constants.longest) {}

  /// One step longer than `present`, the period in force, and at most `longest`. False: it is as long as it
  /// may be.
  bool lengthen(TimePoint now, Duration present, Duration longest) noexcept;
  /// Call while nothing is violated: one step shorter once the wait is over.
  void shorten(TimePoint now) noexcept;
  /// Shortest period at present; zero: any.
  [[nodiscard]] Duration period() const noexcept {
    return m_steps > 0 ? m_base + m_steps * m_constants.step : Duration{0};
  }
  [[nodiscard]] TimePoint changed() const noexcept { return m_changed; }

 private:
  Constants m_constants;
  Backoff m_backoff;
  Duration m_base{0};  // the period in force when the first step was made
  int m_steps = 0;
  TimePoint m_changed{};
  bool m_onTrial = false;  // the last change was a step shorter, and it is not known yet whether that holds
};

/// Keeps one stream to its contract: says when the contract is violated (RTSS, section 4.2: several misses in
/// the recent past), what is to be told, and what a handler, or the default, makes of it. Owns no clock.
/// Thread-safe: no. Real-time-safe: no (allocates).
class StreamQos {
 public:
  /// A stream after a look.
  struct Seen {
    std::uint64_t misses = 0;     ///< within `window`, under the terms in force
    std::uint64_t tolerated = 0;  ///< so many of them
    TimePoint lastMiss;
    Duration window{0};    ///< in which misses are counted
    Duration recovery{0};  ///< without a miss, after which a violation is over
    Duration period{0};    ///< in force; zero = unknown
    Duration longest{0};   ///< period that the contract allows (f_min)
    bool handled = false;  ///< a handler is attached: it acts instead of the default
  };
  explicit StreamQos(const PeriodStretch::Constants& stretch = {}) noexcept : m_stretch(stretch) {}

  /// Counts misses: a violation begins, goes on or ends.
  void look(TimePoint now, const Seen& seen);

  /// What is told after look(): mostly nothing. A change of the share `frequency` is told once a second at
  /// most, a small one every five seconds.
  [[nodiscard]] std::vector<QosEvent::Kind> tell(TimePoint now, double frequency, bool lastRung);

  /// Limits of a handler's answer hold from now on, until another answer; its terms are the owner's to set.
  void act(const QosAction& action) noexcept;

  [[nodiscard]] bool isViolated() const noexcept { return m_violated; }
  /// Highest frequency that handlers and the default allow a stream of this period at f = 1; 1 = any.
  [[nodiscard]] double highestFrequency(Duration period) const noexcept;
  /// Highest share of width and height that a handler allows; 1 = any.
  [[nodiscard]] double highestSize() const noexcept { return m_highestSize; }
  /// Highest frequency by a handler alone; 1 = any.
  [[nodiscard]] double handlersFrequency() const noexcept { return m_highestFrequency; }
  /// Shortest period by the default alone; zero: any.
  [[nodiscard]] Duration shortestPeriod() const noexcept { return m_stretch.period(); }
  /// Whether the default has lengthened the period.
  [[nodiscard]] bool isStretched() const noexcept { return m_stretch.period() > Duration{0}; }

 private:
  PeriodStretch m_stretch;
  bool m_violated = false, m_wasViolated = false;
  double m_highestFrequency = 1, m_highestSize = 1;  // by a handler
  double m_told = 1;                                 // f that the last event said; 0 = the last rung
  TimePoint m_lastTold{};
};

}  // namespace tactus::periodic
