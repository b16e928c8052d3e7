// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

/// How many bright pixels the lower half of a black film's last picture has: the subtitles.
class Brightness final : public plugins::VideoTarget {
 public:
  bool wantsRgb32() const noexcept override { return true; }
  void format(const plugins::PictureFormat& picture, const GstVideoInfo&) override {
    const std::lock_guard lock(m_mutex);
    m_view = {nullptr, picture.width, picture.height, picture.width * 4};
    m_pixels.assign(static_cast<std::size_t>(m_view.stride) * static_cast<std::size_t>(picture.height), 0);
    m_view.data = m_pixels.data();
  }
  plugins::Rgb32View beginRgb32() noexcept override { return m_view; }
  bool presentRgb32(periodic::TimePoint) noexcept override {
    const std::lock_guard lock(m_mutex);
    m_bright = 0;
    for (std::size_t i = m_pixels.size() / 2; i + 4 <= m_pixels.size(); i += 4)
      m_bright += m_pixels[i + 1] > 150;
    m_most = std::max(m_most, m_bright);
    ++m_shown;
    return false;
  }
  bool presentPlanar(GstBuffer*, periodic::TimePoint) noexcept override { return false; }
  std::uint64_t shown() const noexcept override { return m_shown; }
  void clear() noexcept override {}
  [[nodiscard]] int bright() const {
    const std::lock_guard lock(m_mutex);
    return m_bright;
  }
  [[nodiscard]] int most() const {
    const std::lock_guard lock(m_mutex);
    return m_most;
  }

 private:
  mutable std::mutex m_mutex;
  plugins::Rgb32View m_view;
  std::vector<std::uint8_t> m_pixels;
  int m_bright = 0, m_most = 0;
  std::atomic<std::uint64_t> m_shown{0};
};

constexpr const char* kSrt =
    "1\n00:00:00,000 --> 00:00:01,900\nNOTHING WAS EVER WRITTEN BOLDER\n\n"
    "2\n00:00:02,500 --> 00:00:04,000\nII\n\n";
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

/// One picture track, two sound tracks, two subtitle tracks and three chapters.
std::filesystem::path manyTracks() {
  const auto meta = fileOf("chapters.txt",
                           ";FFMETADATA1\ntitle=The Film's Title\n"
                           "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=Opening\n"
                           "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2500\ntitle=Middle\n"
                           "[CHAPTER]\nTIMEBASE=1/1000\nSTART=2500\nEND=4000\ntitle=End\n");
  const auto first = fileOf("first.srt", kSrt);
  const auto second = fileOf("second.srt", "1\n00:00:00,000 --> 00:00:03,900\nI\n\n");
  return film("tracks.mkv", {"-f",
                             "lavfi",
                             "-i",
                             "color=black:s=320x240:r=25:d=4",
                             "-f",
                             "lavfi",
                             "-i",
                             "sine=440:r=48000:d=4",
                             "-f",
                             "lavfi",
                             "-i",
                             "sine=880:r=48000:d=4",
                             "-i",
                             first.string(),
                             "-i",
                             second.string(),
                             "-i",
                             meta.string(),
                             "-map_metadata",
                             "5",
                             "-map",
                             "0:v",
                             "-map",
                             "1:a",
                             "-map",
                             "2:a",
                             "-map",
                             "3:s",
                             "-map",
                             "4:s",
                             "-c:v",
                             "libx264",
                             "-pix_fmt",
                             "yuv420p",
                             "-c:a",
                             "flac",
                             "-c:s",
                             "srt",
                             "-metadata:s:a:0",
                             "language=eng",
                             "-metadata:s:a:1",
                             "language=deu",
                             "-metadata:s:a:1",
                             "title=Kommentar",
                             "-metadata:s:s:0",
                             "language=eng",
                             "-metadata:s:s:1",
                             "language=fra"});
}

class TracksTest : public PlayerTest {
 protected:
  void openDark(const std::filesystem::path& path, bool paused = false) {
    auto made = Player::create({}, *scheduler, dark, recorder);
    ASSERT_TRUE(made.ok());
    player = std::move(made).value();
    open(path, paused);
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

TEST_F(TracksTest, TracksAreListedAndChosen) {
  openDark(manyTracks());
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

TEST_F(TracksTest, SubtitlesAreSeenUntilTheyAreSwitchedOff) {
  openDark(manyTracks());
  ASSERT_TRUE(eventually([&] { return dark->bright() > 300; }, 5s)) << dark->most();
  player->selectTrack(TrackKind::Subtitle, -1);
  ASSERT_TRUE(eventually([&] { return dark->bright() == 0; }, 5s)) << dark->bright();
}

TEST_F(TracksTest, TheOtherSubtitlesAreOthers) {
  openDark(manyTracks());
  ASSERT_TRUE(eventually([&] { return dark->bright() > 300; }, 5s)) << dark->most();
  player->selectTrack(TrackKind::Subtitle, 1);
  ASSERT_TRUE(eventually([&] { return dark->bright() > 0 && dark->bright() < 200; }, 5s)) << dark->bright();
}

TEST_F(TracksTest, ExternalSrtIsSeen) {
  openDark(blackFilm());
  ASSERT_TRUE(player->addSubtitles(fileOf("outside.srt", kSrt).string()).ok());
  EXPECT_TRUE(eventually([&] { return dark->bright() > 300; }, 5s)) << dark->most();
  ASSERT_TRUE(ended());
}

TEST_F(TracksTest, ExternalAssIsSeen) {
  openDark(blackFilm());
  ASSERT_TRUE(player->addSubtitles(fileOf("outside.ass", kAss).string()).ok());
  EXPECT_TRUE(eventually([&] { return dark->bright() > 300; }, 5s)) << dark->most();
  ASSERT_TRUE(ended());
}

TEST_F(TracksTest, EveryFileGivenIsATrack) {
  openDark(blackFilm());
  ASSERT_TRUE(player->addSubtitles(fileOf("outside.srt", kSrt).string()).ok());
  const auto latin = fileOf("latin.srt", "1\n00:00:00,000 --> 00:00:03,900\nGr\xfc\xdf\x65\n\n");
  ASSERT_TRUE(player->addSubtitles(latin.string()).ok());
  std::vector<std::string> titles;
  EXPECT_TRUE(eventually(
      [&] {
        titles.clear();
        for (const auto& track : player->info().subtitles) titles.push_back(track.title);
        return titles == std::vector<std::string>{"outside.srt", "latin.srt"};
      },
      5s))
      << ::testing::PrintToString(titles);
}

TEST_F(TracksTest, SubtitlesThatAreNoneLeaveTheFilmPlaying) {
  openDark(blackFilm());
  EXPECT_FALSE(player->addSubtitles("/nowhere/subtitles.srt").ok());
  const auto noise = player->addSubtitles(fileOf("noise.srt", std::string(2000, '\xe9')).string());
  ASSERT_FALSE(noise.ok());
  EXPECT_THAT(noise.error().message, ::testing::HasSubstr("'noise.srt' holds no subtitles"));
  EXPECT_TRUE(ended());
  EXPECT_GT(player->statistics().presented, 80u);
}

TEST_F(TracksTest, ANewFilmForgetsTheOldOnesSubtitles) {
  openDark(blackFilm());
  ASSERT_TRUE(player->addSubtitles(fileOf("outside.srt", kSrt).string()).ok());
  ASSERT_TRUE(eventually([&] { return dark->bright() > 300; }, 5s));
  open(blackFilm());
  ASSERT_TRUE(eventually([&] { return dark->bright() == 0; }, 5s));
}

}  // namespace
}  // namespace tactus::media::testing
