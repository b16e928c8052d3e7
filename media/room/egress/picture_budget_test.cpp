// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/picture_budget.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::media {
namespace {

using net::BitRate;
using namespace std::chrono_literals;

constexpr periodic::TimePoint kStart{1000s};
constexpr BitRate kRate = BitRate::perSecond(80'000);  // 10 kB a second: 20 kB at once

TEST(PictureBudget, APictureThatHasBegunMayExceedItAndTheNextOneWaits) {
  PictureBudget budget(kRate);
  budget.sent(kStart, 19'999);
  EXPECT_TRUE(budget.admits(kStart, false, true));
  budget.sent(kStart, 5'000);
  EXPECT_FALSE(budget.admits(kStart, false, true));
}

TEST(PictureBudget, PicturesGoOnAtAKeyframeOnceHalfIsThere) {
  PictureBudget budget(kRate);
  budget.sent(kStart, 25'000);  // 5 kB too many
  EXPECT_FALSE(budget.admits(kStart + 1499ms, true, false));
  EXPECT_TRUE(budget.admits(kStart + 1500ms, true, false));
  EXPECT_FALSE(budget.admits(kStart + 1500ms, false, false)) << "others need what was withheld";
  EXPECT_FALSE(budget.isFull(kStart + 2499ms));
  EXPECT_TRUE(budget.isFull(kStart + 2500ms));
  EXPECT_TRUE(budget.isFull(kStart + 1h)) << "and no fuller";
}

TEST(PictureBudget, ALowerRateLeavesLessAtOnce) {
  PictureBudget budget(BitRate::perSecond(20'000'000));
  budget.setRate(kStart, kRate);
  budget.sent(kStart, 20'001);
  EXPECT_FALSE(budget.admits(kStart, false, true));
}

TEST(PictureBudget, TheKeyframeOfAnotherSizeGoesAtOnce) {
  PictureBudget budget(kRate);
  budget.sent(kStart, 50'000);
  EXPECT_FALSE(budget.admits(kStart, true, false));
  budget.begin(kStart);
  EXPECT_TRUE(budget.admits(kStart, true, false));
  budget.sent(kStart, 10'001);
  EXPECT_FALSE(budget.admits(kStart, false, true)) << "but no more than half goes at once";
}

/// Sound is never withheld: over a line that it fills, no picture goes.
TEST(PictureBudget, WhereSoundTakesAllNoPictureGoes) {
  PictureBudget budget(kRate);
  budget.sent(kStart, 20'001);
  bool any = false;
  for (auto now = kStart; now < kStart + 60s; now += 20ms) {
    budget.sent(now, 200);
    any = any || budget.admits(now, true, false);
  }
  EXPECT_FALSE(any);
}

/// Pictures of any sizes, a keyframe each second: what goes in any time is bounded as LBAP bounds it.
RC_GTEST_PROP(PictureBudget, WhatGoesIsBounded, ()) {
  PictureBudget budget(kRate);
  bool going = true;
  double sent = 0;
  const int largest = 6'000;
  for (int i = 0; i < 500; ++i) {
    const auto now = kStart + i * 40ms;
    going = budget.admits(now, i % 25 == 0, going);
    if (!going) continue;
    const int bytes = *rc::gen::inRange(100, largest);
    budget.sent(now, static_cast<std::size_t>(bytes));
    sent += bytes;
    RC_ASSERT(sent <= 20'000 + 10'000 * periodic::inSeconds(now - kStart) + largest);
  }
}

}  // namespace
}  // namespace tactus::media
