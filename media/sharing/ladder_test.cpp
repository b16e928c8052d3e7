// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/ladder.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::media {
namespace {

constexpr LadderBands kBands;

/// 0.1 processors at f_min, 0.2 at f = 1 and 0.02 with keyframes only.
Ladder film(double weight = 2) {
  return {.weight = weight, .leastFrequency = 0.5, .elastic = 0.2, .keyframes = 0.02};
}

std::vector<Rung> settled(std::vector<Ladder>& ladders, double capacity, double room) {
  const auto rungs = allocate(ladders, capacity, room, kBands);
  for (std::size_t i = 0; i < ladders.size(); ++i) {
    ladders[i].stage = rungs[i].stage;
    ladders[i].frequency = rungs[i].frequency;
    ladders[i].isSmall = rungs[i].isSmall;
  }
  return rungs;
}

std::size_t fallenOf(const std::vector<Rung>& rungs) {
  std::size_t count = 0;
  for (const auto& rung : rungs) count += rung.stage == WindowStage::LastRung ? 1 : 0;
  return count;
}

TEST(Ladder, WhatFitsIsWhole) {
  std::vector<Ladder> four(4, film());
  for (const auto& rung : settled(four, 0.8, 0.8)) EXPECT_EQ(rung, (Rung{WindowStage::Whole, 1}));
}

TEST(Ladder, EqualsGiveEquallyAndFillTheRoom) {
  std::vector<Ladder> four(4, film());
  for (const auto& rung : settled(four, 0.6, 0.6)) EXPECT_EQ(rung, (Rung{WindowStage::Thinned, 0.75}));
}

TEST(Ladder, TheLightestFallFirstAndOfEqualsTheYoungestAsManyAsItTakes) {
  std::vector<Ladder> five{film(1), film(2), film(1), film(2), film(2)};
  // Floors 0.5; each that falls saves 0.08.
  auto rungs = settled(five, 0.35, 0.35);
  EXPECT_EQ(rungs[2].stage, WindowStage::LastRung);
  EXPECT_EQ(rungs[0].stage, WindowStage::LastRung);
  EXPECT_EQ(fallenOf(rungs), 2u);
  rungs = settled(five, 0.30, 0.30);
  EXPECT_EQ(rungs[4].stage, WindowStage::LastRung);
  EXPECT_EQ(fallenOf(rungs), 3u);
}

TEST(Ladder, WhoMayNotFallKeepsItsFloorWhateverItCosts) {
  std::vector<Ladder> two{film(8), film()};
  two[0].mayFall = false;
  two[0].leastFrequency = 1;
  const auto rungs = settled(two, 0.05, 0.05);
  EXPECT_EQ(rungs[0], (Rung{WindowStage::Whole, 1}));
  EXPECT_EQ(rungs[1].stage, WindowStage::LastRung);
}

TEST(Ladder, WhoPromisedMoreThanKeyframesFallsWithoutLosingPictures) {
  std::vector<Ladder> two{film(8), film()};
  two[1].keepsPictures = true;
  two[1].leastFrequency = 0.75;
  const auto rungs = settled(two, 0.1, 0.1);
  EXPECT_EQ(rungs[1], (Rung{WindowStage::Unreserved, 0.75}));
}

TEST(Ladder, ABacklogThinsOutAndLetsNobodyFall) {
  std::vector<Ladder> four(4, film());
  for (const auto& rung : settled(four, 0.6, 0.1)) EXPECT_EQ(rung, (Rung{WindowStage::Thinned, 0.5}));
}

TEST(Ladder, WhoHasFallenReturnsOnceItsFloorLeavesTheDeadBandFree) {
  std::vector<Ladder> four(4, film());
  EXPECT_EQ(fallenOf(settled(four, 0.38, 0.38)), 1u);
  EXPECT_EQ(fallenOf(settled(four, 0.41, 0.41)), 1u);  // 0.40 and 6 % are needed
  EXPECT_EQ(fallenOf(settled(four, 0.43, 0.43)), 0u);
  EXPECT_EQ(fallenOf(settled(four, 0.41, 0.41)), 0u);
}

TEST(Ladder, SmallChangesAreNotMadeWhereThePresentFrequencyFits) {
  std::vector<Ladder> four(4, film());
  settled(four, 0.6, 0.6);
  EXPECT_EQ(settled(four, 0.63, 0.63)[0].frequency, 0.75);     // 0.79 would fit
  EXPECT_EQ(settled(four, 0.57, 0.57)[0].frequency, 0.71875);  // 0.75 does not
  EXPECT_EQ(settled(four, 0.8, 0.8)[0].frequency, 1);
}

TEST(Ladder, AFloorThatWasRaisedHoldsAtOnce) {
  std::vector<Ladder> two(2, film());
  settled(two, 0.22, 0.22);
  EXPECT_NEAR(two[0].frequency, 0.55, 1.0 / 64);
  two[0].leastFrequency = 0.6;
  two[0].frequency = 0.5625;
  EXPECT_GE(settled(two, 0.25, 0.25)[0].frequency, 0.6);
}

/// A camera in two sizes: 0.2 processors, or 0.05 small.
Ladder camera(double weight = 2) {
  return {.weight = weight,
          .leastFrequency = 0.5,
          .fixed = 0.02,
          .elastic = 0.18,
          .smaller = PictureCost{0.01, 0.04},
          .keyframes = 0.01};
}

std::vector<bool> smallOf(const std::vector<Rung>& rungs) {
  std::vector<bool> small;
  for (const auto& rung : rungs) small.push_back(rung.isSmall);
  return small;
}

using Small = std::vector<bool>;

TEST(Ladder, TheSmallerSizeIsGivenBeforeAnyPictureIs) {
  std::vector<Ladder> four(4, camera());
  auto rungs = settled(four, 0.7, 0.7);
  EXPECT_EQ(smallOf(rungs), (Small{false, false, false, true})) << "0.65, and 0.8 did not fit";
  for (const auto& rung : rungs) EXPECT_EQ(rung.frequency, 1);
  rungs = settled(four, 0.21, 0.21);
  EXPECT_EQ(smallOf(rungs), (Small{true, true, true, true}));
  for (const auto& rung : rungs) EXPECT_EQ(rung.frequency, 1) << "0.2";
  rungs = settled(four, 0.16, 0.16);
  for (const auto& rung : rungs) EXPECT_EQ(rung, (Rung{WindowStage::Thinned, 0.75, true}));
}

TEST(Ladder, AHeavierWindowKeepsItsSizeUntilTheLighterOnesAreAtTheirFloors) {
  std::vector<Ladder> three{camera(8), camera(), camera()};
  EXPECT_EQ(smallOf(settled(three, 0.3, 0.3)), (Small{false, true, true}));
  const auto thin = settled(three, 0.27, 0.27);
  EXPECT_EQ(smallOf(thin), (Small{false, true, true})) << "0.2 and twice 0.03";
  EXPECT_LT(thin[1].frequency, 1);
  EXPECT_EQ(smallOf(settled(three, 0.25, 0.25)), (Small{true, true, true}));
}

TEST(Ladder, TheLargerSizeReturnsOnceItLeavesTheDeadBandFree) {
  std::vector<Ladder> two(2, camera());
  EXPECT_EQ(smallOf(settled(two, 0.39, 0.39)), (Small{false, true}));
  EXPECT_EQ(smallOf(settled(two, 0.42, 0.42)), (Small{false, true})) << "0.40 and 6 % are needed";
  EXPECT_EQ(smallOf(settled(two, 0.43, 0.43)), (Small{false, false}));
  EXPECT_EQ(smallOf(settled(two, 0.41, 0.41)), (Small{false, false}));
}

TEST(Ladder, ABacklogChangesNoSize) {
  std::vector<Ladder> two(2, camera());
  for (const auto& rung : settled(two, 0.4, 0.3)) {
    EXPECT_FALSE(rung.isSmall);
    EXPECT_LT(rung.frequency, 1);
  }
}

TEST(Ladder, OnlyWhatDoesNotFitSmallFalls) {
  std::vector<Ladder> four(4, camera());
  EXPECT_EQ(fallenOf(settled(four, 0.12, 0.12)), 0u) << "floors of 0.03";
  EXPECT_EQ(fallenOf(settled(four, 0.11, 0.11)), 1u);
}

RC_GTEST_PROP(LadderProperty, NobodyGivesPicturesWhileOneOfTheLightestKeepsItsLargerSize, ()) {
  std::vector<Ladder> ladders(static_cast<std::size_t>(*rc::gen::inRange(1, 12)));
  for (auto& each : ladders) {
    each.weight = *rc::gen::inRange(1, 4);
    each.leastFrequency = *rc::gen::inRange(0, 101) / 100.0;
    each.fixed = *rc::gen::inRange(0, 100) / 1000.0;
    each.elastic = *rc::gen::inRange(0, 300) / 1000.0;
    if (*rc::gen::inRange(0, 3) > 0) each.smaller = PictureCost{each.fixed / 4, each.elastic / 4};
    each.isSmall = each.smaller && *rc::gen::inRange(0, 2) == 1;
  }
  const double capacity = *rc::gen::inRange(0, 3000) / 1000.0;
  const auto rungs = allocate(ladders, capacity, capacity, kBands);
  const auto lightest = std::min_element(ladders.begin(), ladders.end(), [](const auto& a, const auto& b) {
                          return a.weight < b.weight;
                        })->weight;
  bool keeps = false, gives = false;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    RC_ASSERT(!rungs[i].isSmall || ladders[i].smaller.has_value());
    keeps = keeps || (ladders[i].smaller && !rungs[i].isSmall && ladders[i].weight == lightest);
    gives = gives || rungs[i].frequency < 1;
  }
  RC_ASSERT(!keeps || !gives);
}

RC_GTEST_PROP(LadderProperty, NobodyFallsBelowItsFloorBeforeAllLighterOnesHaveFallen, ()) {
  std::vector<Ladder> ladders(static_cast<std::size_t>(*rc::gen::inRange(0, 24)));
  for (auto& each : ladders) {
    each.weight = *rc::gen::inRange(1, 4);
    each.leastFrequency = *rc::gen::inRange(0, 101) / 100.0;
    each.mayFall = *rc::gen::inRange(0, 4) > 0;
    each.fixed = *rc::gen::inRange(0, 100) / 1000.0;
    each.elastic = *rc::gen::inRange(0, 300) / 1000.0;
    each.keyframes = *rc::gen::inRange(0, 20) / 1000.0;
    if (each.mayFall && *rc::gen::inRange(0, 2) == 1) each.stage = WindowStage::LastRung;
    each.frequency = *rc::gen::inRange(0, 101) / 100.0;
  }
  const double capacity = *rc::gen::inRange(0, 3000) / 1000.0;
  const double room = capacity * *rc::gen::inRange(0, 101) / 100.0;
  const auto rungs = allocate(ladders, capacity, room, kBands);
  RC_ASSERT(rungs.size() == ladders.size());
  double floors = 0;
  bool anyMay = false;
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    RC_ASSERT(rungs[i].frequency >= ladders[i].leastFrequency - 1e-9 || isFallen(rungs[i].stage));
    RC_ASSERT(rungs[i].frequency <= 1);
    RC_ASSERT(!isFallen(rungs[i].stage) || ladders[i].mayFall);
    floors += isFallen(rungs[i].stage) ? ladders[i].lastRung() : ladders[i].floor();
    anyMay = anyMay || (ladders[i].mayFall && !isFallen(rungs[i].stage));
    for (std::size_t k = 0; k < rungs.size(); ++k)
      if (isFallen(rungs[i].stage) && !isFallen(rungs[k].stage) && ladders[k].mayFall)
        RC_ASSERT(ladders[i].weight < ladders[k].weight || (ladders[i].weight == ladders[k].weight && i > k));
  }
  RC_ASSERT(floors <= capacity + 1e-9 || !anyMay);
}

TEST(Ladder, NobodyStandsAboveItsHighestRungAndTheOthersHaveWhatItLeaves) {
  std::vector<Ladder> two(2, Ladder{.weight = 1, .leastFrequency = 0.25, .elastic = 1});
  two[0].mostFrequency = 0.5;
  const auto roomy = allocate(two, 2, 2, kBands);
  EXPECT_EQ(roomy[0].frequency, 0.5);
  EXPECT_EQ(roomy[0].stage, WindowStage::Thinned);
  EXPECT_EQ(roomy[1].stage, WindowStage::Whole);
  const auto narrow = allocate(two, 1, 1, kBands);
  EXPECT_LE(narrow[0].frequency, 0.5);
  EXPECT_GT(narrow[1].frequency, 0.5);
}

}  // namespace
}  // namespace tactus::media
