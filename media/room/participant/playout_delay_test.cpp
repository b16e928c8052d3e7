// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/playout_delay.h"

#include <gtest/gtest.h>

namespace tactus::media::testing {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

constexpr Duration kPeriod = 40ms, kMost = 125ms;

class PlayoutDelayTest : public ::testing::Test {
 protected:
  /// The delay after so many pictures that all come so late.
  Duration after(int pictures, Duration late) {
    Duration delay{0};
    for (int i = 0; i < pictures; ++i) delay = m_delay.update(m_now += kPeriod, late, kMost);
    return delay;
  }
  PlayoutDelay m_delay;
  TimePoint m_now{1s};
};

TEST_F(PlayoutDelayTest, ItBeginsWithTheMost) {
  EXPECT_EQ(after(1, 5ms), kMost);
}

TEST_F(PlayoutDelayTest, ItComesDownToWhatIsNeededInSeconds) {
  EXPECT_LT(after(50, 5ms), 50ms);
  EXPECT_NEAR(periodic::inMilliseconds(after(500, 5ms)), 5, 0.1);
}

TEST_F(PlayoutDelayTest, OneLatePictureMovesItLittle) {
  (void)after(500, 5ms);
  EXPECT_NEAR(periodic::inMilliseconds(after(1, 105ms)), 14.8, 0.5);  // 2 % of 100 ms, and of 4 times 98
}

TEST_F(PlayoutDelayTest, WhatIsAlwaysUnevenIsWaitedFor) {
  Duration delay{0};
  for (int i = 0; i < 1000; ++i) delay = m_delay.update(m_now += kPeriod, i % 2 == 0 ? 5ms : 25ms, kMost);
  EXPECT_GT(delay, 25ms);
  EXPECT_LT(delay, 60ms);
}

TEST_F(PlayoutDelayTest, ItNeverExceedsTheMost) {
  EXPECT_EQ(after(100, 400ms), kMost);
  EXPECT_EQ(m_delay.update(m_now += kPeriod, 400ms, 80ms), 80ms);
}

TEST_F(PlayoutDelayTest, APauseTeachesNoMoreThanAPeriod) {
  (void)after(500, 5ms);
  m_now += 10s;
  EXPECT_LT(after(1, 105ms), 16ms);
}

}  // namespace
}  // namespace tactus::media::testing
