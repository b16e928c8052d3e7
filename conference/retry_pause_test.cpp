// SPDX-License-Identifier: Apache-2.0
#include "conference/retry_pause.h"

#include <gtest/gtest.h>

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
constexpr periodic::TimePoint kStart{1000s};

TEST(RetryPause, WhoWasNotRefusedMayAskAtOnce) {
  const RetryPause pause;
  EXPECT_EQ(pause.left(kStart), 0s);
  EXPECT_EQ(pause.waited(kStart), 0s);
}

TEST(RetryPause, EachRefusalDoublesThePauseUpToTwoSeconds) {
  RetryPause pause;
  periodic::TimePoint now = kStart;
  for (const auto expected : {300ms, 600ms, 1200ms, 2000ms, 2000ms}) {
    pause.refused(now);
    EXPECT_EQ(pause.left(now), expected);
    EXPECT_EQ(pause.left(now + expected - 1ms), 1ms);
    now += expected;
    EXPECT_EQ(pause.left(now), 0s);
  }
  EXPECT_EQ(pause.left(now + 1h), 0s);
}

TEST(RetryPause, InSixSecondsThereAreFiveTries) {
  RetryPause pause;
  int tries = 0;
  for (auto passed = 0ms; passed < 6s; passed += 10ms) {
    if (pause.left(kStart + passed) > 0s) continue;
    ++tries;
    pause.refused(kStart + passed);
  }
  EXPECT_EQ(tries, 5);
}

TEST(RetryPause, ItTellsHowLongItHasWaited) {
  RetryPause pause;
  pause.refused(kStart);
  pause.refused(kStart + 300ms);
  EXPECT_EQ(pause.waited(kStart + 5s), 5s);
}

}  // namespace
}  // namespace tactus::conference
