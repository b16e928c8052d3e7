// SPDX-License-Identifier: Apache-2.0
#include "media/playback/presented_rate.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

TEST(PresentedRate, CountsOverTheLastTwoSeconds) {
  PresentedRate rate;
  TimePoint now{100s};
  std::uint64_t shown = 1000;
  EXPECT_EQ(rate.perSecond(now, shown), 0);
  for (int i = 0; i < 50; ++i, now += 100ms, shown += 3) rate.sample(now, shown);  // 30 per second
  EXPECT_NEAR(rate.perSecond(now, shown), 30, 1e-9);
  for (int i = 0; i < 50; ++i, now += 100ms, shown += 1) rate.sample(now, shown);
  EXPECT_NEAR(rate.perSecond(now, shown), 10, 1e-9);
}

TEST(PresentedRate, SaysNothingFromTooLittle) {
  PresentedRate rate;
  rate.sample(TimePoint{1s}, 0);
  EXPECT_EQ(rate.perSecond(TimePoint{1199ms}, 9), 0);
  EXPECT_DOUBLE_EQ(rate.perSecond(TimePoint{1200ms}, 6), 30);
  rate.clear();
  EXPECT_EQ(rate.perSecond(TimePoint{1200ms}, 6), 0);
}

}  // namespace
}  // namespace tactus::media
