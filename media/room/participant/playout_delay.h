// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// How long after its stamp what a call receives is shown: as late as it comes, by its mean and deviation
/// (Ramjee, Kurose, Towsley, Schulzrinne 1994, algorithm 1). With n the lateness of what came, dt the time
/// since the one before:
///
///     w = min(dt, longest) / forget
///     d = d + w (n - d)          v = v + w (|n - d| - v)
///     delay = min(most, d + deviations * v)
///
/// It begins with `most`, and comes down as `v` does. Thread-safe: no. Real-time-safe: yes.
class PlayoutDelay {
 public:
  struct Constants {
    double deviations = 4;
    periodic::Duration forget = std::chrono::seconds(2);
    periodic::Duration longest = std::chrono::milliseconds(40);  ///< of a pause in which nothing is learned
  };
  PlayoutDelay() noexcept : PlayoutDelay(Constants{}) {}
  explicit PlayoutDelay(const Constants& constants) noexcept : m_constants(constants) {}

  /// Something has come `late` after its stamp; the delay from now on. `most`: that of a packet that is
  /// waited for as long as any is.
  periodic::Duration update(periodic::TimePoint now, periodic::Duration late,
                            periodic::Duration most) noexcept;

 private:
  const Constants m_constants;
  double m_mean = 0, m_deviation = 0;  // s
  periodic::TimePoint m_last{};
  bool m_begun = false;
};

}  // namespace tactus::media
