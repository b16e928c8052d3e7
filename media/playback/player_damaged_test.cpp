// SPDX-License-Identifier: Apache-2.0
// Films in which bytes are not what they were: nothing crashes, hangs or leaks, and who cannot play says why.
#include <filesystem>
#include <random>
#include <tuple>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

enum class Film { Mp4, Matroska, Pictures };

std::filesystem::path wholeFilm(Film film) {
  switch (film) {
    case Film::Mp4:
      return plainFilm(1);
    case Film::Matroska:
      return numberedFilm(25);
    case Film::Pictures:
      break;
  }
  return numberedPictures(25);
}

class Damaged : public PlayerTest, public ::testing::WithParamInterface<std::tuple<Film, unsigned>> {};

TEST_P(Damaged, IsPlayedOrRefusedInASentence) {
  const auto [film, seed] = GetParam();
  const auto whole = wholeFilm(film);
  ASSERT_FALSE(whole.empty()) << "ffmpeg could not make the film";
  auto bytes = bytesOf(whole);
  std::mt19937 random(seed);
  constexpr int kFlips[] = {1, 5, 50};
  for (int flips = kFlips[seed % 3]; flips > 0; --flips) {
    const auto at = random() % bytes.size();
    bytes[at] = static_cast<char>(random() % 256);
  }
  const auto path = fileOf("damaged" + std::to_string(seed) + whole.extension().string(), bytes);
  create();
  const auto opened = player->open(path.string());
  if (!opened.ok()) {
    EXPECT_NE(opened.error().message, "");
  } else {
    ASSERT_TRUE(
        recorder.waitFor([](const Recorder& told) { return told.ended > 0 || !told.errors.empty(); }));
    player->stop();
    for (const auto& error : recorder.errors) EXPECT_NE(error.message, "");
  }
  std::filesystem::remove(path);
}

std::string nameOf(const ::testing::TestParamInfo<Damaged::ParamType>& chosen) {
  constexpr const char* kNames[] = {"Mp4", "Matroska", "Pictures"};
  const auto [film, seed] = chosen.param;
  return kNames[static_cast<int>(film)] + std::to_string(seed);
}

INSTANTIATE_TEST_SUITE_P(Films, Damaged,
                         ::testing::Combine(::testing::Values(Film::Mp4, Film::Matroska, Film::Pictures),
                                            ::testing::Range(0u, 30u)),
                         nameOf);

}  // namespace
}  // namespace tactus::media::testing
