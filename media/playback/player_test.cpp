// SPDX-License-Identifier: Apache-2.0
#include "media/playback/player.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <numeric>

#include "media/playback/player_fixture.h"
#include "media/playback/virtual_display.h"

namespace tactus::media::testing {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

TEST_F(PlayerTest, EveryPictureIsShownOnceAtItsInstant) {
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->seen(), onTime(75));
  const auto figures = player->statistics();
  EXPECT_EQ(figures.engine, "av");
  EXPECT_EQ(figures.decoded, 75u);
  EXPECT_EQ(figures.presented, 75u);
  EXPECT_DOUBLE_EQ(figures.nominalRate, 25);
  EXPECT_EQ(std::accumulate(figures.dropped.begin(), figures.dropped.end(), std::uint64_t{0}), 0u);
  EXPECT_EQ(player->state(), PlayState::Ended);
  EXPECT_EQ(recorder.ended, 1);
}

TEST_F(PlayerTest, TheVirtualDisplayShowsEveryPicture) {
  createFor(createVirtualDisplay(), recorder);
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  EXPECT_EQ(player->statistics().presented, 75u);
}

TEST_F(PlayerTest, KnowsWhereTheTimeBeforeTheFirstPictureWent) {
  open(numberedFilm(75));
  ASSERT_TRUE(eventually([&] { return player->statistics().start.firstShown.has_value(); }));
  const StartTimes start = player->statistics().start;
  ASSERT_TRUE(start.typeFound && start.decoderReady && start.firstDecoded);
  EXPECT_LE(*start.typeFound, *start.decoderReady);
  EXPECT_LE(*start.decoderReady, *start.firstDecoded);
  EXPECT_LE(*start.firstDecoded, *start.firstShown);
}

TEST_F(PlayerTest, OpensPausedOnTheFirstPicture) {
  open(numberedFilm(75), true);
  EXPECT_TRUE(screen->waitForNumber(0));
  EXPECT_EQ(player->state(), PlayState::Paused);
  EXPECT_FALSE(recorder.waitForState(PlayState::Playing, 100ms));
  EXPECT_EQ(screen->numbers(), upTo(1));
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->seen(), onTime(75));
}

TEST_F(PlayerTest, PausesAndGoesOnWhereItWas) {
  holdAfter(20);
  open(numberedFilm(75));
  ASSERT_TRUE(clock.isHeld());
  EXPECT_EQ(screen->numbers(), upTo(21));
  player->pause();
  ASSERT_TRUE(recorder.waitForState(PlayState::Paused));
  clock.letGo();
  EXPECT_FALSE(recorder.waitForState(PlayState::Playing, 100ms));
  EXPECT_EQ(screen->numbers(), upTo(22)) << "what waited for its instant is what it stands on";
  player->togglePause();
  ASSERT_TRUE(ended());
  auto expected = onTime(75);
  expected[21].at -= 40ms;
  EXPECT_EQ(screen->seen(), expected);
}

TEST_F(PlayerTest, PlayAfterTheEndBeginsAnew) {
  open(numberedFilm(25));
  ASSERT_TRUE(ended());
  screen->forget();
  player->play();
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return told.ended == 2; }));
  EXPECT_EQ(screen->numbers(), upTo(25));
}

TEST_F(PlayerTest, NothingIsShownAfterAStop) {
  for (int round = 0; round < 5; ++round) {
    holdAfter(10);
    open(numberedFilm(100));
    ASSERT_TRUE(clock.isHeld());
    player->stop();
    EXPECT_EQ(player->state(), PlayState::Idle);
    const auto shown = screen->numbers();
    EXPECT_THAT(shown, AnyOf(upTo(11), upTo(12)));  // the last may have waited for its instant
    clock.letGo();
    EXPECT_FALSE(screen->waitForNumber(12, 20ms));
    EXPECT_EQ(screen->numbers(), shown);
    screen->forget();
  }
}

TEST_F(PlayerTest, OpensOneFilmAfterTheOther) {
  holdAfter(10);
  open(numberedFilm(75));
  ASSERT_TRUE(clock.isHeld());
  EXPECT_EQ(screen->numbers(), upTo(11));
  open(plainFilm(2));
  ASSERT_TRUE(clock.isHeld());
  screen->forget();
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(recorder.ended, 1);
  EXPECT_EQ(player->info().title, "plain2.mp4");
  EXPECT_EQ(player->statistics().decoded, 60u);
  EXPECT_EQ(screen->numbers().size(), 59u) << "the first was shown before";
}

TEST_F(PlayerTest, TheNextItemFollowsWithoutAGap) {
  holdAfter(0);
  open(numberedFilm(75));
  player->setNext(numberedFilm(25).string());
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(recorder.ended, 1);
  ASSERT_EQ(recorder.nextItems.size(), 1u);
  EXPECT_THAT(recorder.nextItems.front(), HasSubstr("numbered25.mkv"));
  EXPECT_EQ(player->info().title, "numbered25.mkv");
  auto expected = onTime(75);
  std::ranges::copy(onTime(25, 40ms, 75 * 40ms), std::back_inserter(expected));
  EXPECT_EQ(screen->seen(), expected);
}

TEST_F(PlayerTest, TheNextItemFollowsEvenIfItIsNamedInTheLastMoment) {
  holdAfter(20);
  open(numberedFilm(25));
  ASSERT_TRUE(clock.isHeld());
  player->setNext(plainFilm(2).string());
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(recorder.ended, 1);
  EXPECT_EQ(recorder.nextItems.size(), 1u);
  EXPECT_EQ(player->info().title, "plain2.mp4");
  EXPECT_EQ(screen->numbers().size(), 25u + 60u);
}

TEST_F(PlayerTest, VolumeIsClamped) {
  create();
  player->setVolume(0.5);
  EXPECT_DOUBLE_EQ(player->volume(), 0.5);
  player->setVolume(7);
  EXPECT_DOUBLE_EQ(player->volume(), 1.3);
  player->setVolume(-1);
  EXPECT_DOUBLE_EQ(player->volume(), 0);
  player->setMuted(true);
  EXPECT_TRUE(player->muted());
}

TEST_F(PlayerTest, EveryCallIsHarmlessWithNothingOpen) {
  create();
  player->play();
  player->pause();
  player->seek(1s, SeekMode::Exact);
  player->seekBy(1s, SeekMode::Fast);
  player->stepForward();
  player->stepBackward();
  player->setSpeed(2);
  player->selectTrack(TrackKind::Audio, 3);
  player->setSubtitleDelay(1s);
  player->stop();
  EXPECT_FALSE(player->addSubtitles("/nowhere.srt").ok());
  EXPECT_EQ(player->state(), PlayState::Idle);
  EXPECT_EQ(player->position(), Duration{0});
  EXPECT_EQ(player->statistics().decoded, 0u);
}

TEST_F(PlayerTest, AListenerMayCallThePlayer) {
  struct Caller final : PlayerListener {
    void onState(PlayState state) override {
      if (player == nullptr) return;
      (void)player->info();
      if (state == PlayState::Playing && !std::exchange(paused, true)) player->pause();
      if (state == PlayState::Paused) seenPaused.store(true);
    }
    void onInfo(const MediaInfo&) override {}
    void onBuffering(int) override {}
    void onError(const Error&) override {}
    void onWarning(const std::string&) override {}
    void onNextItem(const std::string&) override {}
    void onEnded() override {}
    Player* player = nullptr;
    bool paused = false;
    std::atomic<bool> seenPaused{false};
  } caller;
  createFor(screen, caller);
  caller.player = player.get();
  clock.holdAt(0s);
  ASSERT_TRUE(player->open(numberedFilm(75).string()).ok());
  EXPECT_TRUE(eventually([&] { return caller.seenPaused.load(); }));
  player.reset();
}

TEST_F(PlayerTest, AListenerMayUndoWhatItHears) {
  struct Restless final : PlayerListener {
    void onState(PlayState state) override {
      if (player.load() == nullptr) return;
      if (state == PlayState::Playing && pauses++ < 3) player.load()->pause();
      if (state == PlayState::Paused) player.load()->play();
    }
    void onInfo(const MediaInfo&) override {}
    void onBuffering(int) override {}
    void onError(const Error&) override {}
    void onWarning(const std::string&) override {}
    void onNextItem(const std::string&) override {}
    void onEnded() override { ended.store(true); }
    std::atomic<Player*> player{nullptr};
    int pauses = 0;
    std::atomic<bool> ended{false};
  } restless;
  createFor(screen, restless);
  restless.player = player.get();
  ASSERT_TRUE(player->open(numberedFilm(75).string()).ok());
  EXPECT_TRUE(eventually([&] { return restless.ended.load(); }));
  player.reset();
  EXPECT_EQ(screen->numbers(), upTo(75));
}

}  // namespace
}  // namespace tactus::media::testing
