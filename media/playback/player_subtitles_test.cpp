// SPDX-License-Identifier: Apache-2.0
#include "media/playback/subtitles_fixture.h"

namespace tactus::media::testing {
namespace {

/// PGS: a white bar of 100 x 20 at (110, 150) of 320 x 180 from 0 to 6 s.
std::string barInPgs() {
  const auto big = [](std::uint64_t value, int bytes) {
    std::string text;
    for (int i = bytes - 1; i >= 0; --i) text.push_back(static_cast<char>(value >> 8 * i));
    return text;
  };
  const auto segment = [&](int second, int kind, const std::string& body) {
    return "PG" + big(static_cast<std::uint64_t>(second) * 90000, 4) + big(0, 4) + big(kind, 1) +
           big(body.size(), 2) + body;
  };
  const auto composition = [&](int second, int number, int state, const std::string& objects) {
    return segment(second, 22,
                   big(320, 2) + big(180, 2) + big(16, 1) + big(number, 2) + big(state, 1) + big(0, 2) +
                       big(objects.size() / 8, 1) + objects) +
           segment(second, 23, big(1, 1) + big(0, 1) + big(110, 2) + big(150, 2) + big(100, 2) + big(20, 2));
  };
  std::string rows;
  for (int row = 0; row < 20; ++row) rows += std::string("\x00\xc0\x64\x01\x00\x00", 6);
  const std::string object =
      big(0, 2) + big(0, 1) + big(192, 1) + big(rows.size() + 4, 3) + big(100, 2) + big(20, 2) + rows;
  return composition(0, 1, 128, big(0, 2) + big(0, 1) + big(0, 1) + big(110, 2) + big(150, 2)) +
         segment(0, 20, std::string("\x00\x00\x01\xeb\x80\x80\xff", 7)) + segment(0, 21, object) +
         segment(0, 128, "") + composition(6, 2, 0, "") + segment(6, 128, "");
}

std::filesystem::path filmWithBar() {
  const auto bar = fileOf("lines of the bar.sup", barInPgs());
  return darkFilm("bar.mkv", 10, {"-itsoffset", "2", "-i", bar.string()}, {"-map", "1:s", "-c:s", "copy"},
                  180);
}

TEST_F(SubtitlesTest, AFilesLinesAreSeenOnTheirPicturesAlone) {
  openHeldWith(darkFilm("dark4.mkv", 4), fileOf("two.srt", kTwoLines));
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->lit(), picturesOf({{500, 1500}, {2000, 3000}}));
}

TEST_F(SubtitlesTest, TheyAreInTimeAtEachSpeed) {
  for (const double speed : {0.5, 2.0}) {
    openHeldWith(darkFilm("dark4.mkv", 4), fileOf("two.srt", kTwoLines));
    player->setSpeed(speed);
    recorder.ended = 0;
    player->play();
    ASSERT_TRUE(ended());
    EXPECT_EQ(screen->lit(), picturesOf({{500, 1500}, {2000, 3000}})) << speed;
    recorder.ended = 0;
  }
}

TEST_F(SubtitlesTest, ASeekLandsInsideALine) {
  openHeldWith(darkFilm("dark4.mkv", 4), fileOf("two.srt", kTwoLines));
  EXPECT_GT(at(1s).lit, 100);
  EXPECT_EQ(at(1600ms).lit, 0);
  EXPECT_GT(at(2960ms).lit, 100);
  EXPECT_EQ(at(0s).lit, 0);
}

TEST_F(SubtitlesTest, TextInsideAFilmIsSeenOnItsPicturesAlone) {
  const auto lines = fileOf("two.srt", kTwoLines).string();
  for (const auto& [name, codec] : std::vector<std::pair<std::string, std::string>>{
           {"srt.mkv", "srt"}, {"ass.mkv", "ass"}, {"webvtt.mkv", "webvtt"}, {"text.mp4", "mov_text"}}) {
    const auto path = darkFilm(name, 4, {"-i", lines}, {"-map", "1:s", "-c:s", codec});
    EXPECT_EQ(litOf(path), picturesOf({{500, 1500}, {2000, 3000}})) << name;
    player.reset();
    recorder.ended = 0;
  }
}

TEST_F(SubtitlesTest, TheFirstPicturesTextIsThereInEachOfFiftyOpenings) {
  const auto first =
      fileOf("lines of the first.srt", "1\n00:00:00,000 --> 00:00:02,000\nAt once\n\n").string();
  const auto path = darkFilm("first.mkv", 2, {"-i", first}, {"-map", "1:s", "-c:s", "srt"});
  for (int opening = 0; opening < 50; ++opening) {
    openLit(path, true);
    ASSERT_GT(screen->last().lit, 100) << opening;
  }
}

TEST_F(SubtitlesTest, APgsBarIsInItsPlaceAndGoesInTime) {
  openLit(filmWithBar());
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->lit(), picturesOf({{2000, 8000}}));
  for (const auto& picture : screen->seen())
    if (picture.lit > 0) {
      ASSERT_EQ(picture.box, (Box{110, 150, 209, 169})) << picture.number;
      ASSERT_EQ(picture.lit, 2000) << picture.number;
    }
}

TEST_F(SubtitlesTest, ASeekLandsInsideALineWhoseEndIsNotKnown) {
  openLit(filmWithBar(), true);
  EXPECT_EQ(screen->last().lit, 0);
  EXPECT_EQ(at(5s).box, (Box{110, 150, 209, 169}));
  EXPECT_EQ(at(9s).lit, 0);
  EXPECT_EQ(at(7960ms).lit, 2000);
  EXPECT_EQ(at(0s).lit, 0);
}

TEST_F(SubtitlesTest, VobSubIsInItsPlaceAndGoesInTime) {
  const auto path = film("vobsub.mkv", {"-fix_sub_duration", "-i", filmWithBar().string(), "-map", "0",
                                        "-c:v", "copy", "-c:s", "dvdsub"});
  openLit(path, true);
  EXPECT_EQ(at(1960ms).lit, 0);
  EXPECT_EQ(at(2000ms).box, (Box{110, 150, 209, 169}));
  EXPECT_EQ(at(7960ms).box, (Box{110, 150, 209, 169}));
  EXPECT_EQ(at(8040ms).lit, 0);
}

TEST_F(SubtitlesTest, APictureThatStandsFollowsTheChoice) {
  openHeldWith(darkFilm("dark4.mkv", 4), fileOf("two.srt", kTwoLines));
  const int before = at(1s).lit;
  ASSERT_GT(before, 100);
  const auto litIs = [&](const std::function<bool(int)>& wanted) {
    return eventually([&] { return wanted(screen->last().lit); });
  };
  player->setSubtitlesVisible(false);
  EXPECT_TRUE(litIs([](int lit) { return lit == 0; }));
  player->setSubtitlesVisible(true);
  EXPECT_TRUE(litIs([=](int lit) { return lit == before; }));
  player->selectTrack(TrackKind::Subtitle, -1);
  EXPECT_TRUE(litIs([](int lit) { return lit == 0; }));
  player->selectTrack(TrackKind::Subtitle, 0);
  EXPECT_TRUE(litIs([=](int lit) { return lit == before; }));
  player->setSubtitleScale(2);
  EXPECT_TRUE(litIs([=](int lit) { return lit > 2 * before; }));
  player->setSubtitleScale(1);
  const int top = screen->last().box.top;
  player->setSubtitlesRaised(0.5);
  EXPECT_TRUE(eventually([&] { return screen->last().lit > 0 && screen->last().box.top < top - 60; }));
}

TEST_F(SubtitlesTest, ASecondStreamStandsAbove) {
  openHeldWith(darkFilm("dark4.mkv", 4), fileOf("two.srt", kTwoLines));
  player->setSubtitleScale(2);  // what is written above reaches below the numbers
  const auto low = at(1s);
  ASSERT_TRUE(player->addSubtitles(fileOf("others.srt", kTwoLines).string()).ok());
  ASSERT_TRUE(subtitlesAre(2));
  player->selectSecondSubtitles(0);
  ASSERT_TRUE(eventually([&] { return screen->last().lit > low.lit; }));
  EXPECT_LT(screen->last().box.top, 60);
  EXPECT_EQ(screen->last().box.bottom, low.box.bottom);
  EXPECT_TRUE(player->info().subtitles[0].second);
  player->selectTrack(TrackKind::Subtitle, 0);  // it moves down
  ASSERT_TRUE(eventually([&] { return screen->last().box == low.box; })) << screen->last().box;
  EXPECT_FALSE(player->info().subtitles[0].second);
}

TEST_F(SubtitlesTest, AChoiceHoldsThoughASeekIsUnderWay) {
  openHeldWith(darkFilm("dark4.mkv", 4), fileOf("two.srt", kTwoLines));
  ASSERT_TRUE(
      player->addSubtitles(fileOf("short.srt", "1\n00:00:00,500 --> 00:00:01,500\nI\n\n").string()).ok());
  ASSERT_TRUE(subtitlesAre(2));
  const int narrow = at(1s).lit;
  for (int i = 0; i < 20; ++i) {
    player->seek(i % 2 == 0 ? 0s : 1s, SeekMode::Exact);
    player->selectTrack(TrackKind::Subtitle, i % 2);
  }
  EXPECT_TRUE(eventually([&] { return screen->last().lit == narrow; })) << screen->last().lit;
  player->seek(0s, SeekMode::Exact);
  player->seek(1s, SeekMode::Exact);
  player->selectTrack(TrackKind::Subtitle, 0);
  EXPECT_TRUE(eventually([&] { return screen->last().lit > 3 * narrow; })) << screen->last().lit;
}

TEST_F(SubtitlesTest, ADelayMovesAllLines) {
  openHeldWith(darkFilm("dark4.mkv", 4), fileOf("two.srt", kTwoLines));
  player->setSubtitleDelay(400ms);
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->lit(), picturesOf({{900, 1900}, {2400, 3400}}));
  screen->forget();
  recorder.ended = 0;
  player->setSubtitleDelay(-400ms);
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->lit(), picturesOf({{100, 1100}, {1600, 2600}}));
}

}  // namespace
}  // namespace tactus::media::testing
