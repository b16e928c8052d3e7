// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/statistics.h"

#include <gtest/gtest.h>

#include <numeric>

namespace tactus::lab {
namespace {

TEST(Percentile, IsTheNearestRank) {
  std::vector<double> values(100);
  std::iota(values.rbegin(), values.rend(), 1.0);
  EXPECT_EQ(percentile(values, 0.5), 50);
  EXPECT_EQ(percentile(values, 0.99), 99);
  EXPECT_EQ(percentile(values, 0.999), 100);
  EXPECT_EQ(percentile(values, 1), 100);
  EXPECT_EQ(percentile(values, 0), 1);
}

TEST(Percentile, OfNothingIsZero) {
  EXPECT_EQ(percentile({}, 0.5), 0);
}

TEST(Median, OfAnEvenCountIsTheMeanOfTheMiddleTwo) {
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({9, 1, 2}), 2);
  EXPECT_EQ(median({}), 0);
}

}  // namespace
}  // namespace tactus::lab
