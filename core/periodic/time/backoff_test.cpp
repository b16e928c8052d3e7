// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/time/backoff.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

TEST(BackoffTest, DoublesUpToTheLongestWait) {
  Backoff backoff(1s, 5s);
  EXPECT_EQ(backoff.wait(), 1s);
  EXPECT_EQ(backoff.fail(), 2s);
  EXPECT_EQ(backoff.fail(), 4s);
  EXPECT_EQ(backoff.fail(), 5s);
  EXPECT_EQ(backoff.fail(), 5s);
}

TEST(BackoffTest, EasesByHalvesDownToTheShortestWait) {
  Backoff backoff(1s, 16s);
  backoff.fail();
  backoff.fail();
  backoff.ease();
  EXPECT_EQ(backoff.wait(), 2s);
  backoff.ease();
  backoff.ease();
  EXPECT_EQ(backoff.wait(), 1s);
}

TEST(BackoffTest, AResetForgetsFailures) {
  Backoff backoff(1s, 16s);
  backoff.fail();
  backoff.fail();
  backoff.reset();
  EXPECT_EQ(backoff.wait(), 1s);
}

}  // namespace
}  // namespace tactus::periodic
