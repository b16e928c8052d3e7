// SPDX-License-Identifier: Apache-2.0
// Films that change while they play, and pipes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "media/playback/subtitles_fixture.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;

class ChangingFilmTest : public PlayerTest {
 protected:
  /// A copy of numberedFilm() in this container, its index in front.
  static fs::path copyOf(int frames, const std::string& ending) {
    const auto whole =
        film("changing" + std::to_string(frames) + ending,
             {"-i", numberedFilm(frames).string(), "-c:v", "copy", "-c:a", "aac", "-movflags", "+faststart"});
    return fileOf("changes" + ending, bytesOf(whole));
  }
  /// Opens it and holds it after ten pictures, when no more than the beginning was read.
  void openHeld(const fs::path& path) {
    recorder.errors.clear();
    recorder.ended = 0;
    screen->forget();
    holdAfter(10);
    open(path);
    ASSERT_TRUE(clock.isHeld());
  }
  void playOn() {
    clock.letGo();
    ASSERT_TRUE(
        recorder.waitFor([](const Recorder& told) { return !told.errors.empty() || told.ended > 0; }));
  }
};

TEST_F(ChangingFilmTest, OfOneThatIsCutTheRestIsShownAndItIsSaidToHaveBrokenOff) {
  for (const char* ending : {".mkv", ".mp4", ".ts"}) {
    const auto path = copyOf(500, ending);
    openHeld(path);
    fs::resize_file(path, fs::file_size(path) / 2);
    playOn();
    ASSERT_EQ(recorder.errors.size(), 1u) << ending;
    EXPECT_EQ(recorder.errors.front().code, ErrorCode::Unavailable);
    EXPECT_THAT(recorder.errors.front().message,
                ::testing::HasSubstr("broke off: the file is shorter than it was"));
    EXPECT_GT(screen->numbers().size(), 150u) << ending;
    EXPECT_LT(screen->numbers().size(), 350u) << ending;
    EXPECT_EQ(recorder.ended, 0) << ending;
  }
}

TEST_F(ChangingFilmTest, OneThatIsReplacedPlaysOnAsItWas) {
  const auto path = copyOf(500, ".mkv");
  openHeld(path);
  fs::rename(fileOf("other.mkv", std::string(1000, 'x')), path);
  playOn();
  EXPECT_TRUE(recorder.errors.empty());
  EXPECT_EQ(screen->numbers(), upTo(500));
}

TEST_F(ChangingFilmTest, OneThatIsDeletedPlaysOn) {
  const auto path = copyOf(500, ".mkv");
  openHeld(path);
  fs::remove(path);
  playOn();
  EXPECT_TRUE(recorder.errors.empty());
  EXPECT_EQ(screen->numbers(), upTo(500));
}

TEST_F(ChangingFilmTest, OneThatGrowsPlaysWhatIsThereWhenItsEndIsReached) {
  const auto path = copyOf(500, ".ts");
  const auto bytes = bytesOf(path);
  fs::resize_file(path, bytes.size() / 2 / 188 * 188);
  openHeld(path);
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes.substr(bytes.size() / 2 / 188 * 188);
  playOn();
  EXPECT_TRUE(recorder.errors.empty());
  EXPECT_EQ(screen->numbers(), upTo(500));
}

using ReplacedLinesTest = SubtitlesTest;

TEST_F(ReplacedLinesTest, AfterASeekTheLinesAreThoseOfTheFilmThatPlays) {
  const auto lines = fileOf("lines that stay.srt", kTwoLines).string();
  const auto withLines = darkFilm("stays.mkv", 4, {"-i", lines}, {"-map", "1:s", "-c:s", "srt"});
  const auto path = fileOf("replaced.mkv", bytesOf(withLines));
  openLit(path, true);
  fs::rename(fileOf("without lines.mkv", bytesOf(darkFilm("dark4.mkv", 4))), path);
  EXPECT_GT(at(2960ms).lit, 100);
  EXPECT_GT(at(1s).lit, 100);
  EXPECT_EQ(at(1600ms).lit, 0);
}

class PipeTest : public PlayerTest {
 protected:
  PipeTest() {
    fs::remove(path);
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
  }
  ~PipeTest() override { fs::remove(path); }
  const fs::path path = filmFolder() / "pipe";
};

TEST_F(PipeTest, OneThatNobodyWritesIsLeftWhenThePlayerStops) {
  create();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(player->open(path.string()).ok());
    player->stop();
  }
  ASSERT_TRUE(player->open(path.string()).ok());
  player.reset();
}

TEST_F(PipeTest, OneWhoseWriterFallsSilentIsLeftWhenThePlayerStops) {
  create();
  ASSERT_TRUE(player->open(path.string()).ok());
  const int end = ::open(path.c_str(), O_WRONLY);  // once somebody reads it
  ASSERT_GE(end, 0);
  const auto bytes = bytesOf(numberedFilm(25)).substr(0, 2000);
  EXPECT_EQ(write(end, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  player->stop();
  close(end);
}

}  // namespace
}  // namespace tactus::media::testing
