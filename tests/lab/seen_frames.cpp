// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/seen_frames.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "tests/lab/statistics.h"

namespace tactus::lab {

SeenFrames judge(std::span<const Sighting> sightings, int framesPerSecond, std::uint32_t from,
                 periodic::Duration span) {
  SeenFrames figures;
  const auto first = std::find_if(sightings.begin(), sightings.end(),
                                  [&](const Sighting& sighting) { return sighting.frame >= from; });
  if (first == sightings.end()) return figures;
  const auto end = first->when + span;
  std::set<std::uint32_t> frames;
  std::vector<double> intervals;
  const Sighting* last = nullptr;
  for (auto at = first; at != sightings.end() && at->when < end; ++at) {
    if (last != nullptr && at->frame == last->frame) continue;  // the same picture, hidden for a moment
    if (last != nullptr) {
      intervals.push_back(periodic::inMilliseconds(at->when - last->when));
      if (at->frame > last->frame) figures.skipped += at->frame - last->frame - 1;
    }
    frames.insert(at->frame);
    last = &*at;
  }
  if (last == nullptr) return figures;  // no span to look at
  // A picture that stays until the end is an interval too: a player that froze must not look even.
  const double unfinished = periodic::inMilliseconds(end - last->when);
  if (unfinished > 2000.0 / framesPerSecond) intervals.push_back(unfinished);
  figures.seen = frames.size();
  const double due = std::floor(periodic::inSeconds(span) * framesPerSecond + 1e-6);
  figures.share = std::min(1.0, static_cast<double>(figures.seen) / due);
  figures.intervalP50 = percentile(intervals, 0.5);
  figures.intervalP99 = percentile(intervals, 0.99);
  figures.intervalLongest = percentile(intervals, 1);
  return figures;
}

}  // namespace tactus::lab
