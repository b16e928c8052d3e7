// SPDX-License-Identifier: Apache-2.0
// What is heard of songs that follow each other, on a device of the test's own.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <span>
#include <thread>

#include "media/playback/player_fixture.h"
#include "media/playback/sound_device.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kRate = SoundDevice::kRate;

/// Noise of 16 bits, no sample of which is silent, and no two of whose pieces are alike.
std::vector<std::int16_t> noise(std::size_t samples) {
  std::mt19937 random(7);
  std::vector<std::int16_t> sound(samples);
  for (auto& sample : sound) {
    const auto loud = static_cast<std::int16_t>(1000 + random() % 8000);
    sample = random() % 2 == 0 ? loud : static_cast<std::int16_t>(-loud);
  }
  return sound;
}

/// Plays in the machine's time, on a device of its own.
class GaplessTest : public PlayerTest {
 protected:
  GaplessTest() : PlayerTest(Time::Real) { settings.audioTarget = device.name(); }
  void SetUp() override {
    if (!device.exists()) GTEST_SKIP() << "pactl could not make a null sink";
  }
  /// Plays them one after the other, and what was heard from the first sample on that is not silent.
  std::vector<float> heardOf(const std::vector<fs::path>& songs) {
    EXPECT_TRUE(device.listen());
    create();
    EXPECT_TRUE(player->open(songs[0].string()).ok());
    for (std::size_t next = 1; next < songs.size(); ++next) {
      player->setNext(songs[next].string());
      EXPECT_TRUE(recorder.waitFor([=](const Recorder& told) { return told.nextItems.size() == next; }));
    }
    EXPECT_TRUE(ended());
    std::this_thread::sleep_for(200ms);  // what was heard last is on its way to the recorder
    auto sound = device.heard()[0];
    const auto loud = [](float sample) { return std::abs(sample) > 0.005F; };
    sound.erase(sound.begin(), std::ranges::find_if(sound, loud));
    sound.erase(std::find_if(sound.rbegin(), sound.rend(), loud).base(), sound.end());
    return sound;
  }
  SoundDevice device{{"mono"}};
};

bool isSame(float heard, std::int16_t recorded) {
  return std::abs(heard - static_cast<float>(recorded) / 32768) < 0.001F;
}

TEST_F(GaplessTest, OfARecordingThatIsCutIntoSongsNoSampleIsLostWhereTheyMeet) {
  const auto sound = noise(4 * kRate);
  constexpr std::size_t kJoints[] = {50'001, 99'999};
  const auto part = [&](std::size_t begin, std::size_t end, const std::string& title) {
    return song("song-" + title + ".flac", std::span(sound).subspan(begin, end - begin),
                "-metadata title=" + title);
  };
  const auto heard = heardOf({part(0, kJoints[0], "One"), part(kJoints[0], kJoints[1], "Two"),
                              part(kJoints[1], sound.size(), "Three")});
  // What a busy machine brings too late elsewhere says nothing of the joints.
  for (const std::size_t joint : kJoints) {
    const auto around = std::span(sound).subspan(joint - 500, 1000);
    EXPECT_NE(std::search(heard.begin(), heard.end(), around.begin(), around.end(), isSame), heard.end())
        << joint;
  }
  std::vector<std::string> titles;
  for (const auto& info : recorder.infos)
    if (info.title.size() < 6 && (titles.empty() || titles.back() != info.title))
      titles.push_back(info.title);
  EXPECT_THAT(titles, ::testing::ElementsAre("One", "Two", "Three"));
}

}  // namespace
}  // namespace tactus::media::testing
