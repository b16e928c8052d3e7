// SPDX-License-Identifier: Apache-2.0
#include "plugins/scale_choice.h"

#include <gtest/gtest.h>

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;

constexpr periodic::Duration kPeriod = 40ms;  // an eighth of it is 5 ms

TEST(ScaleChoice, TheFirstPictureIsScaledFast) {
  EXPECT_EQ(ScaleChoice().choose(1s, kPeriod), ScaleQuality::Fast);
}

TEST(ScaleChoice, AQualityNeverTriedIsTakenForFourTimesTheFastOne) {
  ScaleChoice choice;
  choice.record(ScaleQuality::Fast, 1ms);
  EXPECT_EQ(choice.choose(12ms, kPeriod), ScaleQuality::Best);
  EXPECT_EQ(choice.choose(11ms, kPeriod), ScaleQuality::Fast) << "4 ms do not fit into a third of it";
}

TEST(ScaleChoice, TakesTheBestThatFitsIntoAThirdOfTheTimeLeft) {
  ScaleChoice choice;
  choice.record(ScaleQuality::Fast, 1ms);
  choice.record(ScaleQuality::Good, 2ms);
  choice.record(ScaleQuality::Best, 4ms);
  EXPECT_EQ(choice.choose(12ms, kPeriod), ScaleQuality::Best);
  EXPECT_EQ(choice.choose(6ms, kPeriod), ScaleQuality::Good);
  EXPECT_EQ(choice.choose(5ms, kPeriod), ScaleQuality::Fast);
  EXPECT_EQ(choice.choose(-5ms, kPeriod), ScaleQuality::Fast);
}

TEST(ScaleChoice, NeverTakesMoreThanAnEighthOfThePeriod) {
  ScaleChoice choice;
  choice.record(ScaleQuality::Fast, 1ms);
  choice.record(ScaleQuality::Good, 5ms);
  choice.record(ScaleQuality::Best, 6ms);
  EXPECT_EQ(choice.choose(1s, kPeriod), ScaleQuality::Good);
}

TEST(ScaleChoice, ACostlyPictureIsForgottenByASixteenthAtATime) {
  ScaleChoice choice;
  choice.record(ScaleQuality::Fast, 1ms);
  choice.record(ScaleQuality::Good, 100ms);
  choice.record(ScaleQuality::Best, 5333us);
  EXPECT_EQ(choice.choose(1s, kPeriod), ScaleQuality::Fast);
  choice.record(ScaleQuality::Best, 1ms);  // 15/16 of 5.333 ms are 4.9997 ms
  EXPECT_EQ(choice.choose(1s, kPeriod), ScaleQuality::Best);
}

TEST(ScaleChoice, AfterARestartNothingIsKnown) {
  ScaleChoice choice;
  choice.record(ScaleQuality::Fast, 1ms);
  choice.restart();
  EXPECT_EQ(choice.choose(1s, kPeriod), ScaleQuality::Fast);
}

}  // namespace
}  // namespace tactus::plugins
