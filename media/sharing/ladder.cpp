// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/ladder.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

#include "core/periodic/qos/elastic.h"

namespace tactus::media {
namespace {

/// f is rounded up to such steps: nobody gets less than was found, and each change is an admission.
constexpr double kGrain = 1.0 / 64;

/// Indices of the windows that may fall, the next to fall first.
std::vector<std::size_t> fallOrder(std::span<const Ladder> ladders) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < ladders.size(); ++i)
    if (ladders[i].mayFall) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ladders[a].weight != ladders[b].weight ? ladders[a].weight < ladders[b].weight : a > b;
  });
  return order;
}

/// How many must fall, in that order, so that the others' floors fit.
std::size_t mustFall(std::span<const Ladder> ladders, std::span<const std::size_t> order, double capacity) {
  double needed = floorsOf(ladders);
  std::size_t fallen = 0;
  while (fallen < order.size() && needed > capacity) {
    const Ladder& next = ladders[order[fallen++]];
    needed -= next.floor() - next.lastRung();
  }
  return fallen;
}

/// Decides which windows show their smaller size. A heavier window gives way only where that is not enough.
std::vector<bool> chooseSmall(std::span<const Ladder> ladders, double capacity, const LadderBands& bands) {
  std::vector<std::size_t> order;  // the next to become smaller first
  for (std::size_t i = 0; i < ladders.size(); ++i)
    if (ladders[i].smaller) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return ladders[a].weight != ladders[b].weight ? ladders[a].weight < ladders[b].weight : a > b;
  });
  std::vector<bool> small(ladders.size());
  for (std::size_t first = 0; first < order.size();) {
    const double weight = ladders[order[first]].weight;
    const auto equals = std::span(order).subspan(first).first(static_cast<std::size_t>(std::count_if(
        order.begin(), order.end(), [&](std::size_t i) { return ladders[i].weight == weight; })));
    first += equals.size();
    double whole = 0;
    for (const Ladder& each : ladders)
      whole += each.weight < weight ? each.floor() : each.cost(each.mostFrequency);
    const auto mustBe = [&](double room) {
      double needed = whole;
      std::size_t count = 0;
      for (; count < equals.size() && needed > room; ++count) {
        const Ladder& next = ladders[equals[count]];
        needed -= next.cost(next.mostFrequency) - next.cost(next.mostFrequency, true);
      }
      return count;
    };
    const auto present = static_cast<std::size_t>(
        std::count_if(equals.begin(), equals.end(), [&](std::size_t i) { return ladders[i].isSmall; }));
    const std::size_t least = mustBe(capacity), most = mustBe(capacity * (1 - bands.returns));
    const std::size_t count = bands.largerMay ? std::clamp(present, least, most) : std::max(present, least);
    for (std::size_t k = 0; k < count; ++k) small[equals[k]] = true;
  }
  return small;
}

/// Decides which windows show keyframes only.
std::vector<bool> chooseFallen(std::span<const Ladder> ladders, double capacity, double band) {
  const auto order = fallOrder(ladders);
  const auto present = static_cast<std::size_t>(
      std::count_if(order.begin(), order.end(), [&](std::size_t i) { return isFallen(ladders[i].stage); }));
  const std::size_t least = mustFall(ladders, order, capacity);
  const std::size_t most = mustFall(ladders, order, capacity * (1 - band));
  const std::size_t count = std::clamp(present, least, most);
  std::vector<bool> fallen(ladders.size());
  for (std::size_t k = 0; k < count; ++k) fallen[order[k]] = true;
  return fallen;
}

}  // namespace

double floorsOf(std::span<const Ladder> ladders) noexcept {
  return std::accumulate(ladders.begin(), ladders.end(), 0.0,
                         [](double sum, const Ladder& each) { return sum + each.floor(); });
}

std::vector<Rung> allocate(std::span<const Ladder> ladders, double capacity, double room,
                           const LadderBands& bands) {
  const std::vector<bool> small = chooseSmall(ladders, capacity, bands);
  const std::vector<bool> fallen = chooseFallen(ladders, capacity, bands.returns);
  double fixed = 0;
  double planned = 0;  // by the present f of those that have not fallen
  std::vector<periodic::ElasticOperation> elastic;
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    const Ladder& each = ladders[i];
    const PictureCost cost = each.costs(small[i]);
    fixed += fallen[i] ? each.lastRung() : cost.fixed;
    planned += fallen[i] ? each.lastRung() : cost.at(each.frequency);
    // In shares of the highest rung.
    const double most = std::max(kGrain, each.mostFrequency);
    elastic.push_back({fallen[i] ? 0 : cost.elastic * most, each.leastFrequency / most, each.weight});
  }
  const auto plan = periodic::compress(elastic, room - fixed);
  std::vector<Rung> rungs(ladders.size());
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    const Ladder& each = ladders[i];
    const double found = fallen[i] ? each.leastFrequency : plan.frequency[i] * each.mostFrequency;
    double f = std::clamp(std::ceil(found / kGrain - 1e-9) * kGrain, 0.0, each.mostFrequency);
    const bool within = f < 1 && f > each.leastFrequency + kGrain && each.frequency >= each.leastFrequency &&
                        each.frequency <= each.mostFrequency && std::abs(f - each.frequency) < bands.still;
    if (within && (f > each.frequency || planned <= room)) f = each.frequency;
    const WindowStage stage = fallen[i] ? each.keepsPictures ? WindowStage::Unreserved : WindowStage::LastRung
                              : f < 1   ? WindowStage::Thinned
                                        : WindowStage::Whole;
    rungs[i] = {stage, f, small[i]};
  }
  return rungs;
}

}  // namespace tactus::media
