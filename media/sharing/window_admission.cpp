// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_admission.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace tactus::media {
namespace {

constexpr std::size_t kMostToClose = 2;  // offers
constexpr double kQuarterOfPixels = 0.25;

double floorsOf(std::span<const WindowClaim> claims) {
  std::vector<Ladder> ladders;
  for (const auto& each : claims) ladders.push_back(each.ladder);
  return media::floorsOf(ladders);
}

/// The window's ladder as it would be by an offer.
Ladder withLeast(Ladder ladder, double least) noexcept {
  ladder.leastFrequency = least;
  return ladder;
}

std::vector<WindowOffer> offersFor(std::span<const WindowClaim> others, const WindowClaim& added,
                                   double promised, double floors, double background) {
  std::vector<WindowOffer> offers;
  const double left = std::max(0.0, promised - floors);
  const auto fits = [&](const Ladder& ladder) { return ladder.floor() <= left; };
  for (const auto& [least, text] : {std::pair(0.5, "Half of its pictures"), {0.25, "A quarter of them"}}) {
    if (least < added.ladder.leastFrequency && fits(withLeast(added.ladder, least)))
      offers.push_back({WindowOffer::Kind::Fewer, least, 0, text});
  }
  Ladder smaller = added.ladder;
  smaller.elastic -= added.display * (1 - kQuarterOfPixels);
  if (fits(smaller)) offers.push_back({WindowOffer::Kind::Smaller, 0, 0, "Half the size"});
  if (background < added.ladder.leastFrequency && fits(withLeast(added.ladder, background)))
    offers.push_back({WindowOffer::Kind::Background, background, 0, "In the background"});
  std::vector<const WindowClaim*> closable;
  for (const auto& each : others)
    if (added.ladder.floor() <= promised - (floors - each.ladder.floor())) closable.push_back(&each);
  std::stable_sort(closable.begin(), closable.end(),
                   [](const auto* a, const auto* b) { return a->ladder.weight < b->ladder.weight; });
  if (closable.size() > kMostToClose) closable.resize(kMostToClose);
  for (const auto* each : closable)
    offers.push_back({WindowOffer::Kind::Close, 0, each->id, "Close '" + each->name + "'"});
  return offers;
}

}  // namespace

std::optional<WindowRefusal> refuseWindow(std::span<const WindowClaim> others, const WindowClaim& added,
                                          double promised, double background) {
  if (others.empty()) return std::nullopt;
  WindowRefusal refusal;
  refusal.needs = added.ladder.floor();
  const double floors = floorsOf(others);
  refusal.left = std::max(0.0, promised - floors);
  if (refusal.needs <= refusal.left) return std::nullopt;
  refusal.offers = offersFor(others, added, promised, floors, background);
  char text[200];
  std::snprintf(
      text, sizeof text,
      "There is no room for '%.80s': it needs %.2f processors, and beside what the other windows were "
      "promised %.2f are left.",
      added.name.c_str(), refusal.needs, refusal.left);
  refusal.sentence = text;
  return refusal;
}

}  // namespace tactus::media
