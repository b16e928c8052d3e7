// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/film_times.h"

#include <gtest/gtest.h>

namespace tactus::plugins::av {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;

constexpr int kPictures = 0, kSound = 1, kText = 2;

/// Places `seconds` of pictures (25 a second) and sound (each 20 ms) whose stamps begin at `from`. The sound
/// of each 40 ms comes after the picture.
Duration place(FilmTimes& times, Duration from, int seconds) {
  Duration last{0};
  for (Duration at{0}; at < seconds * 1s; at += 40ms) {
    last = from + at + times.offset(kPictures, from + at, 40ms);
    (void)times.offset(kSound, from + at, 20ms);
    (void)times.offset(kSound, from + at + 20ms, 20ms);
  }
  return last;
}

TEST(FilmTimes, CountFromTheFilmsBeginning) {
  FilmTimes times(1400ms, true);
  EXPECT_EQ(times.offset(kPictures, 1480ms, 40ms), -1400ms);
  EXPECT_EQ(times.offset(kPictures, std::nullopt, 40ms), -1400ms);
  EXPECT_EQ(place(times, 1400ms, 4), 3960ms);
  EXPECT_EQ(times.parts(), 1u);
}

TEST(FilmTimes, WhatBeginsAnewFollows) {
  FilmTimes times(1s, true);
  EXPECT_EQ(place(times, 1s, 4), 3960ms);
  EXPECT_EQ(place(times, 1s, 4), 7960ms);
  EXPECT_EQ(times.parts(), 2u);
  EXPECT_EQ(place(times, 0s, 4), 11960ms);
  EXPECT_EQ(place(times, 100s, 4), 15960ms) << "a leap forwards is a new part as well";
}

TEST(FilmTimes, WhatIsLeftOfTheOldPartKeepsItsPlace) {
  FilmTimes times(0s, true);
  (void)place(times, 0s, 4);
  EXPECT_EQ(times.offset(kPictures, 0s, 40ms), 4s) << "the new part's first picture";
  EXPECT_EQ(times.offset(kSound, 4s, 20ms), 0s) << "the old one's last sound";
  EXPECT_EQ(times.offset(kSound, 0s, 20ms), 4s);
  EXPECT_EQ(times.parts(), 2u);
}

TEST(FilmTimes, ALineOfTextIsOfThePartThatIsNear) {
  FilmTimes times(0s, true);
  EXPECT_EQ(times.offset(kText, 500ms, 1s), 0s);
  (void)place(times, 0s, 4);
  (void)place(times, 0s, 3);
  EXPECT_EQ(times.offset(kText, 2500ms, 1s), 4s);
  EXPECT_EQ(times.parts(), 2u);
}

TEST(FilmTimes, ReorderedStampsAndShortGapsAreNoNewPart) {
  FilmTimes times(0s, true);
  for (const Duration at : {0ms, 120ms, 40ms, 80ms, 9000ms, 18900ms})
    EXPECT_EQ(times.offset(kPictures, at, 40ms), 0s);
}

TEST(FilmTimes, WhereStampsDoNotJumpTheyAreBelieved) {
  FilmTimes times(0s, false);
  for (const Duration at : {0s, 100s, 3s}) EXPECT_EQ(times.offset(kPictures, at, 40ms), 0s);
}

TEST(FilmTimes, AfterASeekThePartIsTheOneSought) {
  FilmTimes times(0s, true);
  (void)place(times, 0s, 4);
  (void)place(times, 0s, 4);
  times.resume(0);
  EXPECT_EQ(times.offset(kPictures, 2s, 40ms), 0s);
  EXPECT_EQ(times.part(), 0u);
  times.resume(1);
  EXPECT_EQ(times.offset(kPictures, 2s, 40ms), 4s);
  EXPECT_EQ(times.offset(kSound, 2s, 20ms), 4s);
  EXPECT_EQ(times.part(), 1u);
}

}  // namespace
}  // namespace tactus::plugins::av
