// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <optional>
#include <span>
#include <thread>

#include "media/playback/player_fixture.h"
#include "media/playback/sound_device.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kRate = SoundDevice::kRate;
constexpr int kSeconds = 2;  // of a part of the film
constexpr int kPictures = 25 * kSeconds;
enum Speaker { FrontLeft, FrontRight, Center, Lfe, RearLeft, RearRight };
using Sound = std::vector<std::vector<float>>;

/// Amplitude of one frequency (Goertzel).
double amplitude(std::span<const float> samples, double frequency) {
  double real = 0;
  double imaginary = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double phase = 2 * std::numbers::pi * frequency * static_cast<double>(i) / kRate;
    real += static_cast<double>(samples[i]) * std::cos(phase);
    imaginary += static_cast<double>(samples[i]) * std::sin(phase);
  }
  return 2 * std::hypot(real, imaginary) / static_cast<double>(samples.size());
}

/// The first sample and the one after the last that can be heard, and the longest silence between them.
struct Audible {
  std::size_t begin = 0, end = 0;
  std::size_t longestSilence = 0;
};
Audible audible(const Sound& sound) {
  Audible found;
  for (std::size_t i = 0; i < sound[0].size(); ++i) {
    if (std::ranges::none_of(sound, [=](const auto& speaker) { return std::abs(speaker[i]) > 0.005F; }))
      continue;
    if (found.end == 0) found.begin = found.end = i;
    found.longestSilence = std::max(found.longestSilence, i - found.end);
    found.end = i + 1;
  }
  return found;
}

/// Numbered pictures as numberedFilm() has them. Each second of each part begins with a high tone of 40 ms.
fs::path part(int number, int channels) {
  const std::string length = std::to_string(kSeconds);
  return film("channels" + std::to_string(number) + ".ts",
              {"-f",
               "lavfi",
               "-i",
               "nullsrc=s=320x240:r=25:d=" + length + ",geq=lum='if(mod(floor((N+" +
                   std::to_string(number * kPictures) + ")/pow(2,floor(X/32))),2),235,16)':cb=128:cr=128",
               "-f",
               "lavfi",
               "-i",
               "sine=440:r=48000:beep_factor=4:d=" + length,
               "-c:v",
               "libx264",
               "-preset",
               "ultrafast",
               "-pix_fmt",
               "yuv420p",
               "-g",
               "25",
               "-c:a",
               "ac3",
               "-ac",
               std::to_string(channels),
               "-muxdelay",
               "0",
               "-output_ts_offset",
               std::to_string(number * kSeconds)});
}

/// Plays in the machine's time, on a device of its own.
class ChannelsTest : public PlayerTest {
 protected:
  ChannelsTest() : PlayerTest(Time::Real) { settings.audioTarget = device.name(); }
  void SetUp() override {
    if (!device.exists()) GTEST_SKIP() << "pactl could not make a null sink";
  }
  SoundDevice device{{"front-left", "front-right", "front-center", "lfe", "rear-left", "rear-right"}};
};

TEST_F(ChannelsTest, StereoTurnsToSurroundAndBackWithoutAGap) {
  std::string bytes;
  for (const fs::path& each : {part(0, 2), part(1, 6), part(2, 2)}) bytes += bytesOf(each);
  ASSERT_TRUE(device.listen());
  const fs::path whole = fileOf("channels-" + std::to_string(getpid()) + ".ts", bytes);
  open(whole);
  ASSERT_TRUE(ended());
  std::this_thread::sleep_for(200ms);  // what was heard last is on its way to the recorder
  const Sound& sound = device.heard();
  fs::remove(whole);

  const Audible all = audible(sound);
  ASSERT_NEAR(static_cast<double>(all.end - all.begin) / kRate, 3 * kSeconds, 0.1);
  EXPECT_LT(all.longestSilence, kRate / 10);
  const auto tone = [&](Speaker speaker, int part) {
    return amplitude(std::span(sound[speaker]).subspan(all.begin + kRate * (part * kSeconds + 1), kRate / 2),
                     440);
  };
  for (const int part : {0, 2}) {
    EXPECT_GT(tone(FrontLeft, part), 0.05) << part;
    EXPECT_GT(tone(FrontRight, part), 0.05) << part;
  }
  EXPECT_GT(tone(Center, 1), 0.05) << "where ffmpeg puts one channel of six";
  EXPECT_LT(tone(FrontLeft, 1), 0.01) << "six channels reach six speakers";

  const auto seen = screen->seen();
  ASSERT_GT(seen.size(), 3 * kPictures * 0.8);
  Duration longest{};
  for (std::size_t i = 5; i < seen.size(); ++i) longest = std::max(longest, seen[i].at - seen[i - 1].at);
  EXPECT_LT(longest, 200ms);

  /// By how much the sound of a part's second second is later than its pictures, plus a constant: by the
  /// picture that came soonest.
  const auto soundAfterPicture = [&](int part) -> std::optional<Duration> {
    const int second = part * kSeconds + 1;
    auto shown = Duration::max();
    for (const auto& [number, at] : seen)
      if (number / 25 == second) shown = std::min(shown, at - number % 25 * 40ms);
    const std::size_t due = all.begin + kRate * second;
    const std::size_t span = kRate / 100;
    for (std::size_t at = due - kRate / 2; at < due + kRate / 2; at += span / 4) {
      if (amplitude(std::span(sound[FrontLeft]).subspan(at, span), 1760) > 0.05)
        return device.timeOf(at, due - kRate / 2, due + kRate / 2) - shown;
    }
    return {};
  };
  const auto first = soundAfterPicture(0), last = soundAfterPicture(2);
  ASSERT_TRUE(first.has_value() && last.has_value());
  EXPECT_NEAR(periodic::inSeconds(*last), periodic::inSeconds(*first), 0.04);
  std::printf("silence %zu ms, pictures %zu, longest %.0f ms, sound after picture %.1f, %.1f ms\n",
              all.longestSilence * 1000 / kRate, seen.size(), periodic::inSeconds(longest) * 1000,
              periodic::inSeconds(*first) * 1000, periodic::inSeconds(*last) * 1000);
}

}  // namespace
}  // namespace tactus::media::testing
