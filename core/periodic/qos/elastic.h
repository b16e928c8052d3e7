// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

namespace tactus::periodic {

/// An operation whose frequency may be lowered.
struct ElasticOperation {
  double load = 0;            ///< processors at f = 1; at least 0
  double leastFrequency = 0;  ///< f_min within [0, 1]
  double weight = 1;          ///< above 0; the heavier, the less it gives
};

/// Result i belongs to operations[i].
struct ElasticPlan {
  std::vector<double> frequency;
  bool fits = true;  ///< false: the sum of all f_min exceeds the room, and every f is its f_min
};

/// The highest frequencies whose loads together do not exceed `room` processors, none below its f_min
/// (elastic tasks, Buttazzo 1998, by water-filling): the shares taken away are as 1/weight. O(n log n).
/// Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] ElasticPlan compress(std::span<const ElasticOperation> operations, double room);

}  // namespace tactus::periodic
