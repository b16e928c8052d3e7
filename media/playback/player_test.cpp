// SPDX-License-Identifier: Apache-2.0
#include "media/playback/player.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <thread>

#include "media/playback/player_fixture.h"
#include "media/playback/virtual_display.h"

namespace tactus::media::testing {
namespace {

using periodic::MonotonicClock;
using ::testing::HasSubstr;

std::vector<int> upTo(int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

TEST_F(PlayerTest, EveryPictureIsShownOnceAndInOrder) {
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(75));
  const auto figures = player->statistics();
  EXPECT_EQ(figures.engine, "playbin");
  EXPECT_EQ(figures.decoded, 75u);
  EXPECT_EQ(figures.presented, 75u);
  EXPECT_DOUBLE_EQ(figures.nominalRate, 25);
  EXPECT_EQ(std::accumulate(figures.dropped.begin(), figures.dropped.end(), std::uint64_t{0}), 0u);
  EXPECT_EQ(player->state(), PlayState::Ended);
  EXPECT_EQ(recorder.ended, 1);
}

TEST_F(PlayerTest, PicturesComeAtTheFilmsRate) {
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  const auto seen = screen->seen();
  ASSERT_EQ(seen.size(), 75u);
  EXPECT_NEAR(periodic::inSeconds(seen.back().at - seen[5].at), 69 / 25.0, 0.1);
}

TEST_F(PlayerTest, TheVirtualDisplayShowsEveryPicture) {
  auto made = Player::create({}, *scheduler, createVirtualDisplay(), recorder);
  ASSERT_TRUE(made.ok());
  player = std::move(made).value();
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  ASSERT_TRUE(eventually([&] { return player->statistics().presented >= 74; }, 1s))
      << player->statistics().presented;
  EXPECT_LE(player->statistics().presented, 75u);
}

TEST_F(PlayerTest, SaysWhatPlays) {
  open(numberedFilm(75));
  ASSERT_TRUE(eventually([&] { return player->info().duration.has_value() && player->info().width > 0; }));
  const MediaInfo info = player->info();
  EXPECT_EQ(info.title, "numbered75.mkv");
  EXPECT_NEAR(periodic::inSeconds(*info.duration), 3, 0.1);
  EXPECT_TRUE(info.seekable);
  EXPECT_FALSE(info.live);
  EXPECT_TRUE(info.hasVideo);
  EXPECT_TRUE(info.hasAudio);
  EXPECT_EQ(info.width, 320);
  EXPECT_EQ(info.height, 240);
  EXPECT_DOUBLE_EQ(info.frameRate, 25);
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
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(screen->numbers(), upTo(1));
  EXPECT_EQ(player->state(), PlayState::Paused);
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->last(), 74);
}

TEST_F(PlayerTest, PausesAndGoesOnWhereItWas) {
  open(numberedFilm(75));
  ASSERT_TRUE(screen->waitForNumber(20));
  player->pause();
  ASSERT_TRUE(recorder.waitForState(PlayState::Paused));
  std::this_thread::sleep_for(200ms);
  const int at = screen->last();
  std::this_thread::sleep_for(300ms);
  EXPECT_EQ(screen->last(), at);
  player->togglePause();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(75));
}

TEST_F(PlayerTest, PlayAfterTheEndBeginsAnew) {
  open(numberedFilm(25));
  ASSERT_TRUE(ended());
  screen->forget();
  player->play();
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return told.ended == 2; }));
  EXPECT_EQ(screen->numbers(), upTo(25));
}

TEST_F(PlayerTest, StopsAtOnceWhileTheGatesWait) {
  open(numberedFilm(100));
  for (int round = 0; round < 5; ++round) {
    ASSERT_TRUE(screen->waitForNumber(10));
    const auto begin = MonotonicClock::now();
    player->stop();
    EXPECT_LT(periodic::inSeconds(MonotonicClock::now() - begin), 0.2);
    EXPECT_EQ(player->state(), PlayState::Idle);
    screen->forget();
    open(numberedFilm(100));
  }
}

TEST_F(PlayerTest, OpensOneFilmAfterTheOther) {
  open(numberedFilm(75));
  ASSERT_TRUE(screen->waitForNumber(10));
  screen->forget();
  open(plainFilm(2));
  ASSERT_TRUE(ended());
  EXPECT_EQ(recorder.ended, 1);
  EXPECT_EQ(player->info().title, "plain2.mp4");
  EXPECT_EQ(player->statistics().decoded, 60u);
}

TEST_F(PlayerTest, TheNextItemFollowsWithoutAGap) {
  open(numberedFilm(75));
  player->setNext(numberedFilm(25).string());
  ASSERT_TRUE(ended());
  EXPECT_EQ(recorder.ended, 1);
  ASSERT_EQ(recorder.nextItems.size(), 1u);
  EXPECT_THAT(recorder.nextItems.front(), HasSubstr("numbered25.mkv"));
  EXPECT_EQ(player->info().title, "numbered25.mkv");
  auto expected = upTo(75);
  const auto second = upTo(25);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(screen->numbers(), expected);
}

TEST_F(PlayerTest, TheNextItemFollowsEvenIfItIsNamedInTheLastMoment) {
  open(numberedFilm(25));
  ASSERT_TRUE(screen->waitForNumber(20));
  player->setNext(plainFilm(2).string());
  ASSERT_TRUE(ended());
  EXPECT_EQ(recorder.ended, 1);
  EXPECT_EQ(recorder.nextItems.size(), 1u);
  EXPECT_EQ(player->info().title, "plain2.mp4");
}

TEST_F(PlayerTest, VolumeIsCubicAndClamped) {
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
  auto made = Player::create({}, *scheduler, screen, caller);
  ASSERT_TRUE(made.ok());
  caller.player = made.value().get();
  ASSERT_TRUE(made.value()->open(numberedFilm(75).string()).ok());
  EXPECT_TRUE(eventually([&] { return caller.seenPaused.load(); }));
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
  auto made = Player::create({}, *scheduler, screen, restless);
  ASSERT_TRUE(made.ok());
  restless.player = made.value().get();
  ASSERT_TRUE(made.value()->open(numberedFilm(75).string()).ok());
  EXPECT_TRUE(eventually([&] { return restless.ended.load(); }));
  EXPECT_EQ(screen->numbers(), upTo(75));
}

}  // namespace
}  // namespace tactus::media::testing
