// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/budget_refill.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Action = BudgetRefill::Action;

/// A packet of 10 ms a period of 100 ms, begun when the thread had used one second.
class Refilled : public ::testing::Test {
 protected:
  BudgetRefill::Decision at(Duration after, Duration cpu, Duration packet = 1s) {
    return m_refill.decide(m_begin + after, {packet, 10ms, 100ms, 1s + cpu});
  }
  const TimePoint m_begin{1000s};
  BudgetRefill m_refill;
};

TEST_F(Refilled, APeriodLaterThePacketHasItsBudgetAnew) {
  const auto exceeded = at(0ms, 10ms);
  EXPECT_EQ(exceeded.action, Action::None);
  EXPECT_EQ(exceeded.look, m_begin + 100ms);
  EXPECT_EQ(at(99ms, 40ms).action, Action::None);
  const auto refilled = at(100ms, 40ms);
  EXPECT_EQ(refilled.action, Action::Raise);
  EXPECT_EQ(refilled.look, m_begin + 110ms) << "its ten milliseconds cannot be over sooner";
}

TEST_F(Refilled, AUsedUpBudgetLowersUntilTheNextPeriod) {
  (void)at(0ms, 10ms);
  (void)at(100ms, 40ms);
  const auto partly = at(110ms, 44ms);
  EXPECT_EQ(partly.action, Action::None);
  EXPECT_EQ(partly.look, m_begin + 116ms);
  const auto nearly = at(116ms, 49ms);
  EXPECT_EQ(nearly.look, m_begin + 118ms) << "2 ms at least between two looks";
  const auto over = at(118ms, 50ms);
  EXPECT_EQ(over.action, Action::Lower);
  EXPECT_EQ(over.look, m_begin + 200ms) << "the periods do not drift";
  EXPECT_EQ(at(200ms, 80ms).action, Action::Raise);
  EXPECT_EQ(at(210ms, 90ms).action, Action::Lower);
}

TEST_F(Refilled, AThreadThatWaitsIsLookedAtEverMoreSeldom) {
  (void)at(0ms, 10ms);
  (void)at(100ms, 40ms);
  EXPECT_EQ(at(110ms, 40ms).look, m_begin + 120ms);
  EXPECT_EQ(at(130ms, 40ms).look, m_begin + 160ms);
  EXPECT_EQ(at(160ms, 40ms).look, m_begin + 220ms);
  EXPECT_EQ(at(220ms, 43ms).look, m_begin + 227ms) << "it runs again: its budget counts";
  EXPECT_EQ(at(227ms, 50ms).action, Action::Lower);
}

TEST_F(Refilled, AnotherPacketWaitsForItsOwnPeriod) {
  (void)at(0ms, 10ms);
  (void)at(100ms, 40ms);
  const auto next = at(104ms, 60ms, 1050ms);
  EXPECT_EQ(next.action, Action::None);
  EXPECT_EQ(next.look, m_begin + 204ms);
}

TEST_F(Refilled, AfterARestTheSamePacketWaitsAgain) {
  (void)at(0ms, 10ms);
  m_refill.rest();
  EXPECT_EQ(at(100ms, 40ms).action, Action::None);
  EXPECT_EQ(at(200ms, 80ms).action, Action::Raise);
}

TEST(Patrol, LooksWhenTheBudgetCanBeOverAtTheEarliest) {
  EXPECT_EQ(Patrol::decide(10ms, std::nullopt).look, 10ms);
  EXPECT_FALSE(Patrol::decide(10ms, 4ms).lower);
  EXPECT_EQ(Patrol::decide(10ms, 4ms).look, 6ms);
  EXPECT_EQ(Patrol::decide(10ms, 9ms).look, 2ms);
  EXPECT_TRUE(Patrol::decide(10ms, 10ms).lower);
  EXPECT_EQ(Patrol::decide(10ms, 10ms).look, 10ms);
  EXPECT_EQ(Patrol::decide(1ms, 1ms).look, 2ms);
}

}  // namespace
}  // namespace tactus::periodic
