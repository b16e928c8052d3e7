// SPDX-License-Identifier: Apache-2.0
// Films whose headers tell of more than there is, or could be: what is there is played, or a sentence says
// why not; neither takes the machine's memory.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string_view>

#include "media/playback/matroska_pieces.h"
#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kTwoThousandMillion = std::uint64_t{1} << 31;
constexpr std::int64_t kMostGrowth = 1 << 20;  // kB: what a small film may take beside what is taken already

/// A figure of /proc/self/status, in kB.
std::int64_t statusOf(std::string_view name) {
  std::ifstream file("/proc/self/status");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with(name)) return std::stoll(line.substr(name.size() + 1));
  return 0;
}

/// How much more memory was taken at one time than when it was made.
class MemoryWatch {
 public:
  MemoryWatch() {
    std::ofstream("/proc/self/clear_refs") << 5;  // the peak is what there is now
    m_before = statusOf("VmHWM");
  }
  [[nodiscard]] std::int64_t growth() const { return statusOf("VmHWM") - m_before; }

 private:
  std::int64_t m_before = 0;
};

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  text.reserve(piece.size() * times);
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

/// `by` stands where it was, so many bytes behind the beginning of the first `mark`.
struct Lie {
  std::string_view mark;
  std::size_t behind;
  std::string by;
};

std::string lied(std::string bytes, const std::vector<Lie>& lies) {
  for (const Lie& lie : lies) {
    const auto at = bytes.find(lie.mark);
    EXPECT_NE(at, std::string::npos) << lie.mark;
    if (at != std::string::npos) bytes.replace(at + lie.behind, lie.by.size(), lie.by);
  }
  return bytes;
}

std::string made(const std::string& name, const std::string& options) {
  return bytesOf(film(name, words("-f lavfi -i testsrc2=s=320x300:r=25:d=1 " + options)));
}

/// MP4 whose index is its first box but one.
std::string mp4(const std::vector<Lie>& lies) {
  return lied(bytesOf(plainFilm(1)), lies);
}

/// MP4 whose index is its last box, with more in it.
std::string mp4With(const std::string& boxes) {
  std::string bytes = made("late.mp4", "-c:v mjpeg -pix_fmt yuvj420p");
  const auto at = bytes.find("moov") - 4;
  bytes.replace(at, 4, big(bytes.size() - at + boxes.size(), 4));
  return bytes + boxes;
}

/// Matroska with these bytes before its tracks.
std::string matroskaWith(const std::string& elements) {
  return withElements(made("whole.mkv", "-c:v mjpeg -pix_fmt yuvj420p"), elements);
}

std::string chapters(std::string_view each, std::size_t bytes) {
  return element(matroska::kChapters, element(matroska::kEdition, repeated(each, bytes / each.size())));
}

/// An element of less than 127 bytes.
std::string small(std::string_view id, const std::string& body) {
  return std::string(id) + static_cast<char>(0x80 | body.size()) + body;
}

/// Each begins after the one before. Their numbers fall, or libavformat would not look at all
/// those before each.
std::string fallingChapters(std::size_t bytes) {
  std::string atom = small(
      "\xb6", small("\x73\xc4", big(0, 4)) + small("\x91", big(0, 8)) + small("\x80", small("\x85", "Name")));
  std::string atoms;
  atoms.reserve(bytes + atom.size());
  for (std::uint32_t i = 1; atoms.size() < bytes; ++i) {
    for (std::size_t byte = 0; byte < 4; ++byte) {
      atom[5 + byte] = static_cast<char>(~i >> (24 - 8 * byte));
      atom[14 + byte] = static_cast<char>(i >> (24 - 8 * byte));
    }
    atoms += atom;
  }
  return element(matroska::kChapters, element(matroska::kEdition, atoms));
}

std::string hugePng() {
  return made("small.png", "-frames:v 1").replace(16, 8, big(65535, 4) + big(65535, 4));
}

std::string hugeGif() {
  return made("small.gif", "-frames:v 2").replace(6, 4, 4, '\xff');
}

struct Liar {
  const char* name;
  const char* ending;
  std::function<std::string()> bytes;
};

const Liar kLiars[] = {
    {"Mp4OfTwoThousandMillionSizes", ".mp4",
     [] {
       return mp4({{"stsz", 12, big(kTwoThousandMillion, 4)}});
     }},
    {"Mp4OfTwoThousandMillionSamplesOfOneByte", ".mp4",
     [] {
       return mp4({{"stsz", 8, big(1, 4) + big(kTwoThousandMillion - 1, 4)},
                   {"stsc", 16, big(kTwoThousandMillion - 1, 4)}});
     }},
    {"Mp4OfEightyMillionSamplesOfOneByte", ".mp4",
     [] {
       return mp4({{"stsz", 8, big(1, 4) + big(80'000'000, 4)}, {"stsc", 16, big(80'000'000, 4)}});
     }},
    {"Mp4OfTwoThousandMillionDurations", ".mp4",
     [] {
       return mp4({{"stts", 8, big(kTwoThousandMillion, 4)}});
     }},
    {"Mp4OfTwoThousandMillionPicturesOfOneDuration", ".mp4",
     [] {
       return mp4({{"stts", 12, big(kTwoThousandMillion, 4)}});
     }},
    {"Mp4OfPicturesThatLastDays", ".mp4",
     [] {
       return mp4({{"stts", 16, big(kTwoThousandMillion - 1, 4)}});
     }},
    {"Mp4OfTwoThousandMillionChunks", ".mp4",
     [] {
       return mp4({{"stco", 8, big(kTwoThousandMillion, 4)}});
     }},
    {"Mp4OfHugePictures", ".mp4",
     [] {
       return mp4({{"avc1", 28, big(0xffff'ffff, 4)}});
     }},
    {"Mp4OfAMillionTracks", ".mp4",
     [] { return mp4With(repeated(std::string_view("\0\0\0\x08trak", 8), 1'000'000)); }},
    {"MatroskaOfAMillionTracks", ".mkv",
     [] { return matroskaWith(element(matroska::kTracks, repeated("\xae\x80", 1'000'000))); }},
    {"MatroskaOfAGigabyteOfChaptersThatAreNotThere", ".mkv",
     [] { return matroskaWith(elementHead(matroska::kChapters, std::uint64_t{1} << 30)); }},
    {"MatroskaOfFiftyMegabytesOfEmptyChapters", ".mkv",
     [] { return matroskaWith(chapters("\xb6\x80", 50 << 20)); }},
    {"MatroskaOfFiftyMegabytesOfChapters", ".mkv", [] { return matroskaWith(fallingChapters(50 << 20)); }},
    {"MatroskaOfHugePictures", ".mkv",
     [] {
       return lied(matroskaWith(""),
                   {{"\xb0\x82\x01\x40", 2, big(65535, 2)}, {"\xba\x82\x01\x2c", 2, big(65535, 2)}});
     }},
    {"AviOfHugePictures", ".avi",
     [] {
       return lied(made("raw.avi", "-frames:v 3 -c:v rawvideo -pix_fmt bgr24"),
                   {{"strf", 12, std::string("\xff\xff\0\0\xff\xff\0\0", 8)}});
     }},
    {"HugePng", ".png", hugePng},
    {"HugeGif", ".gif", hugeGif},
};

class LyingHeaders : public PlayerTest, public ::testing::WithParamInterface<Liar> {};

TEST_P(LyingHeaders, EndInASentenceOrPlayWhatIsThere) {
  const auto path = fileOf(std::string("lying") + GetParam().ending, GetParam().bytes());
  create();
  const MemoryWatch memory;
  const auto opened = player->open(path.string());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  ASSERT_TRUE(recorder.waitFor([](const Recorder& told) { return told.ended > 0 || !told.errors.empty(); }));
  player->stop();
  for (const auto& error : recorder.errors) EXPECT_NE(error.message, "");
  EXPECT_LT(memory.growth(), kMostGrowth);
  fs::remove(path);
}

INSTANTIATE_TEST_SUITE_P(Of, LyingHeaders, ::testing::ValuesIn(kLiars),
                         [](const auto& chosen) { return std::string(chosen.param.name); });

}  // namespace
}  // namespace tactus::media::testing
