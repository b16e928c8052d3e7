// SPDX-License-Identifier: Apache-2.0
// What a film brings beside its pictures may be anything: the film plays to its end, and its lines are seen.
#include <gmock/gmock.h>

#include <limits>

#include "media/playback/matroska_pieces.h"
#include "media/playback/subtitles_fixture.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;

class BesideThePicturesTest : public SubtitlesTest {
 protected:
  /// Four seconds with kTwoLines and these elements.
  static fs::path filmWith(const std::string& elements) {
    const auto lines = fileOf("two lines.srt", kTwoLines).string();
    const auto whole = darkFilm("two lines.mkv", 4, {"-i", lines}, {"-map", "1:s", "-c:s", "ass"});
    return fileOf("beside.mkv", withElements(bytesOf(whole), elements));
  }
  /// What holds of each of these films, whatever is beside its pictures.
  void playsWith(const std::string& elements) {
    EXPECT_EQ(litOf(filmWith(elements)), picturesOf({{500, 1500}, {2000, 3000}}));
    EXPECT_TRUE(recorder.errors.empty());
  }
  [[nodiscard]] std::vector<std::pair<std::string, Duration>> chapters() const {
    std::vector<std::pair<std::string, Duration>> found;
    for (const Chapter& each : player->info().chapters) found.emplace_back(each.title, each.start);
    return found;
  }
};

TEST_F(BesideThePicturesTest, FontsThatAreNoneHideNoLine) {
  const std::string garbage(3000, '\x7f');
  std::string broken = garbage;
  broken.replace(0, 4, "OTTO");
  std::string endless = garbage;
  endless.replace(0, 6, std::string_view("\0\1\0\0\xff\xff", 6));  // tables without number
  playsWith(element(matroska::kAttachments,
                    attachment("garbage.ttf", "font/ttf", garbage) +
                        attachment("empty.ttf", "application/x-truetype-font", "") +
                        attachment("", "font/otf", "OTTO") +
                        attachment("../../broken.otf", "application/vnd.ms-opentype", broken) +
                        attachment("endless.ttf", "font/ttf", endless)));
}

TEST_F(BesideThePicturesTest, AFontOfSixtyMegabytesThatIsNoneHidesNoLine) {
  playsWith(element(matroska::kAttachments, attachment("large.ttf", "font/ttf", std::string(60 << 20, 'f'))));
}

TEST_F(BesideThePicturesTest, AnAttachmentThatSaysItIsLargerThanTheFilmHidesNoLine) {
  playsWith(elementHead(matroska::kAttachments, std::uint64_t{1} << 40) +
            elementHead("\x61\xa7", std::uint64_t{1} << 39) +
            elementHead("\x46\x5c", std::uint64_t{1} << 38));
}

TEST_F(BesideThePicturesTest, OfChaptersInNoOrderAreToldThoseThatFollowEachOther) {
  playsWith(element(matroska::kChapters,
                    element(matroska::kEdition, chapter(1, 1'000'000'000, 2'000'000'000, "First") +
                                                    chapter(2, 0, 1'000'000'000, "Before") +
                                                    chapter(3, 3'000'000'000, 4'000'000'000, "Last"))));
  EXPECT_THAT(chapters(), ::testing::ElementsAre(std::pair("First", 1s), std::pair("Last", 3s)));
}

TEST_F(BesideThePicturesTest, ChaptersOutsideTheFilmAreNotTold) {
  const auto negative = static_cast<std::uint64_t>(-5'000'000'000);
  const auto last = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  playsWith(element(
      matroska::kChapters,
      element(matroska::kEdition,
              chapter(1, 0, 1'000'000'000, "First") + chapter(2, 400'000'000'000, 500'000'000'000, "Behind") +
                  chapter(3, negative, 1'000'000'000, "Before") + chapter(4, last, last, "Last") +
                  chapter(5, 2'000'000'000, 1'000'000'000, "Backwards") +
                  chapter(6, 3'000'000'000, last, "Endless"))));
  for (const auto& [title, start] : chapters()) {
    EXPECT_GE(start, 0s) << title;
    EXPECT_LT(start, 4s) << title;
  }
  EXPECT_THAT(chapters(), ::testing::Contains(std::pair(std::string("First"), Duration(0))));
}

}  // namespace
}  // namespace tactus::media::testing
