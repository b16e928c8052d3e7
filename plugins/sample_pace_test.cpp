// SPDX-License-Identifier: Apache-2.0
#include "plugins/sample_pace.h"

#include <gtest/gtest.h>

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

constexpr TimePoint kBegin{1000s};

TEST(SamplePace, LateWakeUpsDoNotAddUp) {
  SamplePace pace;
  TimePoint now = kBegin;
  for (int i = 1; i <= 1000; ++i) {
    const TimePoint end = pace.consume(20ms, now);
    EXPECT_EQ(end, kBegin + i * 20ms);
    now = end + i % 20 * 1ms;
  }
}

TEST(SamplePace, AfterAGapItBeginsAnew) {
  SamplePace pace;
  EXPECT_EQ(pace.consume(20ms, kBegin), kBegin + 20ms);
  EXPECT_EQ(pace.consume(20ms, kBegin + 40ms), kBegin + 40ms) << "as late as it is long";
  EXPECT_EQ(pace.consume(20ms, kBegin + 61ms), kBegin + 81ms) << "a gap";
}

TEST(SamplePace, WhatIsLeftFallsSteadilyToNothing) {
  SamplePace pace;
  EXPECT_EQ(pace.left(kBegin), 0ms);
  (void)pace.consume(20ms, kBegin);
  for (Duration passed = 0ms; passed <= 20ms; passed += 1ms)
    EXPECT_EQ(pace.left(kBegin + passed), 20ms - passed);
  EXPECT_EQ(pace.left(kBegin + 1h), 0ms);
}

}  // namespace
}  // namespace tactus::plugins
