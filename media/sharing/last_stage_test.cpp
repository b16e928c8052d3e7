// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/last_stage.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <utility>
#include <vector>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;
using Numbers = std::vector<std::uint64_t>;

/// Windows that take 0.5 of a processor by their f_min, and a tenth of it as keyframes, on a machine of two.
class LastStageTest : public testing::Test {
 protected:
  void open(int count, double weight = 1) {
    for (int i = 0; i < count; ++i)
      windows.push_back({.id = windows.size() + 1, .weight = weight, .floor = 0.5, .promised = 0.5});
  }
  /// One look, 200 ms after the one before.
  Numbers look() {
    now += 200ms;
    const auto changed = stage.decide(now, windows, seen);
    for (const auto id : changed) {
      auto& window = windows[id - 1];
      window.yields = !window.yields;
      window.floor = window.yields ? 0.05 : 0.5;
    }
    return changed;
  }
  /// Looks until something changes; how long that took.
  std::pair<Numbers, Duration> untilChanged() {
    const TimePoint begin = now;
    while (now - begin < 100s)
      if (auto changed = look(); !changed.empty()) return {changed, now - begin};
    return {{}, now - begin};
  }

  LastStage stage;
  std::vector<LastStageWindow> windows;
  LastStage::Observation seen{.room = 1.8, .processors = 2, .full = true, .atFloor = true};
  TimePoint now{100s};
};

TEST_F(LastStageTest, WhatFitsStays) {
  open(3);
  EXPECT_EQ(untilChanged().first, Numbers{});
}

TEST_F(LastStageTest, WhatCannotFitGoesAfterHalfASecondAsManyAsItTakesTheYoungestFirst) {
  open(6);  // 3.0, of which 1.71 is enough
  const auto [entered, after] = untilChanged();
  EXPECT_EQ(entered, (Numbers{6, 5, 4}));
  EXPECT_EQ(after, 200ms + 600ms);  // the look that saw it first, and half a second
}

TEST_F(LastStageTest, WhatShouldFitAndIsLateAllTheSameGoesOneByOneAndLater) {
  open(3);
  seen.missing = true;
  EXPECT_EQ(untilChanged(), std::pair(Numbers{3}, Duration(200ms + 1600ms)));
  EXPECT_EQ(untilChanged(), std::pair(Numbers{2}, Duration(1600ms)));
}

TEST_F(LastStageTest, NothingGoesBeforeAllShowNoMoreThanTheirLeastShare) {
  open(6);
  seen.atFloor = false;
  EXPECT_EQ(untilChanged().first, Numbers{});
}

TEST_F(LastStageTest, WhoWeighsLeastGoesFirstAndWhoMayNotNever) {
  open(2, 1);
  open(2, 0.25);
  open(2, 1);
  windows[3].mayYield = false;
  EXPECT_EQ(untilChanged().first, (Numbers{3, 6, 5}));
}

TEST_F(LastStageTest, TheyComeBackInTheOppositeOrderOnceTheirLeastShareFits) {
  open(4, 1);
  open(2, 0.25);
  EXPECT_EQ(untilChanged().first, (Numbers{6, 5, 4}));
  seen.full = false;
  seen.room = 2.4;  // 0.93 of it is 2.23: one more fits beside 1.65
  EXPECT_EQ(untilChanged(), std::pair(Numbers{4}, Duration(1s)));
  seen.room = 4;
  EXPECT_EQ(untilChanged(), std::pair(Numbers{5, 6}, Duration(1s)));
}

TEST_F(LastStageTest, AnIdleMachineTakesThemBackAtOnce) {
  open(6);
  (void)untilChanged();
  seen.full = false;
  seen.idle = 1.5;  // 1.4 of it for three that grow by 0.45
  EXPECT_EQ(untilChanged(), std::pair(Numbers{4, 5, 6}, Duration(1s)));
}

TEST_F(LastStageTest, AReturnThatDoesNotHoldIsTriedLaterEachTimeAndForgivenOnceOneHolds) {
  open(3);
  const auto failedReturn = [&] {
    seen.missing = true;
    EXPECT_EQ(untilChanged().first, Numbers{3});
    seen.missing = false;
    return untilChanged().second;
  };
  seen.room = 1.5;  // 0.93 of it is less than 1.5: a trial
  EXPECT_EQ(failedReturn(), 3s);
  EXPECT_EQ(failedReturn(), 6s);
  EXPECT_EQ(failedReturn(), 12s);
  for (int i = 0; i < 6; ++i) (void)failedReturn();
  EXPECT_EQ(failedReturn(), 60s);
  for (int i = 0; i < 35; ++i) EXPECT_EQ(look(), Numbers{});  // seven seconds: it holds
  EXPECT_EQ(failedReturn(), 3s);
}

RC_GTEST_PROP(LastStageProperty, OnlyThoseChangeThatMayAndTheOrderIsOne, ()) {
  LastStage stage;
  std::vector<LastStageWindow> windows;
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  for (std::size_t i = 0; i < count; ++i) {
    LastStageWindow window{.id = i + 1};
    window.weight = *rc::gen::element(0.25, 1.0, 4.0);
    window.mayYield = *rc::gen::inRange(0, 4) > 0;
    window.promised = window.floor = *rc::gen::inRange(1, 100) / 100.0;
    windows.push_back(window);
  }
  TimePoint now{100s};
  for (int look = 0; look < 200; ++look) {
    now += 200ms;
    LastStage::Observation seen{.processors = 2};
    seen.room = *rc::gen::inRange(5, 30) / 10.0;
    seen.idle = *rc::gen::inRange(0, 20) / 10.0;
    seen.full = *rc::gen::arbitrary<bool>();
    seen.atFloor = *rc::gen::inRange(0, 4) > 0;
    seen.missing = *rc::gen::arbitrary<bool>();
    for (const auto id : stage.decide(now, windows, seen)) {
      auto& window = windows[id - 1];
      RC_ASSERT(window.mayYield);
      window.yields = !window.yields;
      window.floor = window.promised * (window.yields ? 0.1 : 1);
    }
    // Nobody is in it while another stays out who weighs less, or as much and is younger.
    for (const auto& in : windows) {
      for (const auto& out : windows) {
        if (!in.mayYield || !in.yields || !out.mayYield || out.yields) continue;
        RC_ASSERT(out.weight > in.weight || (out.weight == in.weight && out.id < in.id));
      }
    }
  }
}

}  // namespace
}  // namespace tactus::media
