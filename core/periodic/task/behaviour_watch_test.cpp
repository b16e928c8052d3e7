// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/behaviour_watch.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Kind = Misbehaviour::Kind;

/// A task of 50 packets a second that reserves 1 ms for each.
class Watched : public ::testing::Test {
 protected:
  /// Time passes in which the task begins `packets` and uses `cpu`.
  std::optional<Misbehaviour> after(Duration length, std::uint64_t packets, Duration cpu) {
    if (m_reading.packets == 0 && m_now == TimePoint{1000s}) (void)m_watch.look(m_now, m_declared, m_reading);
    m_now += length;
    m_reading.packets += packets;
    m_reading.cpu += cpu;
    return m_watch.look(m_now, m_declared, m_reading);
  }
  TimePoint m_now{1000s};
  BehaviourWatch::Declared m_declared{Rate::perSecond(50), 1, 1, 1ms, true};
  BehaviourWatch::Reading m_reading;
  BehaviourWatch m_watch;
};

TEST_F(Watched, NobodyIsJudgedBeforeTwoSecondsOrTenPeriods) {
  EXPECT_FALSE(after(1999ms, 0, 1999ms));
  EXPECT_TRUE(after(1ms, 0, 1ms));
  BehaviourWatch slow;
  m_declared.rate = Rate::perSecond(1);
  (void)slow.look(m_now, m_declared, {});
  EXPECT_FALSE(slow.look(m_now + 9999ms, m_declared, {0, 9s}));
  EXPECT_TRUE(slow.look(m_now + 10s, m_declared, {0, 9s}));
}

TEST_F(Watched, WhoWorksAsDeclaredIsLeftAlone) {
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(after(2s, 100, 100ms));
}

TEST_F(Watched, ProcessorTimeWithoutAnyPacketIsFound) {
  EXPECT_FALSE(after(2s, 0, 100ms)) << "5 % of a processor is not yet too much";
  const auto found = after(2s, 0, 102ms);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::NeverEnforces);
  EXPECT_TRUE(found->grave());
  EXPECT_EQ(sentenceOf(*found, "silent", m_declared.rate),
            "silent uses 5 % of a processor and never says where a packet begins");
}

TEST_F(Watched, APacketThatUsesFivePeriodsIsEndless) {
  (void)after(2s, 100, 100ms);
  EXPECT_FALSE(after(2s, 0, 100ms));
  const auto found = after(2s, 0, 101ms);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::EndlessPacket);
  EXPECT_EQ(sentenceOf(*found, "stuck", m_declared.rate), "stuck has been busy with one packet for 2 s");
}

TEST_F(Watched, APacketThatReservesMuchIsEndlessAfterTenTimesThat) {
  m_declared.worst = 15ms;
  (void)after(2s, 100, 100ms);
  EXPECT_FALSE(after(2s, 0, 150ms));
  EXPECT_TRUE(after(2s, 0, 151ms));
}

TEST_F(Watched, ThreeTimesTheDeclaredRateIsTheLimit) {
  EXPECT_FALSE(after(2s, 301, 100ms)) << "300 and one of workahead";
  const auto found = after(2s, 302, 100ms);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::TooManyPackets);
  EXPECT_FALSE(found->grave());
  EXPECT_EQ(sentenceOf(*found, "eager", m_declared.rate),
            "eager processes 151 packets a second and declared 50");
}

TEST_F(Watched, AThirdOfTheDeclaredRateIsTheLimitForWhoWorks) {
  EXPECT_FALSE(after(2s, 34, 1s));
  EXPECT_FALSE(after(2s, 33, 200ms)) << "10 % of a processor: it waits for its source";
  const auto found = after(2s, 33, 201ms);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Kind::TooFewPackets);
}

TEST_F(Watched, ASporadicTaskMayHaveFewPackets) {
  m_declared.sporadic = true;
  EXPECT_FALSE(after(2s, 1, 1s));
  EXPECT_EQ(after(2s, 302, 100ms)->kind, Kind::TooManyPackets) << "its rate is the highest";
}

TEST_F(Watched, WhatIsLeftOutIsNotExpected) {
  m_declared.frequency = 0.5;
  EXPECT_FALSE(after(2s, 17, 1s));
  EXPECT_TRUE(after(2s, 16, 1s));
}

TEST_F(Watched, AReaderHasNoPackets) {
  m_declared.enforces = false;
  EXPECT_FALSE(after(2s, 0, 2s));
}

TEST_F(Watched, AFindingIsToldOnceAndAgainIfItBecomesGraver) {
  EXPECT_EQ(after(2s, 10, 1s)->kind, Kind::TooFewPackets);
  EXPECT_FALSE(after(2s, 10, 1s));
  EXPECT_EQ(after(2s, 0, 1s)->kind, Kind::EndlessPacket);
  EXPECT_FALSE(after(2s, 0, 1s));
  EXPECT_FALSE(after(2s, 10, 1s)) << "less grave than before";
  EXPECT_FALSE(after(2s, 100, 1s));
  EXPECT_EQ(after(2s, 10, 1s)->kind, Kind::TooFewPackets) << "well in between: told anew";
}

TEST_F(Watched, RestAndClearedStatisticsBeginAnew) {
  (void)after(1900ms, 0, 1900ms);
  m_watch.rest();
  EXPECT_FALSE(after(2s, 5, 2s));
  m_reading.packets = 0;
  EXPECT_FALSE(after(2s, 0, 2s));
  EXPECT_TRUE(after(2s, 0, 2s));
}

}  // namespace
}  // namespace tactus::periodic
