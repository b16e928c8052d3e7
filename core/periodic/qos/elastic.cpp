// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/elastic.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tactus::periodic {
namespace {

constexpr double kLeastWeight = 1e-6;  // keeps quotients finite

double loadOf(const ElasticOperation& operation) noexcept {
  return std::max(0.0, operation.load);
}
double least(const ElasticOperation& operation) noexcept {
  return std::clamp(operation.leastFrequency, 0.0, 1.0);
}
double weightOf(const ElasticOperation& operation) noexcept {
  return std::max(kLeastWeight, operation.weight);
}
/// The water level at which the operation has come down to its f_min.
double floorLevel(const ElasticOperation& operation) noexcept {
  return (1 - least(operation)) * weightOf(operation);
}

/// The level x at which f_i = max(f_min, 1 - x / weight) gives up `wanted` processors together: between the
/// levels at which somebody reaches its f_min, what is given up is linear in x.
double levelThatGives(std::span<const ElasticOperation> operations, double wanted) {
  std::vector<std::size_t> order(operations.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return floorLevel(operations[a]) < floorLevel(operations[b]);
  });
  double slope = 0;  // processors given up per level, by those above their f_min
  for (const auto& each : operations) slope += loadOf(each) / weightOf(each);
  double given = 0;
  double level = 0;
  for (const std::size_t i : order) {
    const double next = floorLevel(operations[i]);
    const double more = (next - level) * slope;
    if (given + more >= wanted) break;
    given += more;
    level = next;
    slope -= loadOf(operations[i]) / weightOf(operations[i]);
  }
  return slope > 0 ? level + (wanted - given) / slope : level;
}

}  // namespace

ElasticPlan compress(std::span<const ElasticOperation> operations, double room) {
  ElasticPlan plan;
  plan.frequency.assign(operations.size(), 1.0);
  double asked = 0;
  double floor = 0;
  for (const auto& each : operations) {
    asked += loadOf(each);
    floor += loadOf(each) * least(each);
  }
  if (asked <= room) return plan;
  plan.fits = floor <= room * (1 + 1e-9);
  const double level = floor < room ? levelThatGives(operations, asked - room) : 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const double f = floor < room ? 1 - level / weightOf(operations[i]) : 0;
    plan.frequency[i] = std::clamp(f, least(operations[i]), 1.0);
  }
  return plan;
}

}  // namespace tactus::periodic
