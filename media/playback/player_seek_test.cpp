// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <thread>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

using ::testing::ElementsAre;

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
    screen->forget();
  }
  /// The second picture comes so long after the first, and every other so long after the one before.
  void comesAfter(Duration first, Duration distance) {
    const auto seen = screen->seen();
    ASSERT_GT(seen.size(), 2u);
    EXPECT_EQ(seen[1].at - seen[0].at, first);
    for (std::size_t i = 2; i < seen.size(); ++i)
      EXPECT_EQ(seen[i].at - seen[i - 1].at, distance) << "at " << seen[i].number;
  }
};

TEST_F(SeekTest, AnExactSeekWhilePausedShowsTheVeryPicture) {
  openPaused();
  for (const int number : {60, 3, 99, 24, 25, 26, 0, 71}) {
    player->seek(middleOf(number), SeekMode::Exact);
    EXPECT_TRUE(screen->waitForNumber(number)) << number << " not " << screen->last();
  }
  EXPECT_THAT(screen->numbers(), ElementsAre(60, 3, 99, 24, 25, 26, 0, 71));
  EXPECT_EQ(player->state(), PlayState::Paused);
}

TEST_F(SeekTest, AnExactSeekWhilePlayingGoesOnFromTheVeryPicture) {
  holdAfter(5);
  open(numberedFilm(100));
  ASSERT_TRUE(clock.isHeld());
  EXPECT_EQ(screen->numbers(), upTo(6));
  screen->forget();
  player->seek(middleOf(80), SeekMode::Exact);
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), fromTo(80, 100));
  comesAfter(20ms, 40ms);  // it began in the middle of its picture
}

TEST_F(SeekTest, AFastSeekShowsAKeyframe) {
  openPaused();
  player->seek(middleOf(60), SeekMode::Fast);
  EXPECT_TRUE(screen->waitForNumber(50)) << screen->last();
}

TEST_F(SeekTest, OfManySeeksTheNewestWins) {
  openPaused();
  screen->grab();
  for (int number = 1; number < 90; ++number) player->seek(middleOf(number), SeekMode::Exact);
  screen->release();
  EXPECT_TRUE(screen->waitForNumber(89));
  EXPECT_THAT(screen->numbers(), ElementsAre(1, 89));
}

TEST_F(SeekTest, OffsetsAddUp) {
  openPaused();
  for (int i = 0; i < 5; ++i) player->seekBy(400ms, SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(50)) << screen->last();
  player->seekBy(-200ms, SeekMode::Exact);
  EXPECT_TRUE(screen->waitForNumber(45)) << screen->last();
}

TEST_F(SeekTest, PositionsAreClampedToTheFilm) {
  openPaused();
  player->seek(middleOf(40), SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(40));
  player->seek(-5s, SeekMode::Exact);
  EXPECT_TRUE(screen->waitForNumber(0));
  player->seek(1h, SeekMode::Exact);
  ASSERT_TRUE(eventually([&] { return player->position() > 3900ms; }));
  player->seek(middleOf(10), SeekMode::Exact);
  EXPECT_TRUE(screen->waitForNumber(10)) << screen->last();
}

TEST_F(SeekTest, OnTheWayToATargetOnlyPicturesThatOthersNeedAreDecoded) {
  openPaused();
  const std::uint64_t before = player->statistics().decoded;
  player->seek(middleOf(99), SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(99)) << screen->last();
  // Of 25 from the keyframe on about 9 are B-frames to which none refers.
  EXPECT_LT(player->statistics().decoded - before, 20u);
}

TEST_F(SeekTest, AFilmThatIsOpenedElsewhereShowsNothingBefore) {
  create();
  ASSERT_TRUE(player->open(numberedFilm(100).string(), false, middleOf(60)).ok());
  EXPECT_EQ(player->position(), middleOf(60)) << "at once";
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), fromTo(60, 100));
  comesAfter(20ms, 40ms);
}

TEST_F(SeekTest, AFilmThatIsOpenedElsewhereStandsThere) {
  create();
  ASSERT_TRUE(player->open(numberedFilm(100).string(), true, middleOf(60)).ok());
  ASSERT_TRUE(screen->waitForNumber(60));
  player->stepForward();
  EXPECT_TRUE(screen->waitForNumber(61));
  EXPECT_EQ(screen->numbers(), fromTo(60, 62));
}

TEST_F(SeekTest, ASeekWhileItIsOpenedElsewhereHolds) {
  create();
  ASSERT_TRUE(player->open(numberedFilm(100).string(), true, middleOf(60)).ok());
  player->seekBy(400ms, SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(70)) << screen->last();
}

TEST_F(SeekTest, TheStartPositionIsTheFirstToBeSeenMoving) {
  create();
  holdAfter(0);
  ASSERT_TRUE(player->open(numberedFilm(100).string()).ok());
  player->seek(middleOf(60), SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(60));
  clock.letGo();
  ASSERT_TRUE(ended());
  auto numbers = screen->numbers();
  if (numbers.front() == 0) numbers.erase(numbers.begin());  // it may have stood there before it heard of it
  EXPECT_EQ(numbers, fromTo(60, 100));
}

TEST_F(SeekTest, ThePositionIsThatOfThePicture) {
  openPaused();
  player->seek(middleOf(60), SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(60));
  ASSERT_TRUE(eventually([&] { return std::chrono::abs(player->position() - middleOf(60)) < 25ms; }))
      << player->position().count();
}

TEST_F(SeekTest, DoubleSpeedHalvesTheTime) {
  openPaused();
  player->setSpeed(2);
  ASSERT_TRUE(screen->waitForNumber(0));
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(100));
  comesAfter(20ms, 20ms);
  EXPECT_DOUBLE_EQ(player->speed(), 2);
}

TEST_F(SeekTest, AChangeOfSpeedKeepsThePosition) {
  holdAfter(30);
  open(numberedFilm(100));
  ASSERT_TRUE(clock.isHeld());
  screen->forget();
  player->setSpeed(0.5);
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), fromTo(30, 100));
  comesAfter(80ms, 80ms);
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
  ASSERT_TRUE(screen->waitForNumber(0));
  player->setNext(numberedFilm(100).string());
  player->play();
  ASSERT_TRUE(ended());
  auto expected = onTime(75, 20ms);
  std::ranges::copy(onTime(100, 20ms, 75 * 20ms), std::back_inserter(expected));
  auto seen = screen->seen();
  // The seek that brings the speed along shows the first picture anew.
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  EXPECT_EQ(seen, expected);
}

TEST_F(SeekTest, StepsGoFromPictureToPicture) {
  openPaused();
  player->seek(middleOf(48), SeekMode::Exact);
  ASSERT_TRUE(screen->waitForNumber(48));
  for (int number = 49; number < 55; ++number) {
    player->stepForward();
    EXPECT_TRUE(screen->waitForNumber(number)) << number << " not " << screen->last();
  }
  for (int number = 53; number > 46; --number) {
    player->stepBackward();
    EXPECT_TRUE(screen->waitForNumber(number)) << number << " not " << screen->last();
  }
  EXPECT_THAT(screen->numbers(), ElementsAre(48, 49, 50, 51, 52, 53, 54, 53, 52, 51, 50, 49, 48, 47));
}

TEST_F(SeekTest, AStepPausesFirst) {
  holdAfter(20);
  open(numberedFilm(100));
  ASSERT_TRUE(clock.isHeld());
  player->stepForward();
  clock.letGo();
  ASSERT_TRUE(recorder.waitForState(PlayState::Paused));
  EXPECT_TRUE(screen->waitForNumber(22));
  player->stepForward();
  EXPECT_TRUE(screen->waitForNumber(23));
  EXPECT_EQ(screen->numbers(), upTo(24));
}

TEST_F(SeekTest, ASeekAfterTheEndPlaysOn) {
  open(numberedFilm(25));
  ASSERT_TRUE(ended());
  screen->forget();
  player->seek(middleOf(15), SeekMode::Exact);
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return told.ended == 2; }));
  EXPECT_EQ(screen->numbers(), fromTo(15, 25));
}

TEST_F(SeekTest, ManySeeksWhilePlayingDoNotHang) {
  holdAfter(0);
  open(numberedFilm(100));
  for (int i = 0; i < 60; ++i) {
    holdAfter(i % 3);
    player->seek(middleOf((i * 37) % 90), i % 2 == 0 ? SeekMode::Exact : SeekMode::Fast);
    if (i % 7 == 0) player->togglePause();
    std::this_thread::sleep_for(std::chrono::milliseconds(i % 5 * 5));
  }
  player->play();
  player->seek(middleOf(90), SeekMode::Exact);
  clock.letGo();
  EXPECT_TRUE(ended());
  const auto numbers = screen->numbers();
  ASSERT_GE(numbers.size(), 10u);
  EXPECT_EQ(std::vector<int>(numbers.end() - 10, numbers.end()), fromTo(90, 100));
}

}  // namespace
}  // namespace tactus::media::testing
