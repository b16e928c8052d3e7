// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/qos_judge.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;
using Kind = QosEvent::Kind;
using Kinds = std::vector<QosEvent::Kind>;

class QosJudgeTest : public testing::Test {
 protected:
  /// Two misses are tolerated.
  Kinds look(std::uint64_t misses, double frequency, Duration after = 200ms,
             WindowStage stage = WindowStage::Thinned) {
    m_now += after;
    if (misses > 0) m_lastMiss = m_now;
    judge.look(m_now, {.misses = misses, .tolerated = 2, .lastMiss = m_lastMiss, .recovery = 3s});
    return judge.tell(
        m_now, frequency < 1 || stage == WindowStage::KeyframesOnly ? stage : WindowStage::Whole, frequency);
  }
  QosJudge judge;

 private:
  TimePoint m_now{100s}, m_lastMiss{};
};

TEST_F(QosJudgeTest, MoreMissesThanToleratedAreAViolationUntilNoneCameForTheRecovery) {
  EXPECT_EQ(look(2, 1), Kinds{});
  EXPECT_EQ(look(3, 1), Kinds{Kind::Violation});
  EXPECT_TRUE(judge.began());
  EXPECT_EQ(look(0, 1, 2900ms), Kinds{});
  EXPECT_TRUE(judge.isViolated());
  EXPECT_EQ(look(0, 1), Kinds{Kind::Recovered});
  EXPECT_FALSE(judge.isViolated());
}

TEST_F(QosJudgeTest, AChangeIsToldOnceASecondAndASmallOneEveryFive) {
  EXPECT_EQ(look(0, 0.75), Kinds{Kind::Thinned});
  EXPECT_EQ(look(0, 0.5, 900ms), Kinds{});  // within the second
  EXPECT_EQ(look(0, 0.5), Kinds{Kind::Thinned});
  EXPECT_EQ(look(0, 0.55, 2s), Kinds{});  // small
  EXPECT_EQ(look(0, 0.55, 3s), Kinds{Kind::Thinned});
  EXPECT_EQ(look(0, 0.5, 1s, WindowStage::KeyframesOnly), Kinds{Kind::KeyframesOnly});
  EXPECT_EQ(look(0, 1, 1s), Kinds{Kind::Whole});
}

TEST_F(QosJudgeTest, AStretchedPeriodIsTenMillisecondsLongerAtMostToTheLeastShareAndUntilItRecovers) {
  look(3, 1);
  judge.stretch(30, 0.5);
  EXPECT_DOUBLE_EQ(judge.stretched(), (1 / 30.0) / (1 / 30.0 + 0.010));
  for (int i = 0; i < 10; ++i) judge.stretch(30, 0.5);
  EXPECT_EQ(judge.stretched(), 0.5);
  look(0, 1, 3s);
  EXPECT_EQ(judge.stretched(), 1);
}

}  // namespace
}  // namespace tactus::media
