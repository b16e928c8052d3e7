// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

/// How many bright pixels the lower half of a black film's last picture has: the subtitles.
class Brightness final : public PixelScreen {
 public:
  bool presentRgb32(periodic::TimePoint) noexcept override {
    const std::lock_guard lock(m_mutex);
    m_bright = 0;
    for (int y = m_view.height / 2; y < m_view.height; ++y)
      for (int x = 0; x < m_view.width; ++x) m_bright += greenLocked(x, y) > 150;
    m_most = std::max(m_most, m_bright);
    ++m_shown;
    return false;
  }
  std::uint64_t shown() const noexcept override { return m_shown; }
  [[nodiscard]] int bright() const {
    const std::lock_guard lock(m_mutex);
    return m_bright;
  }
  [[nodiscard]] int most() const {
    const std::lock_guard lock(m_mutex);
    return m_most;
  }

 private:
  int m_bright = 0, m_most = 0;
  std::atomic<std::uint64_t> m_shown{0};
};

constexpr const char* kAss =
    "[Script Info]\nScriptType: v4.00+\nPlayResX: 320\nPlayResY: 240\n\n[V4+ Styles]\n"
    "Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, "
    "Italic, "
    "Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, "
    "MarginR, MarginV, Encoding\n"
    "Style: "
    "Default,Sans,28,&H00FFFFFF,&H000000FF,&H00000000,&H00000000,-1,0,0,0,100,100,0,0,1,1,0,2,10,10,10,1\n\n"
    "[Events]\nFormat: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
    "Dialogue: 0,0:00:00.00,0:00:03.90,Default,,0,0,0,,WRITTEN {\\i1}BOLDER{\\i0}\n";

std::filesystem::path blackFilm() {
  return film("black.mkv",
              {"-f", "lavfi", "-i", "color=black:s=320x240:r=25:d=4", "-f", "lavfi", "-i",
               "sine=440:r=48000:d=4", "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", "flac"});
}

class TracksTest : public PlayerTest {
 protected:
  void openDark(const std::filesystem::path& path, bool paused = false) {
    createFor(dark, recorder);
    open(path, paused);
  }
  /// Its clock stands a second after the start.
  void openDarkAndHold(const std::filesystem::path& path) {
    holdAfter(25);
    openDark(path);
    ASSERT_TRUE(clock.isHeld());
  }
  /// Whether it comes true within two seconds of the film.
  bool playUntil(const std::function<bool()>& condition) {
    for (int picture = 0; picture < 50 && !eventually(condition, 50ms); ++picture) holdAfter(1);
    return condition();
  }
  const std::shared_ptr<Brightness> dark = std::make_shared<Brightness>();
};

TEST_F(TracksTest, ChaptersAreListedWithTheirTimes) {
  openDark(manyTracks(), true);
  ASSERT_TRUE(eventually([&] { return player->info().chapters.size() == 3; }));
  const auto chapters = player->info().chapters;
  EXPECT_EQ(chapters[0].title, "Opening");
  EXPECT_EQ(chapters[1].title, "Middle");
  EXPECT_EQ(chapters[1].start, 1s);
  EXPECT_EQ(chapters[2].start, 2500ms);
  EXPECT_EQ(player->info().title, "The Film's Title");
}

TEST_F(TracksTest, SubtitlesAreSeenUntilTheyAreSwitchedOff) {
  openDarkAndHold(manyTracks());
  EXPECT_GT(dark->bright(), 300);
  player->selectTrack(TrackKind::Subtitle, -1);
  clock.letGo();
  ASSERT_TRUE(ended());
  EXPECT_EQ(dark->bright(), 0);
}

TEST_F(TracksTest, TheOtherSubtitlesAreOthers) {
  openDarkAndHold(manyTracks());
  EXPECT_GT(dark->bright(), 300);
  player->selectTrack(TrackKind::Subtitle, 1);
  EXPECT_TRUE(playUntil([&] { return dark->bright() > 0 && dark->bright() < 200; })) << dark->bright();
}

TEST_F(TracksTest, ExternalSrtIsSeen) {
  openDarkAndHold(blackFilm());
  EXPECT_EQ(dark->bright(), 0);
  ASSERT_TRUE(player->addSubtitles(fileOf("outside.srt", kNothingBolder).string()).ok());
  EXPECT_TRUE(playUntil([&] { return dark->bright() > 300; })) << dark->most();
  clock.letGo();
  ASSERT_TRUE(ended());
}

TEST_F(TracksTest, ExternalAssIsSeen) {
  openDarkAndHold(blackFilm());
  EXPECT_EQ(dark->bright(), 0);
  ASSERT_TRUE(player->addSubtitles(fileOf("outside.ass", kAss).string()).ok());
  EXPECT_TRUE(playUntil([&] { return dark->bright() > 300; })) << dark->most();
  clock.letGo();
  ASSERT_TRUE(ended());
}

TEST_F(TracksTest, EveryFileGivenIsATrack) {
  openDarkAndHold(blackFilm());
  ASSERT_TRUE(player->addSubtitles(fileOf("outside.srt", kNothingBolder).string()).ok());
  const auto latin = fileOf("latin.srt", "1\n00:00:00,000 --> 00:00:03,900\nGr\xfc\xdf\x65\n\n");
  ASSERT_TRUE(player->addSubtitles(latin.string()).ok());
  std::vector<std::string> titles;
  EXPECT_TRUE(eventually([&] {
    titles.clear();
    for (const auto& track : player->info().subtitles) titles.push_back(track.title);
    return titles == std::vector<std::string>{"outside.srt", "latin.srt"};
  })) << ::testing::PrintToString(titles);
}

TEST_F(TracksTest, SubtitlesThatAreNoneLeaveTheFilmPlaying) {
  openDarkAndHold(blackFilm());
  EXPECT_FALSE(player->addSubtitles("/nowhere/subtitles.srt").ok());
  const auto noise = player->addSubtitles(fileOf("noise.srt", std::string(2000, '\xe9')).string());
  ASSERT_FALSE(noise.ok());
  EXPECT_THAT(noise.error().message, ::testing::HasSubstr("'noise.srt' holds no subtitles"));
  clock.letGo();
  EXPECT_TRUE(ended());
  EXPECT_EQ(player->statistics().presented, 100u);
}

TEST_F(TracksTest, ANewFilmForgetsTheOldOnesSubtitles) {
  openDarkAndHold(blackFilm());
  ASSERT_TRUE(player->addSubtitles(fileOf("outside.srt", kNothingBolder).string()).ok());
  ASSERT_TRUE(playUntil([&] { return dark->bright() > 300; })) << dark->most();
  holdAfter(25);
  open(blackFilm());
  ASSERT_TRUE(clock.isHeld());
  EXPECT_EQ(dark->bright(), 0);
}

}  // namespace
}  // namespace tactus::media::testing
