// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/read_pace.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace tactus::plugins::av {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::Rate;

constexpr Duration kAhead = 2s;

ReadPace paceOf(int perSecond) {
  ReadPace pace(kAhead);
  pace.begin(Rate::perSecond(perSecond));
  return pace;
}

/// So much of a film with a packet each `distance`.
void read(ReadPace& pace, Duration length, Duration distance, Duration from = 0s) {
  for (Duration at = from; at <= from + length; at += distance) pace.note(at);
}

FilmStream pictures(AVRational rate, int disposition = 0) {
  static const AVCodecParameters kAny{};
  return {0, AVMEDIA_TYPE_VIDEO, &kAny, rate, disposition};
}

TEST(ReadPace, WIsWhatIsReadAheadAndRATenthMoreThanTheFilmHas) {
  const auto lbap = paceOf(30).lbap();
  EXPECT_EQ(lbap.workahead, 60u);
  EXPECT_NEAR(lbap.rate.perSecond(), 33, 1e-6);
}

TEST(ReadPace, SpeedMovesTheRateAndNotWhatIsReadAhead) {
  auto pace = paceOf(30);
  pace.setSpeed(2);
  EXPECT_EQ(pace.lbap().workahead, 60u);
  EXPECT_NEAR(pace.lbap().rate.perSecond(), 66, 1e-6);
}

TEST(ReadPace, TheHeaderTellsTheSumOfPicturesAndSound) {
  AVCodecParameters sound{};
  sound.sample_rate = 48000;
  sound.frame_size = 960;
  const FilmStream heard{1, AVMEDIA_TYPE_AUDIO, &sound, {0, 1}, 0};
  const FilmStream lines{2, AVMEDIA_TYPE_SUBTITLE, &sound, {0, 1}, 0};
  const auto cover = pictures({0, 1}, AV_DISPOSITION_ATTACHED_PIC);
  const auto sum = ReadPace::declaredBy({pictures({25, 1}), heard, heard, lines, cover});
  ASSERT_TRUE(sum.has_value());
  EXPECT_NEAR(sum->perSecond(), 125, 1e-3);
}

TEST(ReadPace, AHeaderThatLeavesAStreamOutTellsNothing) {
  AVCodecParameters sound{};
  sound.sample_rate = 48000;
  EXPECT_FALSE(ReadPace::declaredBy({pictures({25, 1}), {1, AVMEDIA_TYPE_AUDIO, &sound, {0, 1}, 0}}));
  EXPECT_FALSE(ReadPace::declaredBy({pictures({0, 1})}));
  EXPECT_FALSE(ReadPace::declaredBy({}));
}

TEST(ReadPace, AMeasuredRateReplacesOneThatIsNotDeclared) {
  ReadPace pace(kAhead);
  pace.begin({});
  EXPECT_GT(pace.lbap().rate.perSecond(), 0);
  read(pace, 2s, 100ms);
  ASSERT_TRUE(pace.rate().has_value());
  EXPECT_NEAR(pace.rate()->perSecond(), 10, 1e-6);
}

TEST(ReadPace, WhatIsReadAfterAnotherPartIsMeasuredByItself) {
  auto pace = paceOf(10);
  read(pace, 1s, 10ms);
  pace.flush();
  read(pace, 1s, 10ms, 100s);
  read(pace, 1s, 10ms, 200s);
  EXPECT_NEAR(pace.rate()->perSecond(), 10, 1e-6);
}

TEST(ReadPace, PacketsWithoutAnInstantCount) {
  auto pace = paceOf(10);
  for (Duration at = 0s; at <= 2s; at += 100ms) {
    pace.note(at);
    pace.note({});
  }
  EXPECT_NEAR(pace.rate()->perSecond(), 20, 1.01);
}

RC_GTEST_PROP(ReadPaceProperty, TheRateInForceIsWithinATenthOfTheFilms, ()) {
  const int declared = *rc::gen::inRange(1, 1000);
  const int actual = *rc::gen::inRange(5, 1000);
  auto pace = paceOf(declared);
  read(pace, 10s, Duration(1s) / actual);
  RC_ASSERT(std::abs(pace.rate()->perSecond() - actual) <= 0.12 * actual);
}

RC_GTEST_PROP(ReadPaceProperty, ARateDeclaredRightStands, ()) {
  const int actual = *rc::gen::inRange(20, 1000);
  auto pace = paceOf(actual);
  read(pace, 10s, Duration(1s) / actual);
  RC_ASSERT(*pace.rate() == Rate::perSecond(actual));
}

RC_GTEST_PROP(ReadPaceProperty, StreamsThatTakeTurnsAreMeasuredTogether, ()) {
  const auto turn = 20ms * *rc::gen::inRange(1, 25);
  auto pace = paceOf(500);
  for (Duration begin = 0s; begin < 20s; begin += turn) {  // sound, then the pictures of the same time
    for (Duration at = begin; at < begin + turn; at += 20ms) pace.note(at);
    for (Duration at = begin; at < begin + turn; at += 20ms) pace.note(at);
  }
  RC_ASSERT(std::abs(pace.rate()->perSecond() - 100) <= 30);
}

}  // namespace
}  // namespace tactus::plugins::av
