// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/frequency_filter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace tactus::periodic {
namespace {

std::vector<bool> jobs(FrequencyFilter& filter, int count) {
  std::vector<bool> run;
  for (int i = 0; i < count; ++i) run.push_back(filter.next());
  return run;
}

TEST(FrequencyFilter, FollowsTheFormula) {
  for (const double f : {0.0, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0}) {
    FrequencyFilter filter(f);
    const double kept = filter.frequency();
    const auto run = jobs(filter, 1000);
    for (int j = 0; j < 1000; ++j)
      EXPECT_EQ(run[static_cast<std::size_t>(j)], std::floor((j + 1) * kept) > std::floor(j * kept))
          << f << ' ' << j;
  }
}

TEST(FrequencyFilter, WholeMeansEveryJobAndNonsenseMeansWhole) {
  for (const double f : {1.0, -0.1, 1.1, std::nan(""), std::numeric_limits<double>::infinity()}) {
    FrequencyFilter filter(f);
    (void)jobs(filter, 100);
    EXPECT_EQ(filter.run(), 100u) << f;
    EXPECT_EQ(filter.promise().k, 1u);
  }
}

TEST(FrequencyFilter, ZeroRunsNothingAndPromisesNothing) {
  FrequencyFilter filter(0);
  (void)jobs(filter, 100);
  EXPECT_EQ(filter.skipped(), 100u);
  EXPECT_EQ(filter.promise().m, 0u);
}

RC_GTEST_PROP(FrequencyFilterProperty, AnyWindowHoldsItsPromise, ()) {
  const double f = *rc::gen::inRange(1, 1001) / 1000.0;
  FrequencyFilter filter(f);
  const auto promise = filter.promise();
  RC_ASSERT(promise.k == static_cast<std::uint32_t>(std::ceil(1 / filter.frequency())));
  const auto run = jobs(filter, 3000);
  const int k = *rc::gen::inRange(1, 200);
  int inside = 0;
  for (std::size_t j = 0; j < run.size(); ++j) {
    inside += run[j];
    if (j >= static_cast<std::size_t>(k)) inside -= run[j - static_cast<std::size_t>(k)];
    if (j + 1 >= static_cast<std::size_t>(k)) {
      RC_ASSERT(inside >= static_cast<int>(std::floor(k * filter.frequency())));
      RC_ASSERT(inside <= static_cast<int>(std::ceil(k * filter.frequency())));
    }
  }
  RC_ASSERT(filter.longestRow() < promise.k);
}

RC_GTEST_PROP(FrequencyFilterProperty, AChangeKeepsTheWeakerPromise, ()) {
  const double first = *rc::gen::inRange(50, 1001) / 1000.0;
  const double second = *rc::gen::inRange(50, 1001) / 1000.0;
  FrequencyFilter filter(first);
  const auto before = filter.promise().k;
  (void)jobs(filter, *rc::gen::inRange(0, 200));
  filter.setFrequency(second);
  (void)jobs(filter, 500);
  RC_ASSERT(filter.longestRow() < std::max(before, filter.promise().k));
}

}  // namespace
}  // namespace tactus::periodic
