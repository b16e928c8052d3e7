// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>

#include "core/periodic/time/backoff.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// C in `room = C - B/T`: how many processors a group of operations can have now. Three kinds of evidence:
///
/// - more work is missing, as it waited for a processor, than processors are idle: C is what is used;
/// - something is idle: C is at least what is used and what is idle;
/// - nothing is idle and nothing is missing: C is unknown. One step more is tried, at most what is done ahead
///   pays for: a failed trial makes nothing late.
///
/// A raise after which work is missing has failed: the next one as high waits, twice as long after each
/// failure. What counts is a share of what the group asks (of all processors where that is more): a law that
/// is right for a film is right for one that needs a tenth. Owns no clock. Thread-safe: no. Real-time-safe:
/// yes.
class Capacity {
 public:
  struct Constants {
    double nothing = 0.02;                        ///< share of what is asked below which nothing counts
    double step = 0.06;                           ///< of a trial, as share of what is asked
    Duration proof = std::chrono::seconds(2);     ///< a raise has held when nothing is missing for so long
    Duration shortest = std::chrono::seconds(1);  ///< between two trials
    Duration longest = std::chrono::seconds(16);  ///< between two trials after failures
  };
  /// All in processors.
  struct Evidence {
    double processors = 1;  ///< that may be used at most
    double used = 0;        ///< by the group
    double idle = 0;        ///< by nobody
    double spare = 0;    ///< lately used by nobody, as far as the group could have used it: at most `asked`
    double missing = 0;  ///< that the group needs beyond what it uses, as it waited for them: B/T
    double asked = 0;    ///< by the group for everything; a trial beyond it would show nothing
    /// The largest trial that what is done ahead pays for, until it is seen to fail.
    double payable = std::numeric_limits<double>::infinity();
    bool settled = true;  ///< false: somebody begins; what is missing or used says nothing of later
  };

  explicit Capacity(Constants constants) noexcept
      : m_constants(constants), m_backoff(constants.shortest, constants.longest) {}

  /// One look. Call a few times a second; how often does not matter.
  void observe(TimePoint now, const Evidence& seen) noexcept;
  /// Processors. All of them until something is known.
  [[nodiscard]] double value(double processors) const noexcept;

 private:
  void raise(TimePoint now, double to) noexcept;
  void fallTo(TimePoint now, double used) noexcept;

  Constants m_constants;
  Backoff m_backoff;
  bool m_known = false;    // else all processors
  double m_value = 0;      // processors
  TimePoint m_changed{};   // when C was raised or lowered last
  TimePoint m_missed{};    // when something was missing last
  bool m_onTrial = false;  // C was raised, and it is not known yet whether that holds
  double m_tooMuch = 0;    // processors: the raise that failed last, 0 = none
};

}  // namespace tactus::periodic
