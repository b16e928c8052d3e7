// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/budget_watch.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Kind = BudgetWatch::Action::Kind;

/// Tasks that use fixed shares of a CPU, observed every 20 ms.
class Observed : public ::testing::Test {
 protected:
  std::vector<BudgetWatch::Action> run(Duration length, const std::vector<double>& shares, double cap = 0.9) {
    std::vector<BudgetWatch::Action> all;
    m_cpu.resize(shares.size());
    for (const TimePoint end = m_now + length; m_now < end; m_now += 20ms) {
      std::vector<BudgetWatch::Reading> readings;
      for (std::size_t i = 0; i < shares.size(); ++i) {
        m_cpu[i] += std::chrono::duration_cast<Duration>(20ms * shares[i]);
        readings.push_back({i, m_cpu[i], cap, 1});
      }
      for (const auto& action : m_watch.observe(m_now, readings)) all.push_back(action);
    }
    return all;
  }
  TimePoint m_now{1000s};
  std::vector<Duration> m_cpu;
  BudgetWatch m_watch{{}, 2};
};

TEST_F(Observed, ModestTasksAreLeftAlone) {
  EXPECT_TRUE(run(20s, {0.5, 0.5, 0.5}).empty());
}

TEST_F(Observed, EndlessLoopLosesItsClassWithinHalfASecond) {
  const auto actions = run(480ms, {1.0});
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::Demote);
  EXPECT_EQ(actions[0].penalty, 1s);
}

TEST_F(Observed, ClassComesBackAfterThePenalty) {
  (void)run(500ms, {1.0});
  const auto actions = run(2s, {0.1});
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].kind, Kind::Restore);
}

TEST_F(Observed, RelapseDoublesThePenaltyUpToTen) {
  std::vector<Duration> penalties;
  for (const auto& action : run(60s, {1.0})) {
    if (action.kind == Kind::Demote) penalties.push_back(action.penalty);
  }
  ASSERT_GE(penalties.size(), 5u);
  EXPECT_EQ((std::vector<Duration>(penalties.begin(), penalties.begin() + 5)),
            (std::vector<Duration>{1s, 2s, 4s, 8s, 10s}));
}

TEST_F(Observed, AfterGoodConductThePenaltyIsShortAgain) {
  (void)run(500ms, {1.0});
  (void)run(12s, {0.1});
  const auto actions = run(500ms, {1.0});
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].penalty, 1s);
}

TEST_F(Observed, AtTheKernelsLimitTheGreediestAloneLosesItsClass) {
  (void)run(700ms, {0.2, 0.5, 0.3});
  std::vector<BudgetWatch::Reading> readings;
  for (std::size_t i = 0; i < m_cpu.size(); ++i) readings.push_back({i, m_cpu[i], 0.9, 1});
  const auto action = m_watch.limitReached(m_now, readings);
  ASSERT_TRUE(action);
  EXPECT_EQ(action->task, 1u);
  EXPECT_EQ(action->penalty, 1s);
  EXPECT_NEAR(action->share, 0.5, 1e-6);
  EXPECT_EQ(m_watch.limitReached(m_now, readings)->task, 2u) << "the next: the first has no class now";
  const auto restored = run(1100ms, {0.2, 0.2, 0.2});
  EXPECT_EQ(restored.size(), 2u);
}

TEST_F(Observed, AtTheKernelsLimitAThreadThatHasJustBegunIsFound) {
  (void)run(600ms, {0.2, 0.0});
  (void)run(160ms, {0.2, 1.0});
  std::vector<BudgetWatch::Reading> readings{{0, m_cpu[0], 0.9, 1}, {1, m_cpu[1], 0.9, 1}};
  EXPECT_EQ(m_watch.limitReached(m_now, readings)->task, 1u);
  EXPECT_FALSE(BudgetWatch({}, 2).limitReached(m_now, {}));
}

TEST_F(Observed, TogetherTheyStayBelowTheKernelsThrottle) {
  // 3 x 0.7 of 2 CPUs: no one is over its cap, all together are over 90 %.
  const auto actions = run(700ms, {0.70, 0.71, 0.70});
  ASSERT_EQ(actions.size(), 1u);
  EXPECT_EQ(actions[0].task, 1u) << "the greediest goes first";
}

TEST_F(Observed, SmallCapHoldsForTheRenderer) {
  EXPECT_EQ(run(600ms, {0.7}, 0.6).size(), 1u);
  BudgetWatch other({}, 2);
  EXPECT_TRUE(run(0ms, {0.5}, 0.6).empty());
}

}  // namespace
}  // namespace tactus::periodic
