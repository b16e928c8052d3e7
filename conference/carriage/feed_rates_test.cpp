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
    for (int i = 0; i < seconds; ++i) rates.update(at += 1s, feed, {.bytes = bytes += bytesASecond});
  }
  void comes(std::uint64_t packets, std::uint64_t missing, int seconds) {
    for (int i = 0; i < seconds; ++i) {
      counts.packets += packets;
      counts.missing += missing;
      rates.update(at += 1s, feed, counts);
    }
  }
  double rate() const { return static_cast<double>(rates.of(feed).value_or(net::BitRate()).bits()); }

  plugins::EventDescriptor wake;
  media::IngestFeed feed{{}, wake};
  FeedRates rates;
  periodic::TimePoint at{10s};
  std::uint64_t bytes = 5'000;
  FeedRates::Counts counts{.bytes = 0, .packets = 700, .missing = 300};
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

TEST_F(FeedRatesTest, AFeedIsQuietOnceNothingCameOfItForASecondAndAHalf) {
  comes(100'000, 5);
  EXPECT_FALSE(rates.quiet(feed));
  rates.update(at += 1400ms, feed, {.bytes = bytes});
  EXPECT_TRUE(rates.rests(feed));
  EXPECT_FALSE(rates.quiet(feed));
  rates.update(at += 100ms, feed, {.bytes = bytes});
  EXPECT_TRUE(rates.quiet(feed));
  comes(1, 1);
  EXPECT_FALSE(rates.quiet(feed));
}

TEST_F(FeedRatesTest, AFeedThatHasJustBegunIsNotQuiet) {
  EXPECT_FALSE(rates.quiet(feed));
  rates.update(at, feed, {.bytes = bytes});
  rates.update(at += 2900ms, feed, {.bytes = bytes});
  EXPECT_FALSE(rates.quiet(feed));
  rates.update(at += 100ms, feed, {.bytes = bytes});
  EXPECT_TRUE(rates.quiet(feed));
}

TEST_F(FeedRatesTest, LossIsOfTheLastSecondsOnly) {
  EXPECT_EQ(rates.lost(feed), 0);
  comes(90, 10, 1);
  EXPECT_EQ(rates.lost(feed), 0) << "what was missing before the first look is not of late";
  comes(90, 10, 3);
  EXPECT_NEAR(rates.lost(feed), 0.1, 1e-9);
  comes(100, 0, 5);
  EXPECT_LT(rates.lost(feed), 0.05);
  EXPECT_GT(rates.lost(feed), 0.01);
  comes(100, 0, 25);
  EXPECT_LT(rates.lost(feed), 0.001);
}

TEST_F(FeedRatesTest, OfWhatRestsTheLossIsThatOfItsLastPackets) {
  comes(75, 25, 3);
  comes(0, 0, 60);
  EXPECT_NEAR(rates.lost(feed), 0.25, 1e-6);
}

TEST_F(FeedRatesTest, WhatIsForgottenBeginsAnew) {
  comes(100'000, 3);
  rates.forget(feed);
  EXPECT_FALSE(rates.of(feed));
}

}  // namespace
}  // namespace tactus::conference
