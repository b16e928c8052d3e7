// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_meter.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

/// A film of 25 pictures a second, of which decoding takes 8 ms and showing 2 ms each, beside sound that
/// takes 1 % of a processor; half of the pictures need not be decoded.
class WindowMeterTest : public testing::Test {
 protected:
  WindowMeterTest() {
    figures.film = 1;
    figures.nominalRate = 25;
    figures.disposable = 0.5;
    figures.playing = true;
  }
  /// Pictures that are shown, some of them too late, in 200 ms, and a look.
  void look(std::uint64_t pictures = 5, std::uint64_t late = 0) {
    now += 200ms;
    figures.decode.completed += pictures;
    figures.decode.cpuTime += pictures * 8ms;
    figures.display.packets += pictures;
    figures.display.completed += pictures;
    figures.display.cpuTime += pictures * 2ms;
    figures.display.misses += late;
    figures.otherTime += 2ms;
    meter.look(figures, {now, 200ms, thinning, countsPaused, 5s});
  }
  void looks(int count, std::uint64_t pictures = 5) {
    for (int i = 0; i < count; ++i) look(pictures);
  }

  WindowMeter meter;
  LoadFigures figures;
  Thinning thinning;
  bool countsPaused = false;
  TimePoint now{100s};
};

TEST_F(WindowMeterTest, SaysWhatItTakesAndWhatOfThatFollowsF) {
  looks(10);
  EXPECT_NEAR(meter.load(), 0.25, 1e-9);
  EXPECT_NEAR(meter.elastic(), 25 * (0.5 * 0.008 + 0.002), 1e-9);
  EXPECT_NEAR(meter.display(), 0.05, 1e-9);
  EXPECT_NEAR(meter.used(), 0.25, 1e-9);
  EXPECT_NEAR(meter.other(), 0.01, 1e-9);
  EXPECT_NEAR(meter.shownRate(), 25, 1e-9);
}

TEST_F(WindowMeterTest, ThinnedOutItUsesLessAndWouldTakeAsMuch) {
  thinning.frequency = 0.4;
  looks(20, 2);
  EXPECT_NEAR(meter.load(), 0.25, 1e-9);
  EXPECT_NEAR(meter.used(), 0.1, 1e-9);
  EXPECT_NEAR(meter.shownRate(), 10, 1e-9);
}

TEST_F(WindowMeterTest, AnUnknownRateIsWhatIsShownAtThePresentF) {
  figures.nominalRate = 0;
  thinning.frequency = 0.4;
  looks(20, 2);
  EXPECT_NEAR(meter.load(), 0.25, 1e-9);
}

TEST_F(WindowMeterTest, KeyframesSayNothingOfWhatTheOtherPicturesCost) {
  looks(10);
  thinning = {0.2, true};
  for (int i = 0; i < 20; ++i) {
    figures.decode.cpuTime += 50ms;  // one large one
    look(1);
  }
  EXPECT_NEAR(meter.load(), 0.25, 1e-9);
}

TEST_F(WindowMeterTest, TheFirstPicturesAreForgotten) {
  for (int i = 0; i < 3; ++i) {
    figures.decode.cpuTime += 100ms;
    look();
    EXPECT_TRUE(meter.begins());
  }
  look();  // 600 ms after the first look at which it plays
  EXPECT_FALSE(meter.begins());
  EXPECT_FALSE(meter.isCostKnown());
  looks(2);
  EXPECT_TRUE(meter.isCostKnown());
  EXPECT_NEAR(meter.load(), 0.25, 1e-9);
}

TEST_F(WindowMeterTest, APausedFilmTakesNothingUnlessItAsksToPlay) {
  looks(10);
  figures.playing = false;
  look(0);
  EXPECT_EQ(meter.load(), 0);
  EXPECT_EQ(meter.played(now), 0ns);
  countsPaused = true;
  look(0);
  EXPECT_NEAR(meter.load(), 0.25, 1e-9);
}

TEST_F(WindowMeterTest, WhatHappensWhileItIsPausedIsNoMiss) {
  looks(10);
  figures.playing = false;
  look(0, 3);
  EXPECT_EQ(meter.within(5s, now).misses, 0u);
  EXPECT_EQ(meter.lastMiss(), TimePoint{});
}

TEST_F(WindowMeterTest, MissesAreRememberedForAsLongAsIsAsked) {
  looks(5);
  look(5, 2);
  const TimePoint missed = now;
  EXPECT_EQ(meter.within(1s, now).misses, 2u);
  EXPECT_EQ(meter.lastMiss(), missed);
  looks(5);
  EXPECT_EQ(meter.within(1s, now).misses, 0u);
  EXPECT_EQ(meter.within(5s, now).misses, 2u);
  meter.forgetMisses();
  EXPECT_EQ(meter.within(5s, now).misses, 0u);
  EXPECT_EQ(meter.lastMiss(), missed);
}

TEST_F(WindowMeterTest, ALookWithoutASpanTellsNoRates) {
  looks(5);
  figures.decode.cpuTime += 1s;
  meter.look(figures, {now, 0ns, thinning, false, 5s});
  EXPECT_NEAR(meter.used(), 0.25, 1e-9);
}

TEST_F(WindowMeterTest, AnotherFilmWhoseCountersBeginAtZeroBeginsFromNothing) {
  looks(20);
  figures = {};
  figures.nominalRate = 25;
  figures.film = 2;
  figures.playing = true;
  look();
  EXPECT_TRUE(meter.begins());
  EXPECT_EQ(meter.within(5s, now).shown, 0u);
  EXPECT_EQ(meter.stored(), 1);
}

TEST_F(WindowMeterTest, TheStoreIsMeasuredByTheFullestAndSaysNothingWhileTheSourceIsAwaited) {
  figures.ahead = 200ms;
  looks(5);
  EXPECT_NEAR(meter.stored(), 1, 1e-9);
  figures.ahead = 50ms;
  look();
  EXPECT_NEAR(meter.stored(), 0.25, 0.01);
  figures.ahead = -50ms;
  look();
  EXPECT_EQ(meter.stored(), 0);
  figures.buffering = true;
  look();
  EXPECT_EQ(meter.stored(), 1);
}

TEST_F(WindowMeterTest, ASeekEmptiesTheStoreAndThatIsNoShortage) {
  figures.ahead = 200ms;
  looks(5);
  figures.ahead.reset();
  ++figures.segments;
  look();
  EXPECT_EQ(meter.stored(), 1);
  figures.ahead = 200ms;
  look();
  figures.ahead = 20ms;  // the display waits for the sound
  look();
  EXPECT_EQ(meter.stored(), 1);
  figures.ahead = 200ms;
  looks(3);
  figures.ahead = 100ms;
  look();
  EXPECT_NEAR(meter.stored(), 0.5, 0.01);
}

TEST_F(WindowMeterTest, AtTheFilmsEndNothingIsAheadAndThatIsNoShortage) {
  figures.ahead = 200ms;
  looks(5);
  figures.ahead = 50ms;
  look();
  EXPECT_LT(meter.stored(), 0.5);
  figures.ahead.reset();
  look(0);
  EXPECT_EQ(meter.stored(), 1);
}

TEST_F(WindowMeterTest, MoreThanSevenPicturesAheadAreMissedOnlyByWhoHasBeenBehind) {
  thinning.frequency = 0.2;
  figures.ahead = 1s;  // five in the queue, one in 200 ms
  looks(5, 1);
  figures.ahead = 300ms;
  look(1);
  EXPECT_EQ(meter.stored(), 1);
  figures.ahead = 140ms;  // half of seven
  look(1);
  EXPECT_NEAR(meter.stored(), 0.5, 0.01);
  figures.decode.misses += 2;
  figures.ahead = 300ms;
  look(1);
  EXPECT_NEAR(meter.stored(), 0.3, 0.02);
  looks(60, 1);
  EXPECT_LT(meter.stored(), 0.5);
  looks(20, 1);
  EXPECT_EQ(meter.stored(), 1);
}

}  // namespace
}  // namespace tactus::media
