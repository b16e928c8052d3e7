// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/line_share.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

namespace tactus::conference {
namespace {

using Layers = std::vector<std::size_t>;

net::BitRate kilobits(std::int64_t rate) {
  return net::BitRate::perSecond(rate * 1000);
}

/// A camera in two sizes, of 800 and 200 kbit/s.
PictureDemand camera(TrackPriority priority, std::size_t wanted = 0, std::size_t now = 0) {
  return {priority, {kilobits(800), kilobits(200)}, wanted, now};
}
constexpr auto kHigh = TrackPriority::High, kNormal = TrackPriority::Normal, kLow = TrackPriority::Low;

Layers shared(std::int64_t carried, const std::vector<PictureDemand>& demands) {
  return shareLine(kilobits(carried), demands).layers;
}

TEST(LineShare, WhereNothingIsKnownAgainstItEachHasWhatItWants) {
  const auto share = shareLine(std::nullopt, std::vector{camera(kLow), camera(kNormal, 1), camera(kHigh)});
  EXPECT_EQ(share.layers, (Layers{0, 1, 0}));
  EXPECT_FALSE(share.next);
}

TEST(LineShare, TheSmallSizeOfAllComesBeforeTheLargeOneOfAnyOfThem) {
  const std::vector demands{camera(kNormal), camera(kNormal), camera(kNormal)};
  EXPECT_EQ(shared(600, demands), (Layers{1, 1, 1}));
  EXPECT_EQ(shared(1199, demands), (Layers{1, 1, 1}));
  EXPECT_EQ(shared(1200, demands), (Layers{0, 1, 1}));
  EXPECT_EQ(shared(2400, demands), (Layers{0, 0, 0}));
}

TEST(LineShare, WhatIsLookedAtStaysWholeBeforeTheOthersHaveAnything) {
  const std::vector demands{camera(kLow), camera(kNormal), camera(kHigh)};
  EXPECT_EQ(shared(800, demands), (Layers{2, 2, 0}));
  EXPECT_EQ(shared(900, demands), (Layers{2, 1, 0}));
  EXPECT_EQ(shared(1100, demands), (Layers{1, 1, 0}));
  EXPECT_EQ(shared(1600, demands), (Layers{2, 0, 0}));
}

TEST(LineShare, WithHalfOfItsRateTheSmallestGoesWithFewerPictures) {
  EXPECT_EQ(shared(100, {camera(kNormal)}), (Layers{1}));
  EXPECT_EQ(shared(99, {camera(kNormal)}), (Layers{2})) << "its sound alone";
  const std::vector demands{camera(kNormal), camera(kNormal), camera(kNormal)};
  EXPECT_EQ(shared(500, demands), (Layers{1, 1, 1}));
  EXPECT_EQ(shared(499, demands), (Layers{1, 1, 2}));
}

TEST(LineShare, AStepUpNeedsAQuarterMoreThanToStay) {
  EXPECT_EQ(shared(800, {camera(kNormal, 0, 0)}), (Layers{0}));
  EXPECT_EQ(shared(949, {camera(kNormal, 0, 1)}), (Layers{1}));
  EXPECT_EQ(shared(950, {camera(kNormal, 0, 1)}), (Layers{0}));
  EXPECT_EQ(shared(124, {camera(kNormal, 0, 2)}), (Layers{2}));
  EXPECT_EQ(shared(125, {camera(kNormal, 0, 2)}), (Layers{1}));
}

TEST(LineShare, TheFirstStepWithoutRoomIsTold) {
  const auto share = shareLine(kilobits(500), std::vector{camera(kNormal), camera(kHigh)});
  EXPECT_EQ(share.layers, (Layers{1, 1}));
  ASSERT_TRUE(share.next);
  EXPECT_EQ(*share.next, (LineShare::Step{1, 0, kilobits(800)}));
}

RC_GTEST_PROP(LineShare, WhatIsChosenFitsAndIsNeverLargerThanWanted, ()) {
  std::vector<PictureDemand> demands;
  for (int i = *rc::gen::inRange(0, 8); i > 0; --i) {
    const auto small = *rc::gen::inRange<std::int64_t>(0, 400);
    const auto large = small + *rc::gen::inRange<std::int64_t>(0, 2000);
    std::vector layers{kilobits(large), kilobits(small)};
    if (*rc::gen::arbitrary<bool>()) layers.pop_back();
    demands.push_back({*rc::gen::element(kHigh, kNormal, kLow), layers, *rc::gen::inRange<std::size_t>(0, 2),
                       *rc::gen::inRange<std::size_t>(0, 3)});
  }
  const auto carried = kilobits(*rc::gen::inRange<std::int64_t>(0, 6000));
  const auto share = shareLine(carried, demands);
  std::int64_t used = 0, largestSmall = 0;
  for (std::size_t i = 0; i < demands.size(); ++i) {
    const auto& layers = demands[i].layers;
    RC_ASSERT(share.layers[i] >= std::min(demands[i].wanted, layers.size() - 1));
    if (share.layers[i] < layers.size()) used += layers[share.layers[i]].bits();
    largestSmall = std::max(largestSmall, layers.back().bits());
  }
  RC_ASSERT(used <= carried.bits() + largestSmall / 2);  // one has as little as half
}

}  // namespace
}  // namespace tactus::conference
