// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

namespace tactus::lab {

/// The value below which `fraction` (0 to 1) of `values` lie, by the nearest-rank rule; 0 of nothing.
/// Thread-safe: yes (pure). Real-time-safe: no (sorts a copy).
[[nodiscard]] double percentile(std::vector<double> values, double fraction);

/// The middle value, or the mean of the middle two; 0 of nothing. A run's figure is the median of its blocks,
/// so that one disturbed block does not decide. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] double median(std::vector<double> values);

}  // namespace tactus::lab
