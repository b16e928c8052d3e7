// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/periodic/time/time.h"

namespace tactus::media {

using periodic::Duration;

/// A window, as the last stage of shedding sees it.
struct LastStageWindow {
  std::uint64_t id = 0;  ///< the numbers grow with the time of opening
  double weight = 1;
  bool mayYield = true;  ///< neither at High nor waiting
  bool yields = false;   ///< is in the last stage
  double floor = 0;      ///< processors it takes at least, as it is served now
  double promised = 0;   ///< and by its f_min
};

/// Decides for whom even f_min is too much (RTSS, section 4: operations whose frequency is not to fall below
/// f_min): those that weigh least, and of these the youngest, as many as it takes, and they come back in the
/// opposite order, later after each return that did not hold. Owns no clock. Thread-safe: no.
/// Real-time-safe: no (allocates).
class LastStage {
 public:
  struct Observation {
    double beside = 0;  ///< processors that are taken beside the windows
    double room = 0;    ///< processors that windows and the rest may take together
    double idle = 0;    ///< processors that nobody uses
    double processors = 1;
    bool full = false;     ///< one processor at least
    bool atFloor = false;  ///< whoever is not in the last stage shows f_min
    bool missing = false;  ///< all the same something is late
  };

  /// The windows that enter it, if they are not in it, or leave it, in that order; mostly none. Processor
  /// time: O(n log n).
  [[nodiscard]] std::vector<std::uint64_t> decide(periodic::TimePoint now,
                                                  std::span<const LastStageWindow> windows,
                                                  const Observation& seen);

 private:
  [[nodiscard]] std::vector<std::uint64_t> enter(std::span<const LastStageWindow> windows,
                                                 const Observation& seen, double floor);
  [[nodiscard]] std::vector<std::uint64_t> leave(periodic::TimePoint now,
                                                 std::span<const LastStageWindow> windows,
                                                 const Observation& seen, double floor);

  periodic::TimePoint m_unfitSince{}, m_changed{};
  bool m_unfit = false;
  bool m_left = false;                      // one has left it, and it is not known yet whether that holds
  double m_leftIdle = 0, m_failedIdle = 0;  // share of the processors that was idle then; and where it failed
  Duration m_kept = kKept;                  // before it is left, longer after each time that it came back
  static constexpr Duration kKept = std::chrono::seconds(3);
};

}  // namespace tactus::media
