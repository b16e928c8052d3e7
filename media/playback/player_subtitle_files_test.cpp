// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <array>

#include "media/playback/subtitles_fixture.h"

namespace tactus::media::testing {
namespace {

using SubtitleFilesTest = SubtitlesTest;

TEST_F(SubtitleFilesTest, AFileThatBearsTheFilmsNameIsShown) {
  const auto folder = filmFolder() / "beside";
  std::filesystem::create_directories(folder);
  const auto path = folder / "dark.mkv";
  std::filesystem::copy_file(darkFilm("dark4.mkv", 4), path,
                             std::filesystem::copy_options::overwrite_existing);
  (void)fileOf("beside/dark.srt", kTwoLines);
  (void)fileOf("beside/dark.de.srt", "1\n00:00:03,200 --> 00:00:03,800\nZuletzt\n\n");
  (void)fileOf("beside/dark.sub", "no subtitles at all");
  EXPECT_EQ(litOf(path), picturesOf({{500, 1500}, {2000, 3000}}));
  std::vector<std::string> titles;
  for (const auto& track : player->info().subtitles) titles.push_back(track.title);
  EXPECT_THAT(titles, ::testing::ElementsAre("dark.srt", "dark.de.srt"));
}

TEST_F(SubtitleFilesTest, AFilmThatFollowsHasItsOwn) {
  const auto folder = filmFolder() / "following";
  std::filesystem::create_directories(folder);
  const auto filmNamed = [&](const char* name, const char* lines) {
    const auto path = folder / (std::string(name) + ".mkv");
    std::filesystem::copy_file(darkFilm("dark4.mkv", 4), path,
                               std::filesystem::copy_options::overwrite_existing);
    (void)fileOf("following/" + std::string(name) + ".srt", lines);
    return path;
  };
  const auto first = filmNamed("first", kTwoLines);
  const auto second = filmNamed("second", "1\n00:00:00,400 --> 00:00:03,200\nThe other one\n\n");
  createFor(screen, recorder);
  holdAfter(0);
  openLit(first);
  player->setNext(second.string());
  clock.letGo();
  ASSERT_TRUE(ended());
  auto expected = picturesOf({{500, 1500}, {2000, 3000}});
  std::ranges::copy(picturesOf({{400, 3200}}), std::back_inserter(expected));
  EXPECT_EQ(screen->lit(), expected);
  ASSERT_THAT(player->info().subtitles, ::testing::SizeIs(1));
  EXPECT_EQ(player->info().subtitles[0].title, "second.srt");
}

TEST_F(SubtitleFilesTest, EachEncodingGivesTheSamePicture) {
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

TEST_F(SubtitleFilesTest, OddFilesAreReadAsTheyAreMeant) {
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

TEST_F(SubtitleFilesTest, WhatIsNoFileOfSubtitlesIsRefused) {
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
