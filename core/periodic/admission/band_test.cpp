// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/band.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>

#include "core/periodic/simulation/uunifast.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

TEST(Band, FirstSchemeOrdersByClass) {
  const auto band = [](ServiceClass service, bool critical) {
    return bandOf(PriorityScheme::Bands, service, critical, false);
  };
  EXPECT_EQ(band(ServiceClass::Guaranteed, true), Band::CriticalGuaranteed);
  EXPECT_EQ(band(ServiceClass::Statistical, true), Band::CriticalStatistical);
  EXPECT_EQ(band(ServiceClass::Guaranteed, false), Band::Workahead);
  EXPECT_EQ(band(ServiceClass::BestEffort, true), Band::Ordinary);
  EXPECT_GT(Band::CriticalGuaranteed, Band::CriticalStatistical);
  EXPECT_GT(Band::CriticalStatistical, Band::Ordinary);
  EXPECT_GT(Band::Ordinary, Band::Workahead);
}

TEST(Band, SecondSchemeDemotesWhoUsedUpItsTime) {
  for (const auto service : {ServiceClass::Guaranteed, ServiceClass::Statistical}) {
    EXPECT_EQ(bandOf(PriorityScheme::Demotion, service, true, true), Band::CriticalGuaranteed);
    EXPECT_EQ(bandOf(PriorityScheme::Demotion, service, true, false), Band::Overrun);
    EXPECT_EQ(bandOf(PriorityScheme::Demotion, service, false, true), Band::Workahead);
  }
  EXPECT_GT(Band::Overrun, Band::Ordinary);
  EXPECT_LT(Band::Overrun, Band::CriticalStatistical);
}

std::vector<int> all(std::size_t n) {
  return std::vector<int>(n, 0);
}

/// Levels of one band, for tasks that take next to nothing.
std::vector<int> levelsOf(const std::vector<Duration>& periods, int lowest, int highest) {
  std::vector<Demand> demands(periods.size());
  for (std::size_t i = 0; i < periods.size(); ++i) {
    demands[i].period = periods[i];
    demands[i].processing = 1ns;
  }
  const auto levels = assignLevels(demands, all(demands.size()), {lowest, highest});
  return levels.value_or(std::vector<int>{});
}

TEST(RateMonotonic, ShorterPeriodsGetHigherPriorities) {
  EXPECT_EQ(levelsOf({33ms, 10ms, 40ms}, 10, 59), (std::vector<int>{58, 59, 57}));
}

TEST(RateMonotonic, EqualPeriodsShareALevel) {
  EXPECT_EQ(levelsOf({33ms, 33ms, 10ms}, 10, 59), (std::vector<int>{58, 58, 59}));
}

TEST(RateMonotonic, LateJoinerShiftsTheOthers) {
  EXPECT_EQ(levelsOf({10ms, 40ms}, 10, 59), (std::vector<int>{59, 58}));
  EXPECT_EQ(levelsOf({10ms, 40ms, 20ms}, 10, 59), (std::vector<int>{59, 57, 58}));
}

TEST(RateMonotonic, WithTooFewLevelsTheLongestShareTheLowest) {
  EXPECT_EQ(levelsOf({1ms, 2ms, 3ms, 4ms}, 1, 1), (std::vector<int>{1, 1, 1, 1}));
  std::vector<Demand> demands(4);
  for (int i = 0; i < 4; ++i) demands[static_cast<std::size_t>(i)].period = (i + 1) * 1ms;
  for (auto& each : demands) each.processing = each.period == 1ms ? 100us : 400us;
  EXPECT_EQ(assignLevels(demands, all(4), {1, 2}), (std::vector<int>{2, 1, 1, 1}));
}

RC_GTEST_PROP(RateMonotonicProperty, OrderIsNeverInvertedAndLevelsStayInTheBand, ()) {
  const auto raw = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1'000'000));
  const int lowest = *rc::gen::inRange(1, 50);
  const int highest = lowest + *rc::gen::inRange(0, 20);
  std::vector<Duration> periods;
  for (const int value : raw) periods.push_back(std::chrono::microseconds(value));
  const auto levels = levelsOf(periods, lowest, highest);
  RC_ASSERT(levels.size() == periods.size());
  for (std::size_t i = 0; i < periods.size(); ++i) {
    RC_ASSERT(levels[i] >= lowest && levels[i] <= highest);
    for (std::size_t j = 0; j < periods.size(); ++j) {
      if (periods[i] < periods[j]) RC_ASSERT(levels[i] >= levels[j]);
    }
  }
}

TEST(Levels, ShorterPeriodsAreMoreUrgentAndEqualOnesShare) {
  std::vector<Demand> demands(4);
  demands[0].period = 40ms;
  demands[1].period = 10ms;
  demands[2].period = 40ms;
  demands[3].period = 20ms;
  for (auto& each : demands) each.processing = 1ms;
  EXPECT_EQ(assignLevels(demands, all(4), {10, 60}), (std::vector<int>{58, 60, 58, 59}));
}

TEST(Levels, RanksStandAboveOneAnotherWhateverThePeriods) {
  std::vector<Demand> demands(3);
  demands[0].period = 100ms;
  demands[1].period = 10ms;
  demands[2].period = 5ms;
  for (auto& each : demands) each.processing = 1ms;
  const std::vector<int> ranks{2, 1, 1};
  EXPECT_EQ(assignLevels(demands, ranks, {1, 9}), (std::vector<int>{9, 7, 8}));
}

TEST(Levels, TooFewLevelsAreSharedWhileExactAnalysisHolds) {
  std::vector<Demand> demands(3);
  demands[0].period = 10ms;
  demands[1].period = 40ms;
  demands[2].period = 50ms;
  demands[0].processing = 2ms;
  demands[1].processing = demands[2].processing = 9ms;
  // The shortest period would miss behind 9 ms of a neighbour: the long ones share.
  EXPECT_EQ(assignLevels(demands, all(3), {1, 2}), (std::vector<int>{2, 1, 1}));
  EXPECT_EQ(assignLevels(demands, all(3), {1, 1}), std::nullopt);
}

TEST(LevelsProperty, ASharedAssignmentIsAdmittedAsItIs) {
  std::mt19937_64 random(21);
  int shared = 0;
  int refused = 0;
  for (int i = 0; i < 400; ++i) {
    auto set = uunifast(random, 12, 0.5 + 0.05 * (i % 8));
    const LevelRange range{1, 1 + i % 6};
    const auto levels = assignLevels(set, all(set.size()), range);
    if (!levels) {
      ++refused;
      continue;
    }
    ++shared;
    for (std::size_t k = 0; k < set.size(); ++k) {
      set[k].level = (*levels)[k];
      EXPECT_GE(set[k].level, range.lowest);
      EXPECT_LE(set[k].level, range.highest);
    }
    EXPECT_TRUE(test(AdmissionTest::ExactResponse, set).fits) << i;
    for (const auto& a : set)
      for (const auto& b : set) EXPECT_TRUE(a.period >= b.period || a.level >= b.level);
  }
  EXPECT_GT(shared, 100);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace tactus::periodic
