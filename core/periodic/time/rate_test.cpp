// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/time/rate.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

TEST(Rate, NtscDoesNotDriftOverAMillionPictures) {
  const Rate ntsc = Rate::perSecond(30000, 1001);
  EXPECT_EQ(ntsc.period(), 33366667ns);
  EXPECT_EQ(ntsc.offsetOf(1'000'000), 33366666666667ns);
  EXPECT_EQ(ntsc.offsetOf(30000), 1001s);
}

TEST(Rate, ImpossibleRatesAreRefused) {
  EXPECT_FALSE(Rate::create(0).ok());
  EXPECT_FALSE(Rate::create(-1).ok());
  EXPECT_FALSE(Rate::create(1, 0).ok());
  EXPECT_FALSE(Rate::create(1, 3601).ok());
  EXPECT_FALSE(Rate::create(2'000'000).ok());
  EXPECT_FALSE(Rate::fromPeriod(0ns).ok());
  EXPECT_FALSE(Rate::fromPeriod(-1s).ok());
  EXPECT_FALSE(Rate::fromPeriod(2h).ok());
}

TEST(Rate, IsAFractionInLowestTerms) {
  const Rate ntsc = Rate::create(60000, 2002).value();
  EXPECT_EQ(ntsc.packets(), 30000);
  EXPECT_EQ(ntsc.seconds(), 1001);
}

TEST(Rate, EqualRatesCompareEqual) {
  EXPECT_EQ(Rate::create(60, 2).value(), Rate::perSecond(30));
}

TEST(Rate, ScalingBySpeedScalesThePeriod) {
  EXPECT_EQ(Rate::perSecond(30).scaled(2).period(), Rate::perSecond(60).period());
  EXPECT_EQ(Rate::perSecond(25).scaled(1), Rate::perSecond(25));
}

RC_GTEST_PROP(RateProperty, PeriodsRoundTripWithinAPartPerMillion, ()) {
  const auto period = std::chrono::microseconds(*rc::gen::inRange<std::int64_t>(1, 3'600'000'000));
  const auto rate = Rate::fromPeriod(period);
  RC_ASSERT(rate.ok());
  const double error = static_cast<double>((rate.value().period() - Duration(period)).count());
  RC_ASSERT(std::abs(error) <= static_cast<double>(Duration(period).count()) * 1e-6 + 1);
}

}  // namespace
}  // namespace tactus::periodic
