// SPDX-License-Identifier: Apache-2.0
#include "conference/room/room_facts.h"

#include <cmath>

namespace tactus::conference {
namespace {

constexpr double kOtherCarried = 0.25;  // share of what was carried before
constexpr double kOtherLost = 0.05;     // of all packets

}  // namespace

bool isNews(const TrackDelivery& before, const TrackDelivery& now) noexcept {
  if (before.pictures != now.pictures || before.limit != now.limit) return true;
  if (before.carried.has_value() != now.carried.has_value()) return true;
  const double carried = before.carried.value_or(0);
  return std::abs(now.carried.value_or(0) - carried) > kOtherCarried * carried ||
         std::abs(now.lost - before.lost) > kOtherLost;
}

}  // namespace tactus::conference
