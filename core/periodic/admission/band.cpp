// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/band.h"

#include <algorithm>
#include <numeric>

namespace tactus::periodic {

std::string_view nameOf(ServiceClass service) noexcept {
  switch (service) {
    case ServiceClass::Guaranteed:
      return "guaranteed";
    case ServiceClass::Statistical:
      return "statistical";
    case ServiceClass::BestEffort:
      break;
  }
  return "best effort";
}

namespace {

/// Whether everybody on level `level` meets its deadline, with what is above at `level` + 1.
bool levelHolds(std::vector<Demand>& demands, int level, const DispatchCosts& costs) {
  for (std::size_t i = 0; i < demands.size(); ++i) {
    if (demands[i].level != level) continue;
    const auto response = worstResponse(demands, i, costs);
    const Duration deadline =
        demands[i].deadline > Duration::zero() ? demands[i].deadline : demands[i].period;
    if (!response || *response > deadline) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<int>> assignLevels(std::span<const Demand> demands, std::span<const int> ranks,
                                             LevelRange range, const DispatchCosts& costs) {
  std::vector<std::size_t> order(demands.size());  // least urgent first
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto same = [&](std::size_t a, std::size_t b) {
    return ranks[a] == ranks[b] && demands[a].period == demands[b].period;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ranks[a] != ranks[b] ? ranks[a] < ranks[b] : demands[a].period > demands[b].period;
  });
  std::vector<std::size_t> groupBegins;  // into `order`
  for (std::size_t i = 0; i < order.size(); ++i)
    if (i == 0 || !same(order[i], order[i - 1])) groupBegins.push_back(i);

  std::vector<int> levels(demands.size());
  const auto groups = static_cast<int>(groupBegins.size());
  if (groups <= range.count()) {
    for (int group = 0; group < groups; ++group) {
      const std::size_t end =
          group + 1 < groups ? groupBegins[static_cast<std::size_t>(group) + 1] : order.size();
      for (std::size_t i = groupBegins[static_cast<std::size_t>(group)]; i < end; ++i)
        levels[order[i]] = range.highest - (groups - 1 - group);
    }
    return levels;
  }

  // From the least urgent up, as many groups on a level as still hold: what is above a level counts as more
  // urgent whatever its own order, so that filling a level first never costs the ones above it.
  std::vector<Demand> trial(demands.begin(), demands.end());
  int level = range.lowest;
  std::size_t next = 0;  // group
  while (next < groupBegins.size()) {
    if (level > range.highest) return std::nullopt;
    std::size_t taken = 0;
    for (std::size_t group = next; group < groupBegins.size(); ++group) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (i < groupBegins[next]) {
          trial[order[i]].level = level - 1;
        } else {
          const bool on = group + 1 >= groupBegins.size() || i < groupBegins[group + 1];
          trial[order[i]].level = on ? level : level + 1;
        }
      }
      if (!levelHolds(trial, level, costs)) break;
      taken = group - next + 1;
    }
    if (taken == 0) return std::nullopt;
    const std::size_t end = next + taken < groupBegins.size() ? groupBegins[next + taken] : order.size();
    for (std::size_t i = groupBegins[next]; i < end; ++i) levels[order[i]] = level;
    next += taken;
    ++level;
  }
  return levels;
}

}  // namespace tactus::periodic
