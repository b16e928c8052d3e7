// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/rate_meter.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "media/streaming/stream_terms.h"

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

TEST(RateMeter, WithoutBytesThereIsNoBuffer) {
  EXPECT_EQ(RateMeter().smallestBuffer(), 0u);
}

TEST(RateMeter, AnEvenFilmTakesItsOwnRateLessTheDelayAtTheStart) {
  RateMeter meter;
  for (int i = 0; i < 1000; ++i) meter.note(100, i * 20ms);
  EXPECT_EQ(meter.bytes(), 100'000u);
  EXPECT_EQ(meter.smallestBuffer(), 98u);  // 100,000 bytes in 1025 buffers
}

TEST(RateMeter, ABurstLeavesFromFourSecondsBeforeItToHalfASecondBehind) {
  RateMeter meter;
  meter.note(226'000, 10s);
  EXPECT_EQ(meter.smallestBuffer(), 1000u);  // 200 + 1 + 25 buffers
}

TEST(RateMeter, ABurstAtTheBeginningHasHalfASecond) {
  RateMeter meter;
  meter.note(26'000, 0s);
  meter.note(1, 60s);
  EXPECT_EQ(meter.smallestBuffer(), 1000u);
}

TEST(RateMeter, OfTwoBurstsThatOverlapBothCount) {
  RateMeter meter;
  meter.note(226'000, 10s);
  meter.note(226'000, 11s);
  EXPECT_EQ(meter.smallestBuffer(), 1638u);  // 452,000 bytes in 276 buffers
}

TEST(RateMeter, WhatLiesOutsideADayCountsAtItsEnds) {
  RateMeter meter;
  meter.note(26'000, -5s);
  meter.note(10, 30h);
  EXPECT_EQ(meter.bytes(), 26'010u);
  EXPECT_EQ(meter.smallestBuffer(), 1000u);
}

/// For all i <= j: what belongs to the periods i to j leaves in the buffers from i - A to j + D.
std::uint64_t byStretches(const std::vector<std::uint64_t>& periods) {
  const std::int64_t ahead = kSendAhead / kStreamPeriod;
  const std::int64_t late = kStartDelay / kStreamPeriod;
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < periods.size(); ++i) {
    std::uint64_t sum = 0;
    for (std::size_t j = i; j < periods.size(); ++j) {
      sum += periods[j];
      const std::int64_t first = std::max<std::int64_t>(0, static_cast<std::int64_t>(i) - ahead);
      const auto buffers = static_cast<std::uint64_t>(static_cast<std::int64_t>(j) + late - first + 1);
      most = std::max(most, (sum + buffers - 1) / buffers);
    }
  }
  return most;
}

TEST(RateMeter, TheSmallestBufferIsThatOfTheWorstStretch) {
  EXPECT_TRUE(rc::check([] {
    auto periods = *rc::gen::container<std::vector<std::uint64_t>>(
        400, rc::gen::weightedOneOf<std::uint64_t>({{9, rc::gen::inRange<std::uint64_t>(0, 200)},
                                                    {1, rc::gen::inRange<std::uint64_t>(0, 50'000)}}));
    RateMeter meter;
    for (std::size_t i = 0; i < periods.size(); ++i)
      meter.note(periods[i], static_cast<std::int64_t>(i) * kStreamPeriod);
    RC_ASSERT(meter.smallestBuffer() == byStretches(periods));
  }));
}

}  // namespace
}  // namespace tactus::media
