// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/priority.h"

#include <algorithm>
#include <cassert>

namespace tactus::periodic {

std::vector<int> rateMonotonicPriorities(std::span<const Duration> periods, int lowest, int highest) {
  assert(lowest <= highest);
  std::vector<Duration> distinct(periods.begin(), periods.end());
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const auto levels = static_cast<std::size_t>(highest - lowest) + 1;

  std::vector<int> result;
  result.reserve(periods.size());
  for (const Duration period : periods) {
    const auto rank = static_cast<std::size_t>(std::lower_bound(distinct.begin(), distinct.end(), period) -
                                               distinct.begin());  // 0 = shortest
    // Beyond the last level the longest periods share it: a shared level costs the shorter of the two only
    // the longer one's processing time, and long periods have the most room for it.
    result.push_back(highest - static_cast<int>(std::min(rank, levels - 1)));
  }
  return result;
}

}  // namespace tactus::periodic
