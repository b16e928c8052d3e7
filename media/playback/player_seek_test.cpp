// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <thread>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

using periodic::MonotonicClock;
using ::testing::AnyOf;

/// The instant in the middle of a picture of numberedFilm().
Duration middleOf(int number) {
  return 40ms * number + 20ms;
}

class SeekTest : public PlayerTest {
 protected:
  /// Prerolled, paused and quiet.
  void openPaused(int frames = 100) {
    open(numberedFilm(frames), true);
    ASSERT_TRUE(screen->waitForNumber(0));
    ASSERT_TRUE(eventually([&] { return player->info().duration.has_value(); }));
  }
};

TEST_F(SeekTest, AnExactSeekWhilePausedShowsTheVeryPicture) {
  openPaused();
  for (const int number : {60, 3, 99, 24, 25, 26, 0, 71}) {
    player->seek(middleOf(number), SeekMode::Exact);
    EXPECT_TRUE(screen->waitForNumber(number, 5s)) << number << " not " << screen->last();
  }
  EXPECT_EQ(player->state(), PlayState::Paused);
}

TEST_F(SeekTest, AnExactSeekWhilePlayingGoesOnFromTheVeryPicture) {
  open(numberedFilm(100));
  ASSERT_TRUE(screen->waitForNumber(5));
  screen->forget();
  player->seek(middleOf(80), SeekMode::Exact);
  ASSERT_TRUE(ended());
  auto numbers = screen->numbers();
  numbers.erase(numbers.begin(), std::find(numbers.begin(), numbers.end(), 80));
  ASSERT_EQ(numbers.size(), 20u);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(numbers[static_cast<std::size_t>(i)], 80 + i);
}

TEST_F(SeekTest, AFastSeekShowsAKeyframe) {
  openPaused();
  player->seek(middleOf(60), SeekMode::Fast);
  EXPECT_TRUE(screen->waitForNumber(50, 5s)) << screen->last();
}

TEST_F(SeekTest, OfManySeeksTheNewestWins) {
  openPaused();
  for (int number = 1; number < 90; ++number) player->seek(middleOf(number), SeekMode::Exact);
  EXPECT_TRUE(screen->waitForNumber(89));
  EXPECT_LT(screen->shown(), 60u) << "all of them were carried out";
}

TEST_F(SeekTest, OffsetsAddUp) {
  openPaused();
  for (int i = 0; i < 5; ++i) player->seekBy(400ms, SeekMode::Exact);
  ASSERT_TRUE(eventually([&] { return screen->last() == 50; }, 5s)) << screen->last();
  player->seekBy(-200ms, SeekMode::Exact);
  EXPECT_TRUE(screen->waitForNumber(45, 5s)) << screen->last();
}

TEST_F(SeekTest, PositionsAreClampedToTheFilm) {
  openPaused();
  player->seek(middleOf(40), SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(40));
  player->seek(-5s, SeekMode::Exact);
  EXPECT_TRUE(screen->waitForNumber(0, 5s));
  player->seek(1h, SeekMode::Exact);
  ASSERT_TRUE(eventually([&] { return player->position() > 3900ms; }, 5s));
  player->seek(middleOf(10), SeekMode::Exact);
  EXPECT_TRUE(screen->waitForNumber(10, 5s)) << screen->last();
}

TEST_F(SeekTest, TheStartPositionIsTheFirstToBeSeenMoving) {
  create();
  ASSERT_TRUE(player->open(numberedFilm(100).string()).ok());
  player->seek(middleOf(60), SeekMode::Exact);
  ASSERT_TRUE(ended());
  const auto numbers = screen->numbers();
  const auto start = std::find(numbers.begin(), numbers.end(), 60);
  ASSERT_NE(start, numbers.end());
  EXPECT_LE(start - numbers.begin(), 1) << "at most the preroll comes before";
  EXPECT_EQ(numbers.back(), 99);
}

TEST_F(SeekTest, ThePositionIsThatOfThePicture) {
  openPaused();
  player->seek(middleOf(60), SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(60));
  ASSERT_TRUE(eventually([&] { return std::chrono::abs(player->position() - middleOf(60)) < 25ms; }, 5s))
      << player->position().count();
}

TEST_F(SeekTest, DoubleSpeedHalvesTheTime) {
  openPaused();
  player->setSpeed(2);
  player->play();
  ASSERT_TRUE(screen->waitForNumber(5));
  const auto begin = MonotonicClock::now();
  ASSERT_TRUE(ended());
  const double took = std::chrono::duration<double>(MonotonicClock::now() - begin).count();
  EXPECT_NEAR(took, (100 - 5) / 25.0 / 2, 0.4);
  EXPECT_GE(screen->shown(), 95u) << "pictures are not left out";
  EXPECT_DOUBLE_EQ(player->speed(), 2);
}

TEST_F(SeekTest, AChangeOfSpeedKeepsThePosition) {
  open(numberedFilm(100));
  ASSERT_TRUE(screen->waitForNumber(30));
  screen->forget();
  player->setSpeed(0.5);
  ASSERT_TRUE(screen->waitForNumber(38));
  for (const auto& picture : screen->seen())
    EXPECT_THAT(picture.number, ::testing::AllOf(::testing::Ge(28), ::testing::Le(38)));
  const auto begin = MonotonicClock::now();
  ASSERT_TRUE(screen->waitForNumber(48));
  const double took = std::chrono::duration<double>(MonotonicClock::now() - begin).count();
  EXPECT_NEAR(took, 10 / 25.0 * 2, 0.2);
}

TEST_F(SeekTest, TheSpeedIsClamped) {
  openPaused();
  player->setSpeed(99);
  EXPECT_DOUBLE_EQ(player->speed(), 4);
  player->setSpeed(0);
  EXPECT_DOUBLE_EQ(player->speed(), 0.25);
}

TEST_F(SeekTest, TheSpeedHoldsForTheNextItem) {
  openPaused(75);
  player->setSpeed(2);
  player->setNext(numberedFilm(100).string());
  player->play();
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return !told.nextItems.empty(); }));
  screen->forget();
  ASSERT_TRUE(screen->waitForNumber(20));
  const auto begin = MonotonicClock::now();
  ASSERT_TRUE(screen->waitForNumber(70));
  EXPECT_NEAR(std::chrono::duration<double>(MonotonicClock::now() - begin).count(), 1, 0.3);
}

TEST_F(SeekTest, SoundAlonePlaysOnAtDoubleSpeed) {
  open(film("sound4.mka", {"-f", "lavfi", "-i", "sine=440:r=48000:d=4", "-c:a", "flac"}));
  player->setSpeed(2);
  ASSERT_TRUE(ended());
  EXPECT_EQ(player->state(), PlayState::Ended);
}

TEST_F(SeekTest, StepsGoFromPictureToPicture) {
  openPaused();
  player->seek(middleOf(48), SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(48));
  for (int number = 49; number < 55; ++number) {
    player->stepForward();
    EXPECT_TRUE(screen->waitForNumber(number, 5s)) << number << " not " << screen->last();
  }
  for (int number = 53; number > 46; --number) {
    player->stepBackward();
    EXPECT_TRUE(screen->waitForNumber(number, 5s)) << number << " not " << screen->last();
  }
}

TEST_F(SeekTest, AStepPausesFirst) {
  open(numberedFilm(100));
  ASSERT_TRUE(screen->waitForNumber(20));
  player->stepForward();
  ASSERT_TRUE(recorder.waitForState(PlayState::Paused));
  std::this_thread::sleep_for(300ms);
  const int at = screen->last();
  EXPECT_THAT(at, ::testing::AllOf(::testing::Ge(20), ::testing::Le(25)));
  player->stepForward();
  EXPECT_TRUE(screen->waitForNumber(at + 1, 5s)) << screen->last();
}

TEST_F(SeekTest, ASeekAfterTheEndPlaysOn) {
  open(numberedFilm(25));
  ASSERT_TRUE(ended());
  screen->forget();
  player->seek(middleOf(15), SeekMode::Exact);
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return told.ended == 2; }));
  EXPECT_EQ(screen->last(), 24);
  EXPECT_EQ(screen->numbers().front(), 15);
}

TEST_F(SeekTest, ManySeeksWhilePlayingDoNotHang) {
  open(numberedFilm(100));
  for (int i = 0; i < 60; ++i) {
    player->seek(middleOf((i * 37) % 90), i % 2 == 0 ? SeekMode::Exact : SeekMode::Fast);
    if (i % 7 == 0) player->togglePause();
    std::this_thread::sleep_for(15ms);
  }
  player->play();
  player->seek(middleOf(90), SeekMode::Exact);
  EXPECT_TRUE(ended());
}

}  // namespace
}  // namespace tactus::media::testing
