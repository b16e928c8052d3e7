// SPDX-License-Identifier: Apache-2.0
// Films as they are met in the field, whose headers or stamps are not what they should be.
#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;

/// numberedFilm() once more, with these options of ffmpeg; "IN" is that film.
fs::path numberedAs(const std::string& name, int frames, const std::string& options) {
  auto arguments = words(options);
  std::replace(arguments.begin(), arguments.end(), std::string("IN"), numberedFilm(frames).string());
  return film(name, arguments);
}

/// The length that the player knows of; 0 = none.
double secondsOf(const Player& player) {
  return periodic::inSeconds(player.info().duration.value_or(Duration{0}));
}

std::string replaced(std::string bytes, std::size_t at, const std::string& by) {
  return bytes.replace(at, by.size(), by);
}

class OddFilmsTest : public PlayerTest {
 protected:
  [[nodiscard]] const periodic::TaskReport* stage(periodic::Stage kind) {
    m_stages = player->statistics().stages;
    const auto found = std::find_if(m_stages.begin(), m_stages.end(), [=](const periodic::TaskReport& task) {
      return task.contract.stage == kind;
    });
    return found != m_stages.end() ? &*found : nullptr;
  }

 private:
  std::vector<periodic::TaskReport> m_stages;
};

TEST_F(OddFilmsTest, AClipCutWithoutEncodingBeginsWhereItsEditListSays) {
  const auto whole = numberedAs("whole.mp4", 150, "-i IN -c:v libx264 -g 50 -bf 2 -sc_threshold 0 -c:a aac");
  open(film("trim.mp4", {"-ss", "1.5", "-i", whole.string(), "-t", "3", "-c", "copy"}));
  ASSERT_TRUE(ended());
  const auto seen = screen->seen();
  ASSERT_THAT(seen.size(), ::testing::AllOf(::testing::Ge(75u), ::testing::Le(78u)));
  EXPECT_THAT(seen.front().number, ::testing::AnyOf(37, 38))
      << "the keyframe before it is decoded, and not shown";
  EXPECT_EQ(screen->numbers(),
            fromTo(seen.front().number, seen.front().number + static_cast<int>(seen.size())));
  EXPECT_NEAR(secondsOf(*player), 3.1, 0.1);
}

TEST_F(OddFilmsTest, ARateThatTheHeaderInventsIsReservedForByNoStage) {
  auto bytes = bytesOf(numberedFilm(100));
  const auto at = bytes.find("\x23\xe3\x83");  // the default duration of a picture, in ns
  ASSERT_NE(at, std::string::npos);
  const auto size = static_cast<std::size_t>(bytes[at + 3] & 15);
  std::string millisecond(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    millisecond[size - 1 - i] = static_cast<char>((1'000'000u >> (8 * i)) & 255u);
  open(fileOf("thousand.mkv", replaced(std::move(bytes), at + 4, millisecond)));
  ASSERT_TRUE(eventually([&] { return screen->last() >= 50; }));
  EXPECT_DOUBLE_EQ(player->statistics().nominalRate, 25);
  for (const auto kind : {periodic::Stage::VideoDecode, periodic::Stage::VideoDisplay}) {
    const auto* task = stage(kind);
    ASSERT_NE(task, nullptr);
    EXPECT_NEAR(task->contract.lbap.rate.perSecond(), 25, 0.5) << nameOf(kind);
  }
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), upTo(100));
}

class JoinedTest : public OddFilmsTest {
 protected:
  /// Two recordings, joined as `cat` does; the numbers of both begin at zero.
  static fs::path joined() {
    const auto one = numberedAs("joined.ts", 100, "-i IN -c:v libx264 -g 25 -bf 2 -sc_threshold 0 -c:a aac");
    const auto bytes = bytesOf(one);
    return fileOf("joined2.ts", bytes + bytes);
  }
  static std::vector<int> twice() {
    auto numbers = upTo(100);
    std::ranges::copy(upTo(100), std::back_inserter(numbers));
    return numbers;
  }
};

TEST_F(JoinedTest, RecordingsWhoseStampsBeginAnewFollowEachOther) {
  open(joined());
  ASSERT_TRUE(ended());
  EXPECT_EQ(screen->numbers(), twice());
  const auto seen = screen->seen();
  EXPECT_LT(periodic::inSeconds(seen[100].at - seen[99].at), 0.3);
  EXPECT_NEAR(secondsOf(*player), 8, 0.2);
}

TEST_F(JoinedTest, TheSecondIsSoughtThoughTheHeaderKnowsOfTheFirstAlone) {
  open(joined(), true);
  EXPECT_LT(secondsOf(*player), 4.5);
  player->seek(6s, SeekMode::Exact);
  ASSERT_TRUE(eventually([&] { return std::abs(screen->last() - 50) <= 4; })) << screen->last();
  player->seek(2s, SeekMode::Exact);
  ASSERT_TRUE(eventually([&] { return std::abs(screen->last() - 50) <= 4 && player->position() < 3s; }));
  screen->forget();
  player->play();
  ASSERT_TRUE(ended());
  const auto numbers = screen->numbers();
  EXPECT_NEAR(static_cast<double>(numbers.size()), 150, 5) << "the rest of the first, and the second";
}

TEST_F(OddFilmsTest, FragmentsWithoutAnIndexAreAsLongAsTheyAre) {
  const auto path = numberedAs("fragments.mp4", 150,
                               "-i IN -c:v libx264 -g 25 -bf 0 -sc_threshold 0 -c:a aac -movflags "
                               "empty_moov+default_base_moof+frag_keyframe+skip_trailer");
  open(path, true);
  EXPECT_NEAR(secondsOf(*player), 6, 0.2);
  player->seek(4030ms, SeekMode::Exact);  // sound begins 21 ms before the pictures
  ASSERT_TRUE(screen->waitForNumber(100));
  screen->forget();
  player->play();
  ASSERT_TRUE(ended());
  EXPECT_NEAR(static_cast<double>(screen->numbers().size()), 49, 2);
  EXPECT_NEAR(secondsOf(*player), 6, 0.2);
}

TEST_F(OddFilmsTest, OfFragmentsThatBreakOffIsShownWhatIsThere) {
  const auto path = numberedAs("fragments.mp4", 150,
                               "-i IN -c:v libx264 -g 25 -bf 0 -sc_threshold 0 -c:a aac -movflags "
                               "empty_moov+default_base_moof+frag_keyframe+skip_trailer");
  const auto bytes = bytesOf(path);
  open(fileOf("half.mp4", bytes.substr(0, bytes.size() / 2)));
  ASSERT_TRUE(ended());
  const auto numbers = screen->numbers();
  EXPECT_GT(numbers.size(), 40u);
  EXPECT_LT(numbers.size(), 110u);
}

TEST_F(OddFilmsTest, AFilmThatIsCutWhileItPlaysIsSaidToHaveBrokenOff) {
  const auto path = fileOf("shortened.mkv", bytesOf(numberedFilm(500)));
  holdAfter(10);
  open(path);
  ASSERT_TRUE(clock.isHeld());
  fs::resize_file(path, fs::file_size(path) / 2);
  clock.letGo();
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return !told.errors.empty() || told.ended > 0; }));
  ASSERT_EQ(recorder.errors.size(), 1u);
  EXPECT_THAT(recorder.errors.front().message,
              ::testing::HasSubstr("'shortened.mkv' broke off: the file is shorter than it was"));
  const auto numbers = screen->numbers();
  EXPECT_GT(numbers.size(), 150u) << "what is there is shown first";
  EXPECT_LT(numbers.size(), 350u);
}

TEST_F(OddFilmsTest, AGifWithoutDelaysShowsTenPicturesASecond) {
  const auto path =
      film("quick.gif", {"-f", "lavfi", "-i", "testsrc=s=160x90:r=10:d=1", "-pix_fmt", "rgb24"});
  auto bytes = bytesOf(path);
  for (std::size_t at = 0; (at = bytes.find("\x21\xf9\x04", at)) != std::string::npos; at += 4)
    bytes[at + 4] = bytes[at + 5] = '\0';
  open(fileOf("still.gif", bytes));
  ASSERT_TRUE(ended());
  const auto seen = screen->seen();
  ASSERT_EQ(seen.size(), 10u);
  for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].at, i * 100ms);
}

TEST_F(OddFilmsTest, AStillIsAFilmOfOnePicture) {
  for (const char* name : {"still.jpg", "still.png", "still.bmp"}) {
    screen->forget();
    recorder.ended = 0;
    open(film(name, {"-f", "lavfi", "-i", "testsrc=s=320x180:r=1:d=1", "-frames:v", "1"}));
    ASSERT_TRUE(ended());
    EXPECT_EQ(screen->numbers().size(), 1u) << name;
    EXPECT_EQ(screen->size(), std::pair(320, 180));
  }
}

TEST_F(OddFilmsTest, OddSizesAndDeepColoursAreShown) {
  struct Odd {
    const char* name;
    const char* options;
    int width, height;
  };
  for (const Odd& odd :
       {Odd{"odd.webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -vf scale=321:181 -pix_fmt yuv420p",
            321, 181},
        Odd{"deep.mkv", "-c:v libx264 -preset ultrafast -pix_fmt yuv444p10le", 320, 240},
        Odd{"deep.mp4", "-c:v libx265 -preset ultrafast -x265-params log-level=none -pix_fmt yuv420p10le",
            320, 240}}) {
    screen->forget();
    recorder.ended = 0;
    open(numberedAs(odd.name, 25, std::string("-i IN -an ") + odd.options));
    ASSERT_TRUE(ended());
    EXPECT_EQ(screen->numbers(), upTo(25)) << odd.name;
    EXPECT_EQ(screen->size(), std::pair(odd.width, odd.height));
  }
}

/// In the machine's time, with sound.
class OddSoundTest : public PlayerTest {
 protected:
  OddSoundTest() : PlayerTest(Time::Real) {}
  [[nodiscard]] static fs::path tone(const std::string& name, const std::string& options) {
    return film(name, words("-f lavfi -i " + options));
  }
};

TEST_F(OddSoundTest, AnMp3WhoseHeaderLiesIsAsLongAsItWasFoundToBe) {
  auto bytes = bytesOf(tone("tone3.mp3", "sine=440:d=3 -c:a libmp3lame -q:a 4"));
  const auto xing = std::max(bytes.find("Xing") + 1, bytes.find("Info") + 1) - 1;
  ASSERT_LT(xing, bytes.size());
  bytes[xing + 9] = static_cast<char>(bytes[xing + 9] + 1);  // 65536 frames more: half an hour
  open(fileOf("lies.mp3", bytes));
  EXPECT_GT(secondsOf(*player), 1000);
  ASSERT_TRUE(ended());
  EXPECT_NEAR(secondsOf(*player), 3, 0.2);
  EXPECT_TRUE(recorder.errors.empty());
}

TEST_F(OddSoundTest, AnMp3WithoutAHeaderIsSoughtBehindItsGuessedEnd) {
  // Noise first: by its bit rate the whole would last half as long.
  open(tone("guessed.mp3",
            "aevalsrc='0.5*random(0)*lt(t,2)+0.2*sin(2765*t)*gte(t,2)':s=44100:d=12 -c:a libmp3lame -q:a 0 "
            "-write_xing 0"),
       true);
  ASSERT_LT(secondsOf(*player), 9);
  player->seek(11s, SeekMode::Exact);
  player->play();
  ASSERT_TRUE(recorder.waitForState(PlayState::Playing));
  EXPECT_GE(player->position(), 11s);
  ASSERT_TRUE(ended());
  EXPECT_NEAR(secondsOf(*player), 12, 0.2);
}

TEST_F(OddSoundTest, GarbageBeforeTheSoundIsPassedOver) {
  const auto bytes = bytesOf(tone("tone3.mp3", "sine=440:d=3 -c:a libmp3lame -q:a 4"));
  std::string garbage;
  while (garbage.size() < 100'000) garbage += "\xde\xad\xbe\xef";
  open(fileOf("garbage.mp3", garbage + bytes));
  ASSERT_TRUE(ended());
  EXPECT_NEAR(secondsOf(*player), 3, 0.4);
}

TEST_F(OddSoundTest, ChainedOggIsOneSoundWithTwoTitles) {
  const auto one = tone("one.ogg", "sine=440:r=48000:d=1 -ac 2 -c:a libvorbis -metadata title=One");
  const auto two = tone("two.ogg", "sine=880:r=44100:d=1 -ac 1 -c:a libvorbis -metadata title=Two");
  open(fileOf("chain.ogg", bytesOf(one) + bytesOf(two)));
  EXPECT_EQ(player->info().title, "One");
  ASSERT_TRUE(ended());
  EXPECT_EQ(player->info().title, "Two");
  EXPECT_NEAR(secondsOf(*player), 2, 0.1) << "each is counted in its own rate";
}

TEST_F(OddSoundTest, ASongsCoverIsKnown) {
  const auto picture = film("front.png", {"-f", "lavfi", "-i", "color=red:s=64x64:d=1", "-frames:v", "1"});
  for (const char* name : {"song.flac", "song.mp3", "song.m4a"}) {
    recorder.ended = 0;
    open(film(name, {"-f", "lavfi", "-i", "sine=440:d=1", "-i", picture.string(), "-map", "0", "-map", "1",
                     "-c:v", "copy", "-disposition:v", "attached_pic", "-metadata", "title=Song"}));
    ASSERT_TRUE(ended());
    const auto info = player->info();
    ASSERT_NE(info.cover, nullptr) << name;
    const auto bytes = bytesOf(picture);
    EXPECT_TRUE(
        std::ranges::equal(*info.cover, bytes, {}, {}, [](char c) { return static_cast<std::uint8_t>(c); }));
    EXPECT_EQ(info.title, "Song");
    EXPECT_FALSE(info.hasVideo);
  }
}

}  // namespace
}  // namespace tactus::media::testing
