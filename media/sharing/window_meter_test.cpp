// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/window_meter.h"

#include <gtest/gtest.h>

#include <cmath>

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

  WindowMeter meter{LoadConstants{}};
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

TEST_F(WindowMeterTest, WhatOthersReferToIsDecodedAtAnyF) {
  figures.disposable = 0;
  looks(10);
  EXPECT_NEAR(meter.fixed(), 25 * 0.008 + 0.01, 1e-9);
  EXPECT_NEAR(meter.elastic(), 25 * 0.002, 1e-9);
}

TEST_F(WindowMeterTest, WhatTheSmallerSizeTakesFollowsFromItsPixelsUntilItIsSeen) {
  figures.sizes = LoadFigures::Sizes{.share = 0.25};
  looks(10);
  ASSERT_TRUE(meter.smaller());
  EXPECT_NEAR(meter.smaller()->at(1), 0.01 + 0.25 / 4, 1e-9);
  figures.sizes->smallerComes = true;
  looks(1);  // what was shown before it was still large
  looks(20);
  EXPECT_NEAR(meter.smaller()->at(1), 0.01 + 0.25, 1e-9) << "as much as it is seen to take";
  EXPECT_NEAR(meter.load(), 0.25, 1e-9) << "and the larger one as it was";
  figures.sizes.reset();
  looks(1);
  EXPECT_FALSE(meter.smaller());
}

TEST_F(WindowMeterTest, WhatTheLargerSizeTakesFollowsLikewise) {
  figures.sizes = LoadFigures::Sizes{.share = 0.25, .smallerComes = true};
  looks(10);
  EXPECT_NEAR(meter.smaller()->at(1), 0.01 + 0.25, 1e-9);
  EXPECT_NEAR(meter.load(), 1, 1e-9);
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
  for (int i = 0; i < 4; ++i) {
    figures.decode.cpuTime += 100ms;
    look();
    EXPECT_TRUE(meter.begins());
  }
  look();  // 800 ms after the first look at which it plays
  EXPECT_FALSE(meter.begins());
  EXPECT_FALSE(meter.isKnown(now));
  looks(4);  // 1.6 s
  EXPECT_TRUE(meter.isKnown(now));
  EXPECT_NEAR(meter.load(), 0.25, 1e-9);
}

TEST_F(WindowMeterTest, APausedFilmTakesNothingUnlessItAsksToPlay) {
  looks(10);
  figures.playing = false;
  look(0);
  EXPECT_EQ(meter.load(), 0);
  EXPECT_FALSE(meter.isKnown(now));
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
  EXPECT_EQ(meter.backlog(), 0);
}

TEST_F(WindowMeterTest, WorkIsMissingWhereADecoderIsBehindItsTurn) {
  figures.turn = 80ms;  // two pictures
  figures.ahead = 200ms;
  looks(5);
  EXPECT_EQ(meter.backlog(), 0);
  figures.ahead = 40ms;  // one picture of 8 ms, and showing it
  look();
  EXPECT_NEAR(meter.backlog(), 0.010, 1e-9);
  figures.ahead = -40ms;  // late by one more
  look();
  EXPECT_NEAR(meter.backlog(), 0.030, 1e-9);
  figures.buffering = true;
  look();
  EXPECT_EQ(meter.backlog(), 0);
}

TEST_F(WindowMeterTest, WhatIsMissingOfAThinnedFilmCostsWhatIsLeftOfIt) {
  figures.turn = 80ms;
  figures.ahead = 40ms;
  thinning.frequency = 0.5;
  looks(10);
  // Of 10 ms a picture 6 follow f: 40 ms are 0.04 * 25 * 7 ms.
  EXPECT_NEAR(meter.backlog(), 0.007, 1e-9);
}

TEST_F(WindowMeterTest, ASeekEmptiesWhatIsAheadAndThatIsNoBacklog) {
  figures.turn = 80ms;
  figures.ahead = 200ms;
  looks(5);
  figures.ahead.reset();
  ++figures.segments;
  look();
  EXPECT_EQ(meter.backlog(), 0);
  figures.ahead = 20ms;  // the display waits for the sound
  looks(3);
  EXPECT_EQ(meter.backlog(), 0);
  EXPECT_FALSE(meter.begins());
  look();
  EXPECT_NEAR(meter.backlog(), 0.015, 1e-9);
}

TEST_F(WindowMeterTest, AtTheFilmsEndNothingIsAheadAndThatIsNoBacklog) {
  figures.turn = 80ms;
  figures.ahead = 50ms;
  looks(8);
  EXPECT_GT(meter.backlog(), 0);
  figures.ahead.reset();
  look(0);
  EXPECT_EQ(meter.backlog(), 0);
}

TEST_F(WindowMeterTest, NoPacketsTurnIsBeforeItHasCome) {
  figures.turn = 80ms;
  figures.reach = 30ms;
  figures.ahead = 30ms;  // decoded as it comes
  looks(6);
  EXPECT_EQ(meter.backlog(), 0);
  EXPECT_EQ(meter.waiting(), 0);
  EXPECT_EQ(meter.stock(), 0);
  EXPECT_EQ(meter.largestStock(), 0);
  figures.ahead = -10ms;  // a picture of 10 ms has come, and waits
  look();
  EXPECT_NEAR(meter.backlog(), 0.010, 1e-9);
  EXPECT_NEAR(meter.waiting(), 0.010, 1e-9);
}

TEST_F(WindowMeterTest, WhatHasComeBeforeItsTurnWaitsAndIsNotMissing) {
  figures.turn = 80ms;
  figures.reach = 120ms;
  figures.ahead = 100ms;
  looks(6);
  EXPECT_EQ(meter.backlog(), 0);
  EXPECT_NEAR(meter.waiting(), 0.005, 1e-9);
  EXPECT_NEAR(meter.stock(), 0.020, 1e-9);
  EXPECT_NEAR(meter.largestStock(), 0.040, 1e-9);
}

TEST_F(WindowMeterTest, APauseOfTheSenderLeavesNothingUndone) {
  figures.turn = 80ms;
  figures.reach = -400ms;  // nothing has come for half a second
  figures.ahead = -400ms;
  looks(6);
  EXPECT_EQ(meter.backlog(), 0);
  EXPECT_EQ(meter.waiting(), 0);
}

TEST_F(WindowMeterTest, WhatIsWorkedOffNowAndThenDoesNotStand) {
  figures.turn = 80ms;
  figures.reach = 30ms;
  figures.ahead = -10ms;  // each picture waits 40 ms for its turn
  for (int i = 0; i < 20; ++i) {
    figures.caughtUp += i % 2;
    look();
    EXPECT_EQ(meter.standing(), 0);
  }
  EXPECT_NEAR(meter.waiting(), 0.010, 1e-9);
}

TEST_F(WindowMeterTest, TheLeastThatWaitedAllTheTimeStands) {
  figures.turn = 80ms;
  figures.reach = 30ms;
  figures.ahead = -10ms;
  looks(12);
  EXPECT_NEAR(meter.standing(), 0.010, 1e-9);
  figures.ahead = 10ms;
  look();
  figures.ahead = -90ms;
  look();
  EXPECT_NEAR(meter.standing(), 0.005, 1e-9);
  EXPECT_NEAR(meter.waiting(), 0.030, 1e-9);
  looks(12);
  EXPECT_NEAR(meter.standing(), 0.030, 1e-9);
  ++figures.caughtUp;
  look();
  EXPECT_EQ(meter.standing(), 0);
}

TEST_F(WindowMeterTest, OnTheLastRungWhatIsNeverThinnedOutGoesOn) {
  EXPECT_EQ(meter.keyframes(), 0);
  looks(10);
  EXPECT_NEAR(meter.keyframes(), 0.01, 1e-9);
}

TEST_F(WindowMeterTest, AFilmsSourceHasAllOfIt) {
  figures.turn = 80ms;
  figures.ahead = 40ms;
  looks(5);
  EXPECT_TRUE(std::isinf(meter.waiting()));
  EXPECT_TRUE(std::isinf(meter.standing()));
  EXPECT_TRUE(std::isinf(meter.largestStock()));
}

TEST_F(WindowMeterTest, SaysHowLongItsThreadsWaitedForAProcessor) {
  looks(2);
  for (int i = 0; i < 50; ++i) {
    figures.waited += 20ms;
    look();
  }
  EXPECT_NEAR(meter.waited(), 0.1, 1e-3);
}

}  // namespace
}  // namespace tactus::media
