// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "core/periodic/time.h"

namespace tactus::periodic {

/// Rate-monotonic levels (HeiTS, "Schedulability Test and Priority Assignment Scheme"): the shorter the
/// period, the higher the priority; equal periods share a level; with more distinct periods than levels,
/// neighbours in the order share one, the longest periods first. Result i belongs to periods[i], within
/// [lowest, highest]. Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] std::vector<int> rateMonotonicPriorities(std::span<const Duration> periods, int lowest,
                                                       int highest);

}  // namespace tactus::periodic
