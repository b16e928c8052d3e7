// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_meter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <random>

#include "core/net/stream/stream_meter_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::ByteCount;
using periodic::Duration;
using periodic::TimePoint;

TEST(StreamMeter, CountsBuffersAndBytes) {
  StreamBench bench;
  bench.passMany(100);
  bench.lose();
  bench.passMany(10);
  const auto figures = bench.meter.figures();
  EXPECT_EQ(figures.received, 110u);
  EXPECT_EQ(figures.bytes, ByteCount{11000});
  EXPECT_EQ(figures.lost, 1u);
  EXPECT_EQ(figures.network, 1u);
  EXPECT_EQ(figures.late, 0u);
  EXPECT_EQ(figures.jitter, 0ns);
  EXPECT_EQ(figures.delay, 0ns);
}

TEST(StreamMeter, DeviationsUpToTheJitterAreNoMiss) {
  StreamBench bench;
  bench.passMany(500);
  EXPECT_EQ(bench.fault(), StreamFault::None);
  EXPECT_EQ(bench.pass(0ms, 7ms), StreamFault::None);
  EXPECT_EQ(bench.pass(0ms, 2ms, 5ms), StreamFault::None);
  EXPECT_EQ(bench.pass(5ms), StreamFault::None);
  EXPECT_EQ(bench.pass(0ms, 7ms + 1ns), StreamFault::Network);
  EXPECT_EQ(bench.pass(0ms, 2ms, 5ms + 1ns), StreamFault::Processor);
  EXPECT_EQ(bench.pass(5200us), StreamFault::Sender);  // l follows by 1 % of what was late
}

TEST(StreamMeter, ASenderThatIsLateAloneIsToBlame) {
  StreamBench bench;
  bench.passMany(100);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(bench.pass(12ms), StreamFault::Sender);
    bench.passMany(100);
  }
  EXPECT_EQ(bench.pass(12ms), StreamFault::Sender);
  EXPECT_EQ(bench.fault(), StreamFault::Sender);
  EXPECT_EQ(bench.meter.figures().sender, 6u);
  EXPECT_EQ(bench.meter.figures().network + bench.meter.figures().processor, 0u);
}

TEST(StreamMeter, WhatMayHaveComeWhileNobodyLookedIsNotTheNetworks) {
  StreamBench bench;
  bench.passMany(100);
  BufferTimes buffer;
  buffer.number = 100;
  buffer.made = 2s;
  buffer.arrived = buffer.begun = kStart + 2s + 2ms + 30ms;  // 30 ms over the smallest delay
  buffer.unseen = 26ms;
  StreamMeter meter = bench.meter;
  EXPECT_EQ(meter.received(buffer), StreamFault::Processor);
  EXPECT_EQ(meter.figures().delay, 250us) << "4 ms of a mean of 16";
  meter = bench.meter;
  buffer.unseen = 20ms;
  EXPECT_EQ(meter.received(buffer), StreamFault::Processor) << "20 ms of 30 ms";
  meter = bench.meter;
  buffer.unseen = 10ms;
  EXPECT_EQ(meter.received(buffer), StreamFault::Network) << "20 ms of 30 ms";
  meter = bench.meter;
  buffer.unseen = 1h;
  EXPECT_EQ(meter.received(buffer), StreamFault::Processor);
  EXPECT_EQ(meter.figures().delay, 0ms) << "it came in time, as far as anybody knows";
  meter = bench.meter;
  buffer.due = buffer.arrived;
  EXPECT_EQ(meter.received(buffer), StreamFault::None) << "it was held on purpose";
}

TEST(StreamMeter, ANetworkThatIsLateAloneIsToBlame) {
  StreamBench bench;
  bench.passMany(100);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bench.pass(0ms, 14ms), StreamFault::Network);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
  EXPECT_EQ(bench.meter.figures().network, 5u);
  EXPECT_EQ(bench.meter.figures().sender + bench.meter.figures().processor, 0u);
}

TEST(StreamMeter, ANetworkThatLosesIsToBlame) {
  StreamBench bench;
  bench.passMany(100);
  bench.lose(10);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
  bench.passMany(60);  // the sender made what was lost: it is not late
  EXPECT_EQ(bench.fault(), StreamFault::None);
}

TEST(StreamMeter, AProcessorThatIsLateAloneIsToBlame) {
  StreamBench bench;
  bench.passMany(100);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(bench.pass(0ms, 2ms, 9ms), StreamFault::Processor);
  EXPECT_EQ(bench.fault(), StreamFault::Processor);
  EXPECT_EQ(bench.meter.figures().processor, 5u);
  EXPECT_EQ(bench.meter.figures().sender + bench.meter.figures().network, 0u);
}

TEST(StreamMeter, WhatIsochronousDeliveryHoldsIsNotTheProcessorsFault) {
  StreamBench bench;
  bench.passMany(10);
  BufferTimes buffer;
  buffer.number = 10;
  buffer.made = 200ms;
  buffer.arrived = kStart + 202ms;
  buffer.due = buffer.arrived + 30ms;
  buffer.begun = buffer.due + 1ms;
  EXPECT_EQ(bench.meter.received(buffer), StreamFault::None);
  EXPECT_EQ(bench.meter.figures().late, 0u);
}

TEST(StreamMeter, OfTwoCausesTheLargerHasTheBuffer) {
  StreamBench bench;
  bench.passMany(100);
  EXPECT_EQ(bench.pass(0ms, 12ms, 20ms), StreamFault::Processor);
  EXPECT_EQ(bench.pass(0ms, 32ms, 20ms), StreamFault::Network);
  EXPECT_EQ(bench.pass(50ms, 32ms, 20ms), StreamFault::Sender);
}

TEST(StreamMeter, TheFaultInForceIsThatOfMostMissesInTheLastSecond) {
  StreamBench bench;
  bench.passMany(100);
  for (int i = 0; i < 6; ++i) (void)bench.pass(0ms, 14ms);
  for (int i = 0; i < 5; ++i) (void)bench.pass(0ms, 2ms, 9ms);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
  for (int i = 0; i < 2; ++i) (void)bench.pass(0ms, 2ms, 9ms);
  EXPECT_EQ(bench.fault(), StreamFault::Processor);
  bench.passMany(50);
  EXPECT_EQ(bench.fault(), StreamFault::None);
}

TEST(StreamMeter, ASenderThatIsSlowerThanPromisedIsLateAgainAndAgain) {
  StreamBench bench;
  for (int i = 0; i < 500; ++i) (void)bench.pass(i * 200us);  // 1 %
  EXPECT_GE(bench.meter.figures().sender, 10u);
  EXPECT_EQ(bench.meter.figures().network, 0u);
}

TEST(StreamMeter, ASourceWhoseClockDriftsIsNotLate) {
  for (const Duration drift : {2us, -2us}) {  // 100 parts a million of a period
    StreamBench bench;
    for (int i = 0; i < 50 * 600; ++i) ASSERT_EQ(bench.pass(i * drift), StreamFault::None) << i;
    EXPECT_EQ(bench.pass(50 * 600 * drift + 6ms), StreamFault::Sender);
  }
}

TEST(StreamMeter, ClocksMayBeHoursApart) {
  for (const Duration offset : {Duration(5h), Duration(-5h), Duration::max(), Duration::min()}) {
    StreamBench bench;
    bench.offset = offset;
    bench.passMany(40);
    EXPECT_EQ(bench.pass(0ms, 14ms), StreamFault::Network);
    EXPECT_EQ(bench.pass(9ms), StreamFault::Sender);
    EXPECT_EQ(bench.meter.figures().late, 0u);
  }
}

TEST(StreamMeter, ADriftOf100PartsAMillionIsNoFault) {
  for (const double drift : {100e-6, -100e-6}) {
    StreamBench bench;
    bench.drift = drift;
    for (int i = 0; i < 50 * 3600; ++i) ASSERT_EQ(bench.pass(), StreamFault::None) << i;
    EXPECT_LE(bench.meter.figures().delay, 1ms);
    EXPECT_EQ(bench.pass(0ms, 12ms), StreamFault::Network);
  }
}

TEST(StreamMeter, AClockThatIsSetIsLearntAnew) {
  StreamBench bench;
  bench.passMany(100);
  bench.offset = -3h;
  bench.passMany(100);
  EXPECT_EQ(bench.pass(0ms, 12ms), StreamFault::Network);
  // A small step back looks like the network until the window has forgotten what was before it.
  bench.offset -= 1s;
  EXPECT_EQ(bench.pass(), StreamFault::Network);
  for (int i = 0; i < 500; ++i) (void)bench.pass();
  bench.passMany(10);
}

TEST(StreamMeter, LateIsWhatIsHandledAfterTheLatency) {
  StreamBench bench;
  bench.passMany(100);
  (void)bench.pass(0ms, 22ms, 20ms);
  EXPECT_EQ(bench.meter.figures().late, 0u);  // 40 ms over the smallest delay
  (void)bench.pass(0ms, 22ms, 20ms + 1ns);
  EXPECT_EQ(bench.meter.figures().late, 1u);
  EXPECT_EQ(bench.pass(0ms, 2ms, 50ms), StreamFault::Processor);
  EXPECT_EQ(bench.meter.figures().late, 2u);
}

TEST(StreamMeter, JitterIsThatOfRfc3550) {
  StreamBench bench;
  (void)bench.pass(0ms, 2ms);
  (void)bench.pass(0ms, 3600us);
  EXPECT_EQ(bench.meter.figures().jitter, 100us);  // 1.6 ms / 16
  (void)bench.pass(0ms, 2ms);
  EXPECT_EQ(bench.meter.figures().jitter, Duration(193750));  // 100 us + (1600 us - 100 us) / 16
  for (int i = 0; i < 500; ++i) (void)bench.pass(0ms, i % 2 == 0 ? 2ms : 4ms);
  EXPECT_NEAR(static_cast<double>(bench.meter.figures().jitter.count()), 2e6, 1e3);
  EXPECT_NEAR(static_cast<double>(bench.meter.figures().delay.count()), 1e6, 1e5);
}

TEST(StreamMeter, NumbersWrap) {
  StreamBench bench;
  bench.number = UINT32_MAX - 50;
  bench.passMany(40);
  bench.heartbeat();
  bench.passMany(60);
  bench.lose();
  bench.passMany(100);
  EXPECT_EQ(bench.pass(9ms), StreamFault::Sender);
  bench.wait(100ms);
  bench.heartbeat(3);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
}

TEST(StreamMeter, AnOvertakenBufferIsTheNetworksFaultNotTheSenders) {
  StreamBench bench;
  bench.passMany(100);
  BufferTimes buffer;
  buffer.number = bench.number++;
  buffer.made = 20ms * bench.periods++;
  bench.passMany(2);
  buffer.arrived = buffer.begun = bench.now + 1ms;
  EXPECT_EQ(bench.meter.received(buffer), StreamFault::Network);
  bench.passMany(10);
}

RC_GTEST_PROP(StreamMeterProperty, WhateverAPeerSaysFiguresAddUp, ()) {
  StreamMeter meter(kPromise, kStart);
  TimePoint now = kStart;
  std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
  const int count = *rc::gen::element(5, 200);
  std::uint64_t misses = 0;
  for (int i = 0; i < count; ++i) {
    now += Duration(random() % 100'000'000);
    BufferTimes buffer;
    buffer.number = static_cast<std::uint32_t>(random() % 4 == 0 ? random() : std::uint64_t(i));
    buffer.made = random() % 4 == 0 ? Duration(static_cast<std::int64_t>(random())) : now - kStart;
    buffer.arrived = now - Duration(random() % 10'000'000);
    buffer.begun = now;
    const auto kind = random() % 8;
    if (kind < 6 && meter.received(buffer) != StreamFault::None) ++misses;
    if (kind == 6) meter.heartbeat(static_cast<SenderState>(random() % 3), random(), now);
    if (kind == 7) meter.lost(buffer.number, now);
    (void)meter.fault(now + Duration(random() % 5'000'000'000));
  }
  const auto figures = meter.figures();
  RC_ASSERT(figures.sender + figures.network + figures.processor == misses + figures.lost);
  RC_ASSERT(figures.jitter >= 0ns);
  RC_ASSERT(figures.delay >= 0ns);
}

}  // namespace
}  // namespace tactus::net
