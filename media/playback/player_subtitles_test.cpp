// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <array>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

/// A box of pixels, its right and bottom edges inside it.
struct Box {
  int left = 0, top = 0, right = 0, bottom = 0;
  friend bool operator==(const Box&, const Box&) = default;
};
std::ostream& operator<<(std::ostream& out, const Box& box) {
  return out << box.left << ".." << box.right << " x " << box.top << ".." << box.bottom;
}

/// A screen for darkFilm(): reads the number in its uppermost rows, and where it is lit below them.
class LitReader final : public plugins::VideoTarget {
 public:
  struct Seen {
    int number;
    int lit;  ///< bright pixels
    Box box;  ///< around them
    std::vector<std::uint8_t> pixels;
  };
  bool wantsRgb32() const noexcept override { return true; }
  void format(const plugins::PictureFormat& picture, const GstVideoInfo&) override {
    const std::lock_guard lock(m_mutex);
    m_view = {nullptr, picture.convertedWidth, picture.convertedHeight, picture.convertedWidth * 4};
    m_pixels.assign(static_cast<std::size_t>(m_view.stride) * static_cast<std::size_t>(m_view.height), 0);
    m_view.data = m_pixels.data();
  }
  plugins::Rgb32View beginRgb32() noexcept override { return m_view; }
  bool presentRgb32(periodic::TimePoint) noexcept override {
    const std::lock_guard lock(m_mutex);
    Seen picture{0, 0, {m_view.width, m_view.height, -1, -1}, m_pixels};
    for (int bit = 0; bit < 10; ++bit)
      if (isBright(bit * 32 + 16, 4)) picture.number |= 1 << bit;
    for (int y = kFirstRow; y < m_view.height; ++y) {
      for (int x = 0; x < m_view.width; ++x) {
        if (!isBright(x, y)) continue;
        ++picture.lit;
        picture.box = {std::min(picture.box.left, x), std::min(picture.box.top, y),
                       std::max(picture.box.right, x), std::max(picture.box.bottom, y)};
      }
    }
    m_seen.push_back(std::move(picture));
    return false;
  }
  bool presentPlanar(GstBuffer*, periodic::TimePoint) noexcept override { return false; }
  std::uint64_t shown() const noexcept override {
    const std::lock_guard lock(m_mutex);
    return m_seen.size();
  }
  void clear() noexcept override {}

  [[nodiscard]] std::vector<Seen> seen() const {
    const std::lock_guard lock(m_mutex);
    return m_seen;
  }
  [[nodiscard]] Seen last() const {
    const std::lock_guard lock(m_mutex);
    return m_seen.empty() ? Seen{-1, 0, {}, {}} : m_seen.back();
  }
  void forget() {
    const std::lock_guard lock(m_mutex);
    m_seen.clear();
  }
  /// The numbers of the pictures that are lit.
  [[nodiscard]] std::vector<int> lit() const {
    std::vector<int> numbers;
    for (const auto& picture : seen())
      if (picture.lit > 0) numbers.push_back(picture.number);
    return numbers;
  }

 private:
  static constexpr int kFirstRow = 24;
  [[nodiscard]] bool isBright(int x, int y) const {
    return m_pixels[static_cast<std::size_t>(y * m_view.stride + x * 4 + 1)] > 128;
  }
  mutable std::mutex m_mutex;
  plugins::Rgb32View m_view;
  std::vector<std::uint8_t> m_pixels;
  std::vector<Seen> m_seen;
};

/// Black pictures, 25 a second, whose uppermost 16 rows hold their number in columns of 32 pixels; and what
/// is muxed with them.
std::filesystem::path darkFilm(const std::string& name, int seconds,
                               const std::vector<std::string>& inputs = {},
                               const std::vector<std::string>& outputs = {}, int height = 240) {
  std::vector<std::string> arguments{
      "-f", "lavfi", "-i",
      "nullsrc=s=320x" + std::to_string(height) + ":r=25:d=" + std::to_string(seconds) +
          ",geq=lum='if(lt(Y,16)*mod(floor(N/pow(2,floor(X/32))),2),235,16)':cb="
          "128:cr=128"};
  arguments.insert(arguments.end(), inputs.begin(), inputs.end());
  arguments.insert(arguments.end(), {"-map", "0:v", "-c:v", "libx264", "-preset", "fast", "-pix_fmt",
                                     "yuv420p", "-g", "25", "-sc_threshold", "0", "-bf", "2"});
  arguments.insert(arguments.end(), outputs.begin(), outputs.end());
  return film(name, arguments);
}

constexpr const char* kTwoLines =
    "1\n00:00:00,500 --> 00:00:01,500\nNever bolder\n\n"
    "2\n00:00:02,000 --> 00:00:03,000\nNor later\n\n";

/// The pictures on which a line of these milliseconds is seen.
std::vector<int> picturesOf(std::vector<std::pair<int, int>> lines) {
  std::vector<int> numbers;
  for (const auto& [begin, end] : lines)
    for (int number = (begin + 39) / 40; number * 40 < end; ++number) numbers.push_back(number);
  return numbers;
}

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
  const auto bar = fileOf("bar.sup", barInPgs());
  return darkFilm("bar.mkv", 10, {"-itsoffset", "2", "-i", bar.string()}, {"-map", "1:s", "-c:s", "copy"},
                  180);
}

class SubtitlesTest : public PlayerTest {
 protected:
  SubtitlesTest() { settings.engine = "av"; }
  void openLit(const std::filesystem::path& path, bool paused = false) {
    if (!player) createFor(screen, recorder);
    screen->forget();
    open(path, paused);
  }
  void openHeldWith(const std::filesystem::path& path, const std::filesystem::path& subtitles) {
    openLit(path, true);
    const auto added = player->addSubtitles(subtitles.string());
    ASSERT_TRUE(added.ok()) << added.error().message;
    ASSERT_TRUE(subtitlesAre(1));
  }
  [[nodiscard]] bool subtitlesAre(std::size_t count) {
    return recorder.waitFor([=](const Recorder& told) {
      return !told.infos.empty() && told.infos.back().subtitles.size() == count &&
             told.infos.back().subtitles.back().selected;
    });
  }
  /// The picture on which a seek in pause ends.
  LitReader::Seen at(Duration position) {
    recorder.forgetStates();
    screen->forget();
    player->seek(position, SeekMode::Exact);
    EXPECT_TRUE(eventually([&] { return screen->last().number >= 0; }));
    return screen->last();
  }
  /// From the beginning to the end: the numbers of the pictures that were lit.
  std::vector<int> litOf(const std::filesystem::path& path) {
    openLit(path);
    EXPECT_TRUE(ended());
    return screen->lit();
  }
  const std::shared_ptr<LitReader> screen = std::make_shared<LitReader>();
};

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
  const auto first = fileOf("first.srt", "1\n00:00:00,000 --> 00:00:02,000\nAt once\n\n").string();
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

TEST_F(SubtitlesTest, EachEncodingGivesTheSamePicture) {
  const std::string utf8 = "1\r\n00:00:00,500 --> 00:00:03,500\r\nCaf\xc3\xa9 \xe2\x80\x93 na\xc3\xafve\r\n";
  const auto wide = [&](bool big) {
    std::string text;
    for (const char* at = utf8.c_str(); *at != '\0';) {
      const gunichar letter = g_utf8_get_char(at);
      at = g_utf8_next_char(at);
      const std::array<char, 2> bytes{static_cast<char>(letter >> 8), static_cast<char>(letter)};
      text.push_back(bytes[big ? 0 : 1]);
      text.push_back(bytes[big ? 1 : 0]);
    }
    return text;
  };
  const std::vector<std::pair<std::string, std::string>> files{
      {"utf8.srt", utf8},
      {"mark.srt", "\xef\xbb\xbf" + utf8},
      {"utf16.srt", "\xff\xfe" + wide(false)},
      {"little.srt", wide(false)},
      {"big.srt", wide(true)},
      {"windows.srt", "1\r\n00:00:00,500 --> 00:00:03,500\r\nCaf\xe9 \x96 na\xefve\r\n"}};
  std::vector<std::uint8_t> expected;
  for (const auto& [name, bytes] : files) {
    openHeldWith(darkFilm("dark4.mkv", 4), fileOf(name, bytes));
    const auto picture = at(1s);
    EXPECT_GT(picture.lit, 100) << name;
    if (expected.empty()) expected = picture.pixels;
    EXPECT_TRUE(picture.pixels == expected) << name;
  }
}

TEST_F(SubtitlesTest, OddFilesAreReadAsTheyAreMeant) {
  struct Odd {
    const char* name;
    std::string bytes;
    std::vector<std::pair<int, int>> lines;
  };
  const std::vector<Odd> files{
      {"order.srt",
       "2\n00:00:02,000 --> 00:00:03,000\nLater\n\n1\n00:00:00,500 --> 00:00:01,500\nSooner\n\n",
       {{500, 1500}, {2000, 3000}}},
      {"overlap.srt",
       "1\n00:00:00,500 --> 00:00:02,500\nLong\n\n2\n00:00:01,000 --> 00:00:01,500\nShort\n\n",
       {{500, 2500}}},
      {"empty.srt",
       "1\n00:00:00,500 --> 00:00:01,000\n\n\n2\n00:00:02,000 --> 00:00:03,000\nText\n",
       {{2000, 3000}}},
      {"end.srt", "1\n00:00:02,000 --> 00:00:03,000\nNo line feed", {{2000, 3000}}},
      {"voice.vtt", "WEBVTT\n\n00:02.000 --> 00:03.000\n<v Anna>Text\n", {{2000, 3000}}},
      {"frames.sub", "{1}{1}25.000\n{13}{25}One\n{50}{75}Two\n", {{520, 1000}, {2000, 3000}}}};
  for (const Odd& odd : files) {
    openHeldWith(darkFilm("dark4.mkv", 4), fileOf(odd.name, odd.bytes));
    player->play();
    ASSERT_TRUE(ended()) << odd.name;
    recorder.ended = 0;
    EXPECT_EQ(screen->lit(), picturesOf(odd.lines)) << odd.name;
  }
}

TEST_F(SubtitlesTest, WhatIsNoFileOfSubtitlesIsRefused) {
  openLit(darkFilm("dark4.mkv", 4), true);
  const auto refusal = [&](const std::string& path) {
    const auto added = player->addSubtitles(path);
    return added.ok() ? std::string() : added.error().message;
  };
  EXPECT_EQ(refusal("/dev/zero"), "'zero' is no file, which subtitles are read from.");
  EXPECT_EQ(
      refusal(fileOf("list.srt", "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\nhttp://127.0.0.1:9/a.ts\n")
                  .string()),
      "'list.srt' holds no subtitles that can be read.");
  EXPECT_EQ(refusal(darkFilm("dark4.mkv", 4).string()), "'dark4.mkv' holds no subtitles that can be read.");
  const auto large = fileOf("large.srt", "");
  std::filesystem::resize_file(large, std::uintmax_t{1} << 32);
  EXPECT_EQ(refusal(large.string()), "'large.srt' is too long for subtitles.");
  std::filesystem::remove(large);
}

}  // namespace
}  // namespace tactus::media::testing
