// SPDX-License-Identifier: Apache-2.0
#include "core/net/estimator/bandwidth_estimator.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/net/estimator/simulated_path_fixture.h"
#include "core/periodic/simulation/counted_allocations.h"

namespace tactus::net::testing {
namespace {

using namespace std::chrono_literals;
using State = BandwidthEstimate::State;
using Cause = BandwidthEstimate::Cause;

constexpr BitRate kLeast = BitRate::perSecond(100'000), kMost = BitRate::perSecond(1'000'000);
constexpr periodic::TimePoint kStart{std::chrono::hours(1)};

/// Packets of 1000 bytes, one each 10 ms: 800 kbit/s; a report of ten each 100 ms.
class Told : public ::testing::Test {
 protected:
  /// Ten packets, of which the first `lost` are lost, which take `queue` longer than usual, and
  /// arrive so far apart at least.
  const BandwidthEstimate& tell(periodic::Duration queue = 0ms, std::size_t lost = 0,
                                periodic::Duration apart = 1ms) {
    m_packets.clear();
    for (int i = 0; i < 10; ++i) {
      m_packets.push_back({m_sent, 1000, {}});
      m_arrival = std::max(m_arrival + apart, (m_sent - kStart) + 20ms + queue);
      if (m_packets.size() > lost) m_packets.back().arrived = m_arrival;
      m_sent += 10ms;
    }
    return estimator.update(m_sent + 50ms, m_packets);
  }
  BandwidthEstimator estimator{{kLeast, kMost, kMost}};

 private:
  periodic::TimePoint m_sent = kStart;
  periodic::Duration m_arrival{0};
  std::vector<PacketOutcome> m_packets;
};

TEST_F(Told, ItBeginsWithTheStartBroughtIntoTheRange) {
  EXPECT_EQ(BandwidthEstimator({kLeast, kMost, BitRate::perSecond(300'000)}).estimate().target.bits(),
            300'000);
  EXPECT_EQ(BandwidthEstimator({kLeast, kMost, BitRate::perSecond(9)}).estimate().target, kLeast);
  EXPECT_EQ(BandwidthEstimator({kLeast, kMost, BitRate::perSecond(9'000'000)}).estimate().target, kMost);
  EXPECT_EQ(BandwidthEstimator({kMost, kLeast, kMost}).estimate().target, kLeast);
}

TEST_F(Told, WhatArrivesWithoutAQueueIsHeldAtTheMost) {
  for (int i = 0; i < 20; ++i) (void)tell();
  const BandwidthEstimate& told = tell();
  EXPECT_EQ(told.target, kMost);
  EXPECT_EQ(told.state, State::Holding);
  EXPECT_EQ(told.cause, Cause::None);
  EXPECT_NEAR(static_cast<double>(told.received.bits()), 800e3, 1e3);
  EXPECT_EQ(told.queueing, 0ns);
}

TEST_F(Told, AQueueThatStandsLowersItToWhatArrivesLessTheBacklog) {
  for (int i = 0; i < 5; ++i) (void)tell();
  for (int i = 0; i < 3; ++i) (void)tell(0ms, 0, 20ms);  // 400 kbit/s: 100 ms more of a queue each time
  const BandwidthEstimate& told = tell(0ms, 0, 20ms);
  EXPECT_EQ(told.state, State::Decreasing);
  EXPECT_EQ(told.cause, Cause::Delay);
  EXPECT_NEAR(static_cast<double>(told.received.bits()), 400e3, 1e3);
  EXPECT_NEAR(static_cast<double>(told.capacity.bits()), 360e3, 1e3);
  EXPECT_GT(told.queueing, 200ms);
  const double left = 1 - (periodic::inSeconds(told.queueing) - 0.06) / 0.6;
  EXPECT_NEAR(static_cast<double>(told.target.bits()), 360e3 * std::max(0.5, left), 1e3);
}

TEST_F(Told, ARateIsBelievedForATrialUntilAQueueRefutesIt) {
  for (int i = 0; i < 5; ++i) (void)tell();
  for (int i = 0; i < 4; ++i) (void)tell(0ms, 0, 20ms);
  const BitRate believed = estimator.estimate().capacity;
  estimator.raise(BitRate::perSecond(200'000));
  EXPECT_EQ(estimator.estimate().capacity, believed) << "it believed more";
  estimator.raise(BitRate::perSecond(900'000));
  EXPECT_EQ(estimator.estimate().target.bits(), 900'000);
  EXPECT_EQ(estimator.estimate().capacity.bits(), 900'000);
  estimator.raise(BitRate::perSecond(5'000'000));
  EXPECT_EQ(estimator.estimate().target, kMost);
  for (int i = 0; i < 4; ++i) (void)tell(0ms, 0, 20ms);
  EXPECT_LT(estimator.estimate().capacity.bits(), 500'000);
}

TEST_F(Told, TheSameQueueToldAgainLowersItNoFurther) {
  for (int i = 0; i < 5; ++i) (void)tell();
  for (int i = 0; i < 4; ++i) (void)tell(0ms, 0, 20ms);
  const BitRate once = estimator.estimate().capacity;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(tell(0ms, 0, 20ms).capacity, once);
}

TEST_F(Told, AShortHoldUpIsNoQueue) {
  for (int i = 0; i < 20; ++i) EXPECT_EQ(tell(i % 4 == 3 ? 55ms : 0ms).target, kMost) << i;
}

TEST_F(Told, APathThatBecomesLongerIsNoQueueForLong) {
  for (int i = 0; i < 5; ++i) (void)tell();
  for (int i = 0; i < 30; ++i) (void)tell(150ms);
  EXPECT_EQ(tell(150ms).cause, Cause::None);
  EXPECT_EQ(estimator.estimate().queueing, 0ns);
}

TEST_F(Told, AQueueThatStandsAndLosesIsFull) {
  for (int i = 0; i < 5; ++i) (void)tell();
  for (int i = 0; i < 30; ++i) (void)tell(150ms, i % 2);
  EXPECT_EQ(tell(150ms).cause, Cause::Delay);
  EXPECT_GT(estimator.estimate().queueing, 100ms);
}

TEST_F(Told, ThreeLostOfTenAreNotYetHeavyLoss) {
  for (const std::size_t lost : {0u, 3u, 0u, 0u, 0u, 3u, 0u, 0u}) EXPECT_EQ(tell(0ms, lost).target, kMost);
  // But three of each ten are, once they fill the better part of a second.
  for (int i = 0; i < 5; ++i) (void)tell(0ms, 3);
  EXPECT_LT(estimator.estimate().target.bits(), 900'000);
}

TEST_F(Told, WhereNothingArrivesItEndsAtTheLeast) {
  for (int i = 0; i < 60; ++i) (void)tell(0ms, 10);
  EXPECT_EQ(estimator.estimate().target, kLeast);
}

TEST_F(Told, AfterADecreaseItGrowsByTwentyFiveKilobitsInASecondAndThenFaster) {
  for (int i = 0; i < 60; ++i) (void)tell(0ms, 10);
  while (tell().state != State::Increasing) continue;
  const auto before = static_cast<double>(estimator.estimate().target.bits());
  (void)tell();
  const auto first = static_cast<double>(estimator.estimate().target.bits()) - before;
  EXPECT_NEAR(first, 2'500, 500);
  EXPECT_EQ(estimator.estimate().state, State::Increasing);
  for (int i = 0; i < 60; ++i) (void)tell();
  EXPECT_EQ(estimator.estimate().target, kMost);
}

TEST_F(Told, ALongSilenceCountsAsOneSecond) {
  for (int i = 0; i < 60; ++i) (void)tell(0ms, 10);
  (void)tell();
  const auto before = estimator.estimate().capacity;
  const auto now = kStart + 1h;
  const std::vector<PacketOutcome> one{{now, 1000, 1h + 20ms}};
  EXPECT_LE(estimator.update(now, one).capacity.bits(), before.bits() + 80'000);
}

TEST_F(Told, NoPacketsChangeNothing) {
  (void)tell();
  const BitRate before = estimator.estimate().target;
  EXPECT_EQ(estimator.update(kStart + 1h, std::vector<PacketOutcome>{}).target, before);
}

TEST_F(Told, ReportsOfLossAloneLowerItToo) {
  EXPECT_EQ(estimator.update(kStart, 0.05).target, kMost);
  for (int i = 1; i < 10; ++i) EXPECT_EQ(estimator.update(kStart + i * 2s, 0.05).target, kMost);
  (void)estimator.update(kStart + 20s, 0.33);
  EXPECT_EQ(estimator.estimate().cause, Cause::Loss);
  // Nine tenths of the two thirds that arrived.
  EXPECT_NEAR(static_cast<double>(estimator.estimate().target.bits()), 603e3, 1);
  for (int i = 11; i < 40; ++i) (void)estimator.update(kStart + i * 2s, 0.0);
  EXPECT_EQ(estimator.estimate().target, kMost);
}

TEST_F(Told, UpdatesAllocateNothing) {
  (void)tell();
  const std::vector<PacketOutcome> packets(100, {kStart, 1000, 20ms});
  const auto before = periodic::allocationsOfThisThread();
  for (int i = 0; i < 100; ++i) (void)estimator.update(kStart + i * 10ms, packets);
  EXPECT_EQ(periodic::allocationsOfThisThread(), before);
}

/// A path without chance.
SimulatedPath path(double rate, double loss = 0) {
  SimulatedPath made(1);
  made.rate = [rate](double) { return rate; };
  made.loss = loss;
  made.longestQueue = 0.5;
  return made;
}

SimulatedSender wanting(double most) {
  SimulatedSender sender;
  sender.range = {kLeast, BitRate::perSecond(static_cast<std::int64_t>(most)),
                  BitRate::perSecond(static_cast<std::int64_t>(most))};
  return sender;
}

TEST(BandwidthEstimator, AFreePathKeepsWhatIsWanted) {
  SimulatedPath free = path(5e6);
  free.add(wanting(1e6));
  free.run(60);
  EXPECT_EQ(free.least(0, 0, 60), 1e6);
}

TEST(BandwidthEstimator, RareLossIsLeftToRepetition) {
  SimulatedPath lossy = path(5e6, 0.05);
  lossy.add(wanting(1e6));
  lossy.run(60);
  EXPECT_EQ(lossy.mean(0, 30, 60), 1e6);
}

TEST(BandwidthEstimator, ABottleneckIsFilledAndItsQueueStaysShort) {
  SimulatedPath narrow = path(600e3);
  narrow.add(wanting(1e6));
  narrow.run(120);
  EXPECT_GT(narrow.mean(0, 60, 120), 0.9 * 600e3);
  EXPECT_LT(narrow.mean(0, 60, 120), 1.02 * 600e3);
  EXPECT_LT(narrow.longestWait(60), 0.3);
}

TEST(BandwidthEstimator, HeavyLossEndsAtTheLeast) {
  SimulatedPath broken = path(5e6, 0.3);
  broken.add(wanting(1e6));
  broken.run(60);
  EXPECT_LT(broken.mean(0, 30, 60), 1.2e5);
}

}  // namespace
}  // namespace tactus::net::testing
