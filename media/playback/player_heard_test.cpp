// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

/// Plays in the machine's time, with sound, in the class that can be had: what every other player test leaves
/// out.
class HeardTest : public PlayerTest {
 protected:
  HeardTest() : PlayerTest(Time::Real) {}
};

TEST_F(HeardTest, PicturesComeAtTheFilmsRate) {
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  const auto seen = screen->seen();
  ASSERT_EQ(seen.size(), 75u);
  EXPECT_NEAR(periodic::inSeconds(seen.back().at - seen[5].at), 69 / 25.0, 0.1);
}

TEST_F(HeardTest, SaysWhatPlays) {
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

TEST_F(HeardTest, SoundIsWholeWhereAFilmIsThinned) {
  create();
  player->setThinning({.frequency = 0.2});
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  const auto packetsOfSound = [&] {
    for (const auto& task : player->statistics().stages)
      if (task.contract.stage == periodic::Stage::AudioDecode) return task.statistics.packets;
    return std::uint64_t{0};
  };
  const auto thin = packetsOfSound();
  player->setThinning({});
  recorder.ended = 0;
  open(numberedFilm(75));
  ASSERT_TRUE(ended());
  EXPECT_GT(thin, 20u);
  EXPECT_EQ(packetsOfSound(), thin);
}

TEST_F(HeardTest, SoundAlonePlaysOnAtDoubleSpeed) {
  open(film("sound4.mka", {"-f", "lavfi", "-i", "sine=440:r=48000:d=4", "-c:a", "flac"}));
  player->setSpeed(2);
  ASSERT_TRUE(ended());
  EXPECT_EQ(player->state(), PlayState::Ended);
}

TEST_F(HeardTest, TracksAreListedAndChosen) {
  open(manyTracks());
  ASSERT_TRUE(
      eventually([&] { return player->info().audio.size() == 2 && player->info().subtitles.size() == 2; }));
  auto info = player->info();
  EXPECT_EQ(info.audio[0].language, "en");
  EXPECT_EQ(info.audio[1].language, "de");
  EXPECT_EQ(info.audio[1].title, "Kommentar");
  EXPECT_EQ(info.subtitles[1].language, "fr");
  EXPECT_TRUE(info.audio[0].selected);
  player->selectTrack(TrackKind::Audio, 1);
  info = player->info();
  EXPECT_FALSE(info.audio[0].selected);
  EXPECT_TRUE(info.audio[1].selected);
  ASSERT_TRUE(ended());
}

}  // namespace
}  // namespace tactus::media::testing
