// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "core/periodic/time/time.h"

namespace tactus::lab {

/// The screen began to show picture `frame` at `when` (as near as the sampler looks).
struct Sighting {
  periodic::TimePoint when;
  std::uint32_t frame = 0;
  std::uint32_t window = 0;  ///< which of those that are watched
};

/// What a watcher in front of the screen got of a film.
struct SeenFrames {
  double share = 0;           ///< of the pictures due in the time, how many were seen; 0 to 1
  std::uint64_t seen = 0;     ///< different pictures
  std::uint64_t skipped = 0;  ///< numbers left out between two that were seen
  double intervalP50 = 0;     ///< time from one picture to the next, in ms
  double intervalP99 = 0;
  double intervalLongest = 0;
};

/// Looks at `span` from the first sighting at or past picture number `from`; what came before is the start,
/// which is another experiment's subject. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] SeenFrames judge(std::span<const Sighting> sightings, int framesPerSecond, std::uint32_t from,
                               periodic::Duration span);

}  // namespace tactus::lab
