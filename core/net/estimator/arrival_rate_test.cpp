// SPDX-License-Identifier: Apache-2.0
#include "core/net/estimator/arrival_rate.h"

#include <gtest/gtest.h>

#include "core/net/estimator/windowed_least.h"

namespace tactus::net {
namespace {

TEST(ArrivalRate, IsUnknownBeforeAWindowHasPassed) {
  ArrivalRate rate(0.2);
  EXPECT_FALSE(rate.rate());
  for (int i = 0; i < 20; ++i) {
    rate.arrived(i * 0.01, 1000);
    rate.endReport();
  }
  EXPECT_FALSE(rate.rate());
  rate.arrived(0.2, 1000);
  rate.endReport();
  EXPECT_NEAR(rate.rate().value_or(0), 800e3, 1);
}

TEST(ArrivalRate, OfAQueueThatStandsIsExactWithFewPackets) {
  ArrivalRate rate(0.2);
  for (int i = 0; i < 4; ++i) {  // 9.6 kbit each: 100 ms at 96 kbit/s
    rate.arrived(i * 0.1, 1200);
    rate.endReport();
  }
  EXPECT_NEAR(rate.rate().value_or(0), 96e3, 1);
}

TEST(ArrivalRate, AReportThatComesLateCountsWhereItBelongs) {
  ArrivalRate rate(0.2);
  for (const int i : {0, 1, 3, 2}) {
    rate.arrived(i * 0.1, 1000);
    rate.endReport();
  }
  EXPECT_NEAR(rate.rate().value_or(0), 80e3, 1);
}

TEST(WindowedLeast, ForgetsWhatIsOlderThanItsSlots) {
  WindowedLeast<4> least(0.02);
  EXPECT_FALSE(least.least());
  least.put(1.00, 3);
  least.put(1.03, 5);
  EXPECT_EQ(least.least(), 3);
  least.put(1.07, 6);
  EXPECT_EQ(least.least(), 3);
  least.put(1.09, 7);
  EXPECT_EQ(least.least(), 5);
  least.put(0.5, 1);  // too old
  EXPECT_EQ(least.least(), 5);
  least.put(1.05, 4);
  EXPECT_EQ(least.least(), 4);
  least.put(9, 8);
  EXPECT_EQ(least.least(), 8);
}

}  // namespace
}  // namespace tactus::net
