// SPDX-License-Identifier: Apache-2.0
// Films that follow each other in one pipeline, and those that need one of their own.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class FollowingTest : public PlayerTest {
 protected:
  /// Pictures 0 to `first` of one film, then of the other, each in its time.
  static std::vector<NumberReader::Seen> both(int first, int second) {
    auto expected = onTime(first);
    std::ranges::copy(onTime(second, 40ms, first * 40ms), std::back_inserter(expected));
    return expected;
  }
  /// Whether the item was opened for itself, and not gone on with.
  [[nodiscard]] bool openedAnew() const { return player->statistics().start.typeFound.has_value(); }
  [[nodiscard]] bool waitForNext(std::size_t items = 1) {
    return recorder.waitFor([=](const Recorder& told) { return told.nextItems.size() == items; });
  }
};

TEST_F(FollowingTest, ThePipelineGoesOnWithTheNextFilm) {
  holdAfter(0);
  open(numberedFilm(75));
  EXPECT_TRUE(openedAnew());
  player->setNext(numberedFilm(50).string());
  clock.letGo();
  ASSERT_TRUE(waitForNext());
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->seen(), both(75, 50));
  EXPECT_FALSE(openedAnew());
  const auto statistics = player->statistics();
  EXPECT_EQ(statistics.presented, 50u);
  EXPECT_EQ(statistics.decoded, 50u);
  EXPECT_EQ(player->info().title, "numbered50.mkv");
  EXPECT_EQ(player->info().duration, 2s);
  EXPECT_EQ(player->position(), 2s);
}

TEST_F(FollowingTest, FilmsOfOtherFormatsFollowAsWell) {
  holdAfter(0);
  open(numberedFilm(50));
  player->setNext(plainFilm(2).string());  // another size, rate and container
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_THAT(screen->numbers(), SizeIs(50 + 60));
  EXPECT_FALSE(openedAnew());
  EXPECT_EQ(player->statistics().decoded, 60u);
  EXPECT_NEAR(player->info().frameRate, 30, 0.01);
}

TEST_F(FollowingTest, ManyFollowEachOther) {
  holdAfter(0);
  open(numberedFilm(50));
  const std::vector<int> pictures{75, 50, 25};
  for (std::size_t item = 0; item < pictures.size(); ++item) {
    player->setNext(numberedFilm(pictures[item]).string());
    holdAfter(std::array{60, 75, 50}[item]);  // a few pictures into it
    ASSERT_TRUE(waitForNext(item + 1));
    EXPECT_FALSE(openedAnew()) << item;
  }
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_THAT(screen->numbers(), SizeIs(50 + 75 + 50 + 25));
  EXPECT_EQ(recorder.ended, 1);
}

/// Two films of sound and pictures, with chapters and subtitles of their own.
TEST_F(FollowingTest, WhatIsKnownOfAFilmIsItsOwn) {
  holdAfter(0);
  open(manyTracks());
  ASSERT_TRUE(eventually([&] { return player->info().chapters.size() == 3; }));
  player->setNext(numberedFilm(25).string());
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_FALSE(openedAnew());
  const MediaInfo info = player->info();
  EXPECT_THAT(info.chapters, SizeIs(0));
  EXPECT_THAT(info.subtitles, SizeIs(0));
  EXPECT_THAT(info.audio, SizeIs(1));
  EXPECT_EQ(info.title, "numbered25.mkv");
}

TEST_F(FollowingTest, ASeekBackFromTheVeryEndStaysInTheFilm) {
  holdAfter(73);
  open(numberedFilm(75));
  player->setNext(numberedFilm(50).string());
  ASSERT_TRUE(screen->waitForNumber(72));
  for (int i = 0; i < 20; ++i) {  // pads are at the end, or beyond it, or not yet
    player->seek(60 * 40ms + 20ms, SeekMode::Exact);
    ASSERT_TRUE(screen->waitForNumber(60)) << i;
    const int last = 64 + i % 8;
    holdAfter(last - 60 + 1);
    ASSERT_TRUE(screen->waitForNumber(last)) << i;
    EXPECT_EQ(player->info().title, "numbered75.mkv");
  }
  screen->forget();
  clock.letGo();
  ASSERT_TRUE(ended());
  auto numbers = screen->numbers();
  EXPECT_THAT(recorder.nextItems, SizeIs(1));
  const auto second = upTo(50);
  ASSERT_GT(numbers.size(), 50u);
  EXPECT_TRUE(std::equal(second.rbegin(), second.rend(), numbers.rbegin()));
  EXPECT_EQ(numbers[numbers.size() - 51], 74);
}

TEST_F(FollowingTest, SeeksInTheNextFilmAreItsOwn) {
  holdAfter(0);
  open(numberedFilm(50));
  player->setNext(numberedFilm(75).string());
  holdAfter(60);
  ASSERT_TRUE(waitForNext());
  player->pause();
  screen->forget();
  player->seek(20 * 40ms + 20ms, SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(20));
  screen->forget();
  clock.letGo();
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_THAT(screen->numbers(), AnyOf(fromTo(20, 75), fromTo(21, 75)));
}

TEST_F(FollowingTest, WhatWasToFollowCanBeTakenBackAndExchanged) {
  holdAfter(40);
  open(numberedFilm(50));
  player->setNext(numberedFilm(75).string());
  ASSERT_TRUE(screen->waitForNumber(39));
  player->setNext(numberedFilm(25).string());
  player->setNext("");
  player->setNext(numberedFilm(100).string());
  player->setNext(numberedFilm(25).string());
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers().size(), 50u + 25u);
  screen->forget();
  recorder.ended = 0;
  holdAfter(40);
  open(numberedFilm(50));
  player->setNext(numberedFilm(75).string());
  ASSERT_TRUE(screen->waitForNumber(39));
  player->setNext("");
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(50));
}

TEST_F(FollowingTest, AFilmWithoutSoundNeedsAPipelineOfItsOwn) {
  holdAfter(0);
  open(numberedFilm(50));
  player->setNext(numberedPictures(25).string());
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_TRUE(openedAnew());
  auto expected = upTo(50);
  std::ranges::copy(upTo(25), std::back_inserter(expected));
  EXPECT_EQ(screen->numbers(), expected);
  EXPECT_EQ(player->statistics().decoded, 25u);
}

TEST_F(FollowingTest, WhatIsNoFilmIsRefusedOnceTheOneBeforeIsOver) {
  holdAfter(0);
  open(numberedFilm(50));
  player->setNext(fileOf("no-film.mkv", std::string(5000, 'x')).string());
  clock.letGo();
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return !told.errors.empty(); }));
  EXPECT_EQ(screen->numbers(), upTo(50));
  EXPECT_THAT(recorder.errors[0].message, HasSubstr("no-film.mkv"));
}

TEST_F(FollowingTest, AStepGoesFromOneFilmIntoTheOther) {
  holdAfter(48);
  open(numberedFilm(50));
  player->setNext(numberedFilm(25).string());
  ASSERT_TRUE(screen->waitForNumber(47));
  player->pause();
  ASSERT_TRUE(recorder.waitForState(PlayState::Paused));
  clock.letGo();
  const auto number = [&] { return screen->last(); };
  for (int steps = 0; steps < 60 && recorder.nextItems.empty(); ++steps) {
    const int before = number();
    player->stepForward();
    ASSERT_TRUE(eventually([&] { return number() != before; }));
  }
  ASSERT_TRUE(waitForNext());
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->last(), 24);
}

TEST_F(FollowingTest, ThinningHoldsOn) {
  create();
  player->setThinning({.frequency = 0.5});
  holdAfter(0);
  open(numberedFilm(50));
  player->setNext(numberedFilm(100).string());
  clock.letGo();
  ASSERT_TRUE(waitForNext());
  player->setThinning({.frequency = 0.25});
  ASSERT_TRUE(ended());
  EXPECT_LT(player->statistics().presented, 60u);
  EXPECT_GT(player->statistics().presented, 20u);
}

}  // namespace
}  // namespace tactus::media::testing
