// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_admission.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tactus::media {
namespace {

WindowClaim claim(std::uint64_t id, double fixed, double elastic, double least) {
  return {.id = id,
          .name = "film " + std::to_string(id),
          .ladder = {.leastFrequency = least, .fixed = fixed, .elastic = elastic}};
}

TEST(WindowAdmission, WhatTheOthersTakeAboveTheirPromiseDoesNotCount) {
  const WindowClaim other = claim(1, 0.2, 1.6, 0.5);  // promised 1.0 of 2
  EXPECT_FALSE(refuseWindow({&other, 1}, claim(2, 0.1, 0.8, 1), 2, 0.1));
  const auto refusal = refuseWindow({&other, 1}, claim(2, 0.1, 1.0, 1), 2, 0.1);
  ASSERT_TRUE(refusal);
  EXPECT_NEAR(refusal->needs, 1.1, 1e-9);
  EXPECT_NEAR(refusal->left, 1.0, 1e-9);
  EXPECT_EQ(refusal->sentence,
            "There is no room for 'film 2': it needs 1.10 processors, and beside what the other windows were "
            "promised 1.00 are left.");
}

TEST(WindowAdmission, OffersWhatFitsAndNothingElse) {
  WindowClaim added = claim(9, 0.1, 1.0, 1);
  added.display = 0.2;
  const WindowClaim others[] = {claim(1, 0.0, 1.0, 1), claim(2, 0.0, 0.35, 1)};
  const auto refusal = refuseWindow(others, added, 2, 0.1);  // 0.65 are left, 1.1 needed
  ASSERT_TRUE(refusal);
  std::vector<std::string> texts;
  for (const auto& offer : refusal->offers) texts.push_back(offer.text);
  EXPECT_EQ(texts, (std::vector<std::string>{"Half of its pictures", "A quarter of them", "In the background",
                                             "Close 'film 1'"}));
}

RC_GTEST_PROP(WindowAdmission, EveryOfferFitsByItself, ()) {
  const auto any = [](double most) {
    return *rc::gen::map(rc::gen::inRange(0, 1001), [most](int n) { return n * most / 1000.0; });
  };
  std::vector<WindowClaim> others;
  const int count = *rc::gen::inRange(0, 6);
  for (int i = 0; i < count; ++i)
    others.push_back(claim(static_cast<std::uint64_t>(i + 1), any(0.3), any(0.8), any(1)));
  WindowClaim added = claim(99, any(0.5), any(2), any(1));
  added.display = added.ladder.elastic * any(1);
  const double processors = 0.5 + any(3);
  const auto total = [&](const WindowClaim& last, std::uint64_t without) {
    double sum = last.ladder.floor();
    for (const auto& each : others) sum += each.id == without ? 0 : each.ladder.floor();
    return sum;
  };
  const auto refusal = refuseWindow(others, added, processors, 0.1);
  RC_ASSERT(refusal.has_value() ==
            (count > 0 &&
             added.ladder.floor() > std::max(0.0, processors - (total(added, 0) - added.ladder.floor()))));
  if (!refusal) return;
  for (const auto& offer : refusal->offers) {
    WindowClaim changed = added;
    if (offer.kind == WindowOffer::Kind::Fewer || offer.kind == WindowOffer::Kind::Background)
      changed.ladder.leastFrequency = offer.leastFrequency;
    if (offer.kind == WindowOffer::Kind::Smaller) changed.ladder.elastic -= 0.75 * changed.display;
    RC_ASSERT(total(changed, offer.other) <= processors + 1e-9);
  }
}

}  // namespace
}  // namespace tactus::media
