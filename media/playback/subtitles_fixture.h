// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {

/// A box of pixels, its right and bottom edges inside it.
struct Box {
  int left = 0, top = 0, right = 0, bottom = 0;
  friend bool operator==(const Box&, const Box&) = default;
};
inline std::ostream& operator<<(std::ostream& out, const Box& box) {
  return out << box.left << ".." << box.right << " x " << box.top << ".." << box.bottom;
}

/// A screen for darkFilm(): reads the number in its uppermost rows, and where it is lit below them.
class LitReader final : public PixelScreen {
 public:
  struct Seen {
    int number;
    int lit;  ///< bright pixels
    Box box;  ///< around them
    std::vector<std::uint8_t> pixels;
  };
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
  std::uint64_t shown() const noexcept override {
    const std::lock_guard lock(m_mutex);
    return m_seen.size();
  }

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
  [[nodiscard]] bool isBright(int x, int y) const { return greenLocked(x, y) > 128; }
  std::vector<Seen> m_seen;
};

/// Black pictures, 25 a second, whose uppermost 16 rows hold their number in columns of 32 pixels; and what
/// is muxed with them.
[[nodiscard]] std::filesystem::path darkFilm(const std::string& name, int seconds,
                                             const std::vector<std::string>& inputs = {},
                                             const std::vector<std::string>& outputs = {}, int height = 240);

/// From 500 to 1500 ms, and from 2000 to 3000.
inline constexpr const char* kTwoLines =
    "1\n00:00:00,500 --> 00:00:01,500\nNever bolder\n\n"
    "2\n00:00:02,000 --> 00:00:03,000\nNor later\n\n";

/// The pictures on which lines of these milliseconds are seen.
[[nodiscard]] std::vector<int> picturesOf(const std::vector<std::pair<int, int>>& lines);

class SubtitlesTest : public PlayerTest {
 protected:
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
    // A picture that was sought before may still come.
    EXPECT_TRUE(eventually([&] { return screen->last().number == position / 40ms; }));
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

}  // namespace tactus::media::testing
