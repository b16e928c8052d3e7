// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/feed_rates.h"

#include <gtest/gtest.h>

#include "media/room/ingest/ingest_feed.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;

class FeedRatesTest : public ::testing::Test {
 protected:
  void comes(std::uint64_t bytesASecond, int seconds) {
    for (int i = 0; i < seconds; ++i) rates.update(at += 1s, feed, bytes += bytesASecond);
  }
  double rate() const { return static_cast<double>(rates.of(feed).value_or(net::BitRate()).bits()); }

  plugins::EventDescriptor wake;
  media::IngestFeed feed{{}, wake};
  FeedRates rates;
  periodic::TimePoint at{10s};
  std::uint64_t bytes = 5'000;
};

TEST_F(FeedRatesTest, OfOneLookNothingIsKnown) {
  comes(1000, 1);
  EXPECT_FALSE(rates.of(feed));
}

TEST_F(FeedRatesTest, ARateIsKnownFromTheSecondLookOn) {
  comes(100'000, 2);
  EXPECT_DOUBLE_EQ(rate(), 800'000);
}

TEST_F(FeedRatesTest, AChangeIsFollowedWithinSeconds) {
  comes(100'000, 3);
  comes(25'000, 8);
  EXPECT_NEAR(rate(), 200'000, 20'000);
}

TEST_F(FeedRatesTest, WhatRestsKeepsItsRate) {
  comes(100'000, 3);
  comes(0, 60);
  EXPECT_DOUBLE_EQ(rate(), 800'000);
}

TEST_F(FeedRatesTest, AFeedRestsOnceNothingCameOfItForAWhile) {
  EXPECT_FALSE(rates.rests(feed));
  comes(100'000, 2);
  EXPECT_FALSE(rates.rests(feed));
  comes(0, 1);
  EXPECT_TRUE(rates.rests(feed));
  comes(1, 1);
  EXPECT_FALSE(rates.rests(feed));
}

TEST_F(FeedRatesTest, WhatIsForgottenBeginsAnew) {
  comes(100'000, 3);
  rates.forget(feed);
  EXPECT_FALSE(rates.of(feed));
}

}  // namespace
}  // namespace tactus::conference
