// SPDX-License-Identifier: Apache-2.0
// What a StreamMeter says while nothing comes.
#include <gtest/gtest.h>

#include <chrono>

#include "core/net/stream/stream_meter_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

TEST(StreamSilence, CountsThatRiseWhileNothingComesBlameTheNetwork) {
  StreamBench bench;
  bench.heartbeat();
  bench.passMany(50);
  bench.heartbeat();
  bench.wait(40ms);
  EXPECT_FALSE(bench.meter.silent(bench.now));
  bench.wait(40ms);
  EXPECT_TRUE(bench.meter.silent(bench.now));   // 3 periods and the jitter: 65 ms
  EXPECT_EQ(bench.fault(), StreamFault::None);  // nobody knows yet
  bench.wait(500ms);
  bench.heartbeat(20);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
}

TEST(StreamSilence, ACountThatStandsBlamesTheSender) {
  StreamBench bench;
  bench.heartbeat();
  bench.passMany(50);
  bench.heartbeat();
  bench.wait(500ms);
  EXPECT_EQ(bench.fault(), StreamFault::None);  // that word is from before the silence
  bench.heartbeat();
  EXPECT_EQ(bench.fault(), StreamFault::Sender);
}

TEST(StreamSilence, LostBuffersAreKnownAndDoNotCountAsSentInSilence) {
  StreamBench bench;
  bench.heartbeat();
  bench.passMany(50);
  bench.lose(3);
  bench.wait(2s);
  bench.heartbeat();
  EXPECT_EQ(bench.fault(), StreamFault::Sender);
}

TEST(StreamSilence, APauseIsNoFaultAndAStopIsTheSenders) {
  StreamBench bench;
  bench.passMany(50);
  bench.heartbeat(0, SenderState::Paused);
  bench.wait(1s);
  EXPECT_EQ(bench.fault(), StreamFault::None);
  bench.heartbeat(0, SenderState::Stopped);
  EXPECT_EQ(bench.fault(), StreamFault::Sender);
}

TEST(StreamSilence, WithoutAHeartbeatForThreeSecondsItIsTheNetworks) {
  StreamBench bench;
  bench.heartbeat();
  bench.passMany(50);
  bench.heartbeat(0, SenderState::Paused);
  bench.wait(2980ms);
  EXPECT_EQ(bench.fault(), StreamFault::None);
  bench.wait(40ms);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
}

TEST(StreamSilence, HeartbeatsThatStopWhileDataComesAreNoFault) {
  StreamBench bench;
  bench.heartbeat();
  bench.passMany(500);
  EXPECT_EQ(bench.fault(), StreamFault::None);
}

TEST(StreamSilence, IsCountedFromTheBeginning) {
  StreamBench bench;
  EXPECT_EQ(bench.meter.fault(kStart + 3s), StreamFault::None);
  EXPECT_EQ(bench.meter.fault(kStart + 3001ms), StreamFault::Network);
  bench.wait(200ms);
  bench.heartbeat();  // the sender begins
  EXPECT_FALSE(bench.meter.silent(bench.now));
  bench.wait(1s);
  bench.heartbeat(50);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
}

TEST(StreamSilence, DataThatWaitsForItsHandlerIsNoSilence) {
  StreamBench bench;
  bench.passMany(50);
  bench.wait(200ms);
  bench.meter.heard(bench.now - 50ms);
  EXPECT_FALSE(bench.meter.silent(bench.now));
}

TEST(StreamSilence, WithoutARateOnlyADeadPeerIsAFault) {
  StreamMeter meter(StreamPromise{{}, 5ms, 40ms}, kStart);
  BufferTimes buffer;
  buffer.arrived = buffer.begun = kStart + 1s;
  EXPECT_EQ(meter.received(buffer), StreamFault::None);
  buffer.number = 1;
  buffer.made = 2s;
  buffer.arrived = buffer.begun = kStart + 3s;
  EXPECT_EQ(meter.received(buffer), StreamFault::None);
  meter.heartbeat(SenderState::Live, 2, kStart + 6s);
  EXPECT_EQ(meter.fault(kStart + 9s), StreamFault::None);
  EXPECT_EQ(meter.fault(kStart + 9001ms), StreamFault::Network);
}

TEST(StreamSilence, ASenderThatResumesIsNotLate) {
  StreamBench bench;
  bench.heartbeat();
  bench.passMany(50);
  bench.heartbeat(0, SenderState::Paused);
  bench.passMany(2);  // were on their way
  bench.wait(2s);
  bench.heartbeat();
  EXPECT_EQ(bench.fault(), StreamFault::None);  // silence is counted anew
  bench.wait(40ms);
  bench.passMany(50);
  EXPECT_EQ(bench.meter.figures().sender, 0u);
}

TEST(StreamSilence, ASenderThatStopsAndBeginsAgainFromZeroIsMeasuredAnew) {
  StreamBench bench;
  bench.heartbeat();
  bench.passMany(2000);
  bench.heartbeat(0, SenderState::Stopped);
  bench.wait(1s);
  EXPECT_EQ(bench.fault(), StreamFault::Sender);
  bench.number = 0;
  bench.heartbeat();
  bench.passMany(50);
  EXPECT_EQ(bench.pass(8ms), StreamFault::Sender);
  bench.wait(1s);
  bench.heartbeat(20);
  EXPECT_EQ(bench.fault(), StreamFault::Network);
}

TEST(StreamSilence, ASenderThatStoodStillWithoutAWordIsLateOnce) {
  StreamBench bench;
  bench.passMany(50);
  bench.wait(500ms);
  EXPECT_EQ(bench.pass(), StreamFault::Sender);
  bench.passMany(50);
}

}  // namespace
}  // namespace tactus::net
