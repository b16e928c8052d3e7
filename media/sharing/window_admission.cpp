// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_admission.h"

#include <algorithm>
#include <cstdio>

namespace tactus::media {
namespace {

constexpr std::size_t kMostToClose = 2;  // offers
constexpr double kQuarterOfPixels = 0.25;

}  // namespace

std::optional<WindowRefusal> refuseWindow(std::span<const WindowClaim> others, const WindowClaim& added,
                                          double processors, double background) {
  if (others.empty()) return std::nullopt;
  double promised = 0;
  for (const auto& each : others) promised += each.floor();
  const double left = std::max(0.0, processors - promised);
  if (added.floor() <= left) return std::nullopt;

  WindowRefusal refusal;
  refusal.needs = added.floor();
  refusal.left = left;
  const auto fits = [&](const WindowClaim& changed, double room) { return changed.floor() <= room; };
  WindowClaim changed = added;
  for (const auto& [least, text] : {std::pair(0.5, "Half of its pictures"), {0.25, "A quarter of them"}}) {
    changed.least = least;
    if (least < added.least && fits(changed, left))
      refusal.offers.push_back({WindowOffer::Kind::Fewer, least, 0, text});
  }
  changed = added;
  changed.elastic -= added.display * (1 - kQuarterOfPixels);
  if (fits(changed, left)) refusal.offers.push_back({WindowOffer::Kind::Smaller, 0, 0, "Half the size"});
  changed = added;
  changed.least = background;
  if (background < added.least && fits(changed, left))
    refusal.offers.push_back({WindowOffer::Kind::Background, background, 0, "In the background"});
  std::vector<const WindowClaim*> closable;
  for (const auto& each : others)
    if (fits(added, processors - (promised - each.floor()))) closable.push_back(&each);
  std::stable_sort(closable.begin(), closable.end(),
                   [](const auto* a, const auto* b) { return a->weight < b->weight; });
  if (closable.size() > kMostToClose) closable.resize(kMostToClose);
  for (const auto* each : closable)
    refusal.offers.push_back({WindowOffer::Kind::Close, 0, each->id, "Close '" + each->name + "'"});

  char text[200];
  std::snprintf(
      text, sizeof text,
      "There is no room for '%.80s': it needs %.2f processors, and beside what the other windows were "
      "promised %.2f are left.",
      added.name.c_str(), refusal.needs, left);
  refusal.sentence = text;
  return refusal;
}

}  // namespace tactus::media
