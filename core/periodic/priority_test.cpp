// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/priority.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

TEST(RateMonotonic, ShorterPeriodsGetHigherPriorities) {
  const std::vector<Duration> periods{33ms, 10ms, 40ms};
  EXPECT_EQ(rateMonotonicPriorities(periods, 10, 59), (std::vector<int>{58, 59, 57}));
}

TEST(RateMonotonic, EqualPeriodsShareALevel) {
  const std::vector<Duration> periods{33ms, 33ms, 10ms};
  EXPECT_EQ(rateMonotonicPriorities(periods, 10, 59), (std::vector<int>{58, 58, 59}));
}

TEST(RateMonotonic, LateJoinerShiftsTheOthers) {
  const std::vector<Duration> before{10ms, 40ms};
  const std::vector<Duration> after{10ms, 40ms, 20ms};
  EXPECT_EQ(rateMonotonicPriorities(before, 10, 59), (std::vector<int>{59, 58}));
  EXPECT_EQ(rateMonotonicPriorities(after, 10, 59), (std::vector<int>{59, 57, 58}));
}

TEST(RateMonotonic, WithTooFewLevelsTheLongestShareTheLowest) {
  const std::vector<Duration> periods{1ms, 2ms, 3ms, 4ms};
  EXPECT_EQ(rateMonotonicPriorities(periods, 1, 2), (std::vector<int>{2, 1, 1, 1}));
  EXPECT_EQ(rateMonotonicPriorities(periods, 1, 1), (std::vector<int>{1, 1, 1, 1}));
}

RC_GTEST_PROP(RateMonotonicProperty, OrderIsNeverInvertedAndLevelsStayInTheBand, ()) {
  const auto raw = *rc::gen::container<std::vector<int>>(rc::gen::inRange(1, 1'000'000));
  const int lowest = *rc::gen::inRange(1, 50);
  const int highest = lowest + *rc::gen::inRange(0, 20);
  std::vector<Duration> periods;
  for (const int value : raw) periods.push_back(std::chrono::microseconds(value));
  const auto levels = rateMonotonicPriorities(periods, lowest, highest);
  RC_ASSERT(levels.size() == periods.size());
  for (std::size_t i = 0; i < periods.size(); ++i) {
    RC_ASSERT(levels[i] >= lowest && levels[i] <= highest);
    for (std::size_t j = 0; j < periods.size(); ++j) {
      if (periods[i] < periods[j]) RC_ASSERT(levels[i] >= levels[j]);
    }
  }
}

}  // namespace
}  // namespace tactus::periodic
