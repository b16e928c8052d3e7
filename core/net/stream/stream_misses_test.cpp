// SPDX-License-Identifier: Apache-2.0
// Whether a stream's contract is violated: misses beyond what it tolerates.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>

#include "core/net/stream/stream_meter_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Rate;
using periodic::StreamQos;
using periodic::TimePoint;

/// 50 buffers a second; so many of 10,000 may be lost.
StreamBench benchOf(std::uint32_t toleratedLoss) {
  StreamPromise promise = kPromise;
  promise.toleratedLoss = toleratedLoss;
  StreamBench bench;
  bench.meter = StreamMeter(promise, kStart);
  return bench;
}

bool isViolated(const StreamBench& bench) {
  const StreamQos::Seen seen = bench.meter.seen(bench.now);
  return seen.misses > seen.tolerated;
}

TEST(StreamMisses, WhereNoLossIsToleratedEachIsAMiss) {
  StreamBench bench = benchOf(0);
  bench.passMany(80);
  EXPECT_FALSE(isViolated(bench));
  EXPECT_EQ(bench.meter.seen(bench.now).lastMiss, TimePoint());
  bench.lose();
  EXPECT_EQ(bench.meter.seen(bench.now).misses, 1u);
  EXPECT_EQ(bench.meter.seen(bench.now).tolerated, 0u);
  EXPECT_EQ(bench.meter.seen(bench.now).lastMiss, bench.now);
}

TEST(StreamMisses, LossesAreToleratedUpToTheirShareOfWhatWasDue) {
  StreamBench bench = benchOf(1000);
  bench.passMany(46);
  bench.lose(5);
  EXPECT_EQ(bench.meter.seen(bench.now).misses, 5u);
  EXPECT_EQ(bench.meter.seen(bench.now).tolerated, 5u);
  bench.lose();
  EXPECT_FALSE(isViolated(bench)) << "a tenth of 52, rounded up";
  EXPECT_EQ(bench.meter.seen(bench.now).lastMiss, TimePoint());
  bench.lose();
  EXPECT_EQ(bench.meter.seen(bench.now).misses, 7u);
  EXPECT_EQ(bench.meter.seen(bench.now).tolerated, 6u);
  EXPECT_EQ(bench.meter.seen(bench.now).lastMiss, bench.now);
}

TEST(StreamMisses, AShareBelowOneBufferOfTheWindowIsOne) {
  StreamBench bench = benchOf(1);
  bench.passMany(80);
  bench.lose();
  EXPECT_FALSE(isViolated(bench));
  bench.lose();
  EXPECT_TRUE(isViolated(bench));
}

TEST(StreamMisses, WhatCameTooLateIsNeverTolerated) {
  StreamBench bench = benchOf(10'000);
  bench.passMany(50);
  bench.lose(20);
  EXPECT_FALSE(isViolated(bench)) << "all may be lost";
  EXPECT_EQ(bench.pass(0ms, 14ms), StreamFault::Network);
  EXPECT_EQ(bench.meter.seen(bench.now).misses, 21u);
  EXPECT_EQ(bench.meter.seen(bench.now).tolerated, 20u);
  EXPECT_EQ(bench.meter.seen(bench.now).lastMiss, bench.now);
  EXPECT_EQ(bench.pass(0ms, 2ms, 9ms), StreamFault::Processor);
  EXPECT_EQ(bench.pass(12ms), StreamFault::Sender);
  EXPECT_EQ(bench.meter.seen(bench.now).misses - bench.meter.seen(bench.now).tolerated, 3u);
}

TEST(StreamMisses, AMissIsSeenForTwoSecondsAndThenForgotten) {
  StreamBench bench = benchOf(0);
  bench.passMany(37);
  bench.lose();
  const TimePoint lost = bench.now;
  EXPECT_EQ(bench.meter.seen(lost).window, 2s);
  bench.passMany(99);
  EXPECT_EQ(bench.meter.seen(lost + 2s).misses, 1u);
  bench.passMany(14);
  EXPECT_EQ(bench.meter.seen(bench.now).misses, 0u);
  EXPECT_EQ(bench.meter.seen(bench.now).lastMiss, lost);
}

TEST(StreamMisses, TheWindowOfASlowStreamHasEightPeriods) {
  StreamPromise promise = kPromise;
  promise.rate = periodic::Rate::perSecond(1, 3);
  StreamMeter meter(promise, kStart);
  EXPECT_EQ(meter.seen(kStart).window, 24s);
  meter.lost(0, kStart);
  meter.heard(kStart + 24s);
  EXPECT_EQ(meter.seen(kStart + 24s).misses, 1u);
  meter.heard(kStart + 27s);
  EXPECT_EQ(meter.seen(kStart + 27s).misses, 0u);
  promise.rate.reset();
  EXPECT_EQ(StreamMeter(promise, kStart).seen(kStart).window, 2s);
}

TEST(StreamMisses, SilenceIsAMissWhileItLastsUnlessTheSenderPauses) {
  StreamBench bench = benchOf(10'000);
  bench.heartbeat();
  bench.passMany(50);
  bench.wait(60ms);
  EXPECT_FALSE(isViolated(bench));
  bench.wait(2500ms);
  bench.heartbeat(30);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
  EXPECT_EQ(bench.meter.seen(bench.now).misses, 1u);
  EXPECT_EQ(bench.meter.seen(bench.now).tolerated, 0u);
  EXPECT_EQ(bench.meter.seen(bench.now).lastMiss, bench.now);
  bench.heartbeat(0, SenderState::Paused);
  EXPECT_FALSE(isViolated(bench));
  bench.heartbeat(0, SenderState::Stopped);
  EXPECT_TRUE(isViolated(bench));
}

/// What a host does once a second.
void look(StreamQos& qos, const StreamBench& bench) {
  StreamQos::Seen seen = bench.meter.seen(bench.now);
  seen.recovery = 3s;
  qos.look(bench.now, seen);
}

TEST(StreamMisses, AViolationEndsThoughToleratedLossesGoOn) {
  StreamBench bench = benchOf(200);
  StreamQos qos;
  bench.passMany(50);
  bench.lose(10);
  look(qos, bench);
  EXPECT_TRUE(qos.isViolated());
  // The window forgets the ten within 3 s, and the recovery takes 3 s more.
  for (int second = 1; second <= 12; ++second) {
    bench.passMany(49);
    bench.lose();
    look(qos, bench);
    if (second <= 3 || second >= 6) {
      EXPECT_EQ(qos.isViolated(), second <= 3) << second;
    }
  }
}

RC_GTEST_PROP(StreamMissesProperty, OnlyLossesAreToleratedAndNoMoreThanThereAre, ()) {
  const auto toleratedLoss = *rc::gen::element(0U, 1U, 300U, 5'000U, 10'000U);
  StreamBench bench = benchOf(toleratedLoss);
  const int steps = *rc::gen::element(5, 50, 90);  // less than the window
  std::uint64_t late = 0, lost = 0;
  for (int i = 0; i < steps; ++i) {
    switch (*rc::gen::element(0, 0, 0, 1, 2)) {
      case 0:
        late += bench.pass() != StreamFault::None ? 1 : 0;
        break;
      case 1:
        late += bench.pass(0ms, 2ms, 9ms) != StreamFault::None ? 1 : 0;
        break;
      default:
        bench.lose();
        ++lost;
    }
    const StreamQos::Seen seen = bench.meter.seen(bench.now);
    const std::uint64_t due = static_cast<std::uint64_t>(i) + 1;
    RC_ASSERT(seen.misses == late + lost);
    RC_ASSERT(seen.tolerated <= lost);
    RC_ASSERT(seen.tolerated == lost || seen.tolerated * 10'000 >= due * toleratedLoss);
    RC_ASSERT(seen.tolerated * 10'000 < due * toleratedLoss + 10'000);
    RC_ASSERT(late == 0 || seen.misses > seen.tolerated);
  }
}

TEST(StreamMisses, OfASlowerRateAreBuffersThatAreLaterThanThat) {
  StreamBench bench = benchOf(0);
  bench.passMany(10);
  bench.period = 30ms;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(bench.pass(), StreamFault::Sender) << "30 ms instead of 20";
  EXPECT_TRUE(isViolated(bench));
  bench.meter.setRate(Rate::perSecond(1000, 30));
  EXPECT_FALSE(isViolated(bench)) << "it is judged anew";
  EXPECT_EQ(bench.meter.judgement(bench.now).due, 0u);
  EXPECT_EQ(bench.fault(), StreamFault::None);
  bench.passMany(80);
  EXPECT_FALSE(isViolated(bench));
  bench.period = 40ms;
  bench.pass();
  EXPECT_EQ(bench.pass(), StreamFault::Sender);
  EXPECT_TRUE(isViolated(bench));
}

TEST(StreamMisses, AreJudgedOverEightPeriodsOfTheRateInForce) {
  StreamBench bench = benchOf(0);
  EXPECT_EQ(bench.meter.judgement(bench.now).window, 2s);
  bench.meter.setRate(Rate::perSecond(2));
  EXPECT_EQ(bench.meter.judgement(bench.now).window, 4s);
}

TEST(StreamMisses, AJudgementSaysWhatWasDueAndWhoseFaultItIs) {
  StreamBench bench = benchOf(1000);
  bench.passMany(46);
  bench.lose(7);
  const TimePoint last = bench.now;
  bench.wait(40ms);
  EXPECT_EQ(bench.meter.judgement(bench.now),
            (StreamJudgement{7, 6, 53, 2s, bench.now - last, StreamFault::Network}));
}

}  // namespace
}  // namespace tactus::net
