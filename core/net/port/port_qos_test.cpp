// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_qos.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::QosCause;
using periodic::QosEvent;
using periodic::Rate;
using periodic::TimePoint;
using Kind = QosEvent::Kind;
using Kinds = std::vector<Kind>;

/// 50 buffers a second, and 12.5 at least: periods of 20 ms to 80 ms.
StreamContract camera() {
  StreamContract contract;
  contract.largestBuffer = 100;
  contract.rate = Rate::perSecond(50);
  return contract;
}

class PortQosTest : public testing::Test {
 protected:
  explicit PortQosTest(PortType type = PortType::Write) : qos("camera", type, 7, camera()) {}

  /// A second passes; of 48 buffers so many were missed.
  Kinds look(std::uint64_t misses, bool handled = false, double limit = 1) {
    now += 1s;
    if (misses > 1) m_lastMiss = now;
    PortLook seen;
    seen.judgement = {misses, 1, 48, 2s, now - m_lastMiss, fault};
    seen.handled = handled;
    seen.limit = limit;
    events = qos.look(now, seen);
    Kinds kinds;
    for (const QosEvent& each : events) kinds.push_back(each.kind);
    return kinds;
  }
  /// The period in force, in ms.
  [[nodiscard]] double period() const { return periodic::inMilliseconds(qos.period()); }
  /// Looks until nothing is violated and the period is the contract's.
  [[nodiscard]] std::vector<double> periodsUntilWhole(int most) {
    std::vector<double> periods{period()};
    for (int i = 0; i < most && periods.back() > 20; ++i) {
      look(0);
      if (period() != periods.back()) periods.push_back(period());
    }
    return periods;
  }

  PortQos qos;
  TimePoint now{1000s};
  StreamFault fault = StreamFault::Network;
  std::vector<QosEvent> events;

 private:
  TimePoint m_lastMiss{};
};

TEST_F(PortQosTest, AViolationIsToldWithItsCauseAndThePeriodFromNowOn) {
  EXPECT_EQ(look(1), Kinds{}) << "one is tolerated";
  EXPECT_EQ(look(12), (Kinds{Kind::Violation, Kind::Thinned}));
  EXPECT_EQ(events[0].sentence,
            "camera: 12 of 48 buffers in the last 2 s were late or lost, by the network; a period of 30 ms "
            "instead of 20 ms from now on.");
  EXPECT_EQ(events[1].sentence, "camera: a period of 30 ms instead of 20 ms from now on.");
  for (const QosEvent& each : events) {
    EXPECT_EQ(each.cause, QosCause::Network);
    EXPECT_EQ(each.stream, 7u);
    EXPECT_EQ(each.name, "camera");
    EXPECT_EQ(each.misses, 12u);
    EXPECT_NEAR(each.frequency, 2.0 / 3, 1e-9);
    EXPECT_EQ(each.at, now);
  }
  EXPECT_TRUE(qos.isViolated());
  EXPECT_EQ(qos.sentence(), events[1].sentence);
}

TEST_F(PortQosTest, EachFaultHasItsCauseAndItsWords) {
  const std::vector<std::tuple<StreamFault, QosCause, std::string>> all{
      {StreamFault::Sender, QosCause::Sender, "lost, by the sender;"},
      {StreamFault::Network, QosCause::Network, "lost, by the network;"},
      {StreamFault::Processor, QosCause::Processor, "lost, by the receiver's processor;"},
      {StreamFault::None, QosCause::None, "lost; a period"}};
  for (const auto& [each, cause, words] : all) {
    PortQos one("camera", PortType::Write, 7, camera());
    const auto told = one.look(now, {.judgement = {5, 1, 48, 2s, 0ns, each}});
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told[0].cause, cause);
    EXPECT_NE(told[0].sentence.find(words), std::string::npos) << told[0].sentence;
  }
}

TEST_F(PortQosTest, SilenceIsToldAsSuch) {
  const auto told = qos.look(now, {.judgement = {1, 0, 0, 2s, 0ns, StreamFault::Sender}});
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told[0].sentence,
            "camera: no buffer came in the last 2 s, by the sender; a period of 30 ms instead of 20 ms from "
            "now on.");
}

TEST_F(PortQosTest, ThePeriodIsLengthenedByTenMillisecondsEachWindowUpToAQuarterOfTheRate) {
  std::vector<double> periods;
  for (int second = 0; second < 16; ++second) {
    look(12);
    periods.push_back(period());
  }
  EXPECT_EQ(periods, (std::vector<double>{30, 30, 40, 40, 50, 50, 60, 60, 70, 70, 80, 80, 80, 80, 80, 80}));
}

TEST_F(PortQosTest, ThePeriodIsLengthenedUpToTheLeastRateOfTheContract) {
  StreamContract contract = camera();
  contract.leastRate = Rate::perSecond(40);
  PortQos one("camera", PortType::Write, 7, contract);
  (void)one.look(now, {.judgement = {5, 1, 48, 2s, 0ns, fault}});
  EXPECT_EQ(one.period(), Duration(25ms));
  EXPECT_EQ(rateAt(contract, one.period()), Rate::perSecond(40));
  contract.leastRate = contract.rate;
  PortQos none("camera", PortType::Write, 7, contract);
  EXPECT_EQ(none.look(now, {.judgement = {5, 1, 48, 2s, 0ns, fault}}).size(), 1u) << "the violation alone";
  EXPECT_EQ(none.period(), Duration(20ms));
}

TEST_F(PortQosTest, OnceNothingIsViolatedThePeriodIsShortenedStepByStep) {
  for (int second = 0; second < 5; ++second) look(12);
  EXPECT_EQ(period(), 50);
  EXPECT_EQ(look(0), Kinds{});
  EXPECT_EQ(look(0), Kinds{Kind::Recovered}) << "a window without a miss";
  EXPECT_EQ(events[0].sentence, "camera: its buffers are in time again.");
  EXPECT_FALSE(qos.isViolated());
  EXPECT_EQ(periodsUntilWhole(60), (std::vector<double>{50, 40, 30, 20}));
  EXPECT_EQ(rateAt(camera(), qos.period()), Rate::perSecond(50));
  EXPECT_EQ(qos.sentence(), "camera: a period of 20 ms again from now on.");
}

TEST_F(PortQosTest, AHandlerActsInsteadOfTheDefault) {
  EXPECT_EQ(look(12, true), Kinds{Kind::Violation});
  EXPECT_EQ(events[0].sentence,
            "camera: 12 of 48 buffers in the last 2 s were late or lost, by the network.");
  for (int second = 0; second < 5; ++second) look(12, true);
  EXPECT_EQ(period(), 20);
  qos.act({7, "half", {.frequency = 0.5}});
  EXPECT_EQ(look(0, true), Kinds{Kind::Thinned});
  EXPECT_EQ(period(), 40);
  EXPECT_EQ(events[0].cause, QosCause::Handler);
  EXPECT_EQ(events[0].sentence, "camera: a period of 40 ms instead of 20 ms from now on, as 'half' asked.");
  qos.act({7, "half", {.frequency = 0.01}});
  look(0, true);
  EXPECT_EQ(period(), 80) << "no less than the least rate";
  qos.act({7, "half", {.frequency = 1}});
  look(0, true);
  EXPECT_EQ(period(), 20);
}

TEST_F(PortQosTest, AHandlerOfTheReaderIsFollowed) {
  EXPECT_EQ(look(0, true, 0.25), Kinds{Kind::Thinned});
  EXPECT_EQ(period(), 80);
  EXPECT_EQ(events[0].sentence,
            "camera: a period of 80 ms instead of 20 ms from now on, as the other port asked.");
}

class ReadPortQos : public PortQosTest {
 protected:
  ReadPortQos() : PortQosTest(PortType::Read) {}
};

TEST_F(ReadPortQos, TellsAndLeavesThePeriodToTheWriter) {
  EXPECT_EQ(look(12), Kinds{Kind::Violation});
  EXPECT_EQ(events[0].sentence,
            "camera: 12 of 48 buffers in the last 2 s were late or lost, by the network.");
  for (int second = 0; second < 5; ++second) look(12);
  EXPECT_EQ(period(), 20);
  qos.follow(30ms);
  EXPECT_EQ(look(12), Kinds{Kind::Thinned});
  EXPECT_EQ(events[0].sentence, "camera: a period of 30 ms instead of 20 ms from now on.");
  qos.act({7, "half", {.frequency = 0.5}});
  EXPECT_EQ(look(12), Kinds{});
  EXPECT_EQ(period(), 30);
  EXPECT_EQ(qos.limit(), 0.5) << "for the writer";
}

TEST_F(PortQosTest, WhatAPeerSaysOutOfAllReasonIsTakenAsItIs) {
  const auto most = std::numeric_limits<std::uint64_t>::max();
  const auto longest = Duration(std::numeric_limits<std::int64_t>::max());
  (void)qos.look(now, {.judgement = {most, most - 1, most, longest, longest, StreamFault::None}});
  (void)qos.look(now + 1s, {.judgement = {most, 0, 0, 0ns, longest, StreamFault::None}, .limit = 1e-4});
  EXPECT_EQ(qos.period(), Duration(80ms));
}

}  // namespace
}  // namespace tactus::net
