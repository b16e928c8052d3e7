// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/trace/histogram.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

TEST(DurationHistogram, EmptyOneHasNothingToSay) {
  const auto histogram = std::make_unique<DurationHistogram>();
  EXPECT_EQ(histogram->snapshot().count, 0u);
  EXPECT_EQ(histogram->snapshot().p99, 0ns);
}

TEST(DurationHistogram, ExtremesAreExactAndNegativeValuesCount) {
  const auto histogram = std::make_unique<DurationHistogram>();
  for (const Duration value : {Duration(-3ms), Duration(10ms), Duration(20ms)}) histogram->record(value);
  const auto snapshot = histogram->snapshot();
  EXPECT_EQ(snapshot.minimum, -3ms);
  EXPECT_EQ(snapshot.maximum, 20ms);
  EXPECT_EQ(snapshot.mean, 9ms);
  EXPECT_EQ(snapshot.p1, snapshot.minimum);
}

TEST(DurationHistogram, ValuesBeyondItsRangeSaturate) {
  const auto histogram = std::make_unique<DurationHistogram>();
  histogram->record(24h);
  histogram->record(-24h);
  EXPECT_EQ(histogram->snapshot().count, 2u);
  EXPECT_EQ(histogram->snapshot().maximum, 24h);
}

TEST(DurationHistogram, ClearingForgetsEverything) {
  const auto histogram = std::make_unique<DurationHistogram>();
  histogram->record(1ms);
  histogram->clear();
  EXPECT_EQ(histogram->snapshot().count, 0u);
}

RC_GTEST_PROP(DurationHistogramProperty, QuantilesAreWithinSevenPercent, ()) {
  auto values = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::int64_t>>(
      rc::gen::inRange<std::int64_t>(-200'000'000, 200'000'000)));
  const auto histogram = std::make_unique<DurationHistogram>();
  for (const auto value : values) histogram->record(Duration(value));
  std::sort(values.begin(), values.end());
  const auto snapshot = histogram->snapshot();
  for (const auto& [perMille, measured] :
       {std::pair{10u, snapshot.p1}, {500u, snapshot.p50}, {990u, snapshot.p99}}) {
    const std::size_t rank = std::max<std::size_t>(1, (values.size() * perMille + 999) / 1000);
    const auto exact = static_cast<double>(values[rank - 1]);
    RC_ASSERT(std::abs(static_cast<double>(measured.count()) - exact) <= std::abs(exact) * 0.07 + 1000);
  }
}

}  // namespace
}  // namespace tactus::periodic
