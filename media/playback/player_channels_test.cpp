// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <span>
#include <thread>

#include "media/playback/player_fixture.h"

namespace tactus::media::testing {
namespace {

namespace fs = std::filesystem;

constexpr int kRate = 48000;
constexpr int kSeconds = 2;  // of a part of the film
constexpr int kPictures = 25 * kSeconds;
constexpr const char* kSpeakerNames = "front-left,front-right,front-center,lfe,rear-left,rear-right";
enum Speaker { FrontLeft, FrontRight, Center, Lfe, RearLeft, RearRight, Speakers };
using Sound = std::array<std::vector<float>, Speakers>;

std::string output(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int byte = std::fgetc(pipe); byte != EOF && byte != '\n'; byte = std::fgetc(pipe))
    text += static_cast<char>(byte);
  pclose(pipe);
  return text;
}

/// A device of six speakers, and what they play.
class Device {
 public:
  Device()
      : m_module(output("pactl load-module module-null-sink rate=48000 channels=6 sink_name=" + m_name +
                        " channel_map=" + kSpeakerNames + " 2>/dev/null")) {}
  ~Device() {
    m_listener.request_stop();
    if (m_listener.joinable()) m_listener.join();
    if (!m_module.empty()) (void)!std::system(("pactl unload-module " + m_module).c_str());
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  [[nodiscard]] const std::string& name() const { return m_name; }
  /// Whether PipeWire made it.
  [[nodiscard]] bool exists() const { return !m_module.empty(); }
  /// Begins to record, and returns when the first samples have come.
  [[nodiscard]] bool listen() {
    const std::string command =
        "exec parec --latency-msec=20 --format=float32le --rate=48000 --channels=6 "
        "--raw -d " +
        m_name + ".monitor --channel-map=" + kSpeakerNames;
    m_pipe = popen(command.c_str(), "r");
    if (m_pipe == nullptr || !read()) return false;
    m_listener = std::jthread([this](const std::stop_token& end) {
      while (!end.stop_requested() && read()) {
      }
      pclose(m_pipe);  // parec ends as soon as it writes again
    });
    return true;
  }
  /// All of it. To be asked once.
  [[nodiscard]] const Sound& heard() {
    m_listener.request_stop();
    m_listener.join();
    return m_sound;
  }
  /// When a sample was heard, plus a constant delay: by the samples of begin to end that came soonest.
  [[nodiscard]] Duration timeOf(std::size_t sample, std::size_t begin, std::size_t end) const {
    auto least = Duration::max();
    for (const auto& [count, at] : m_arrivals)
      if (count >= begin && count < end) least = std::min(least, at - lengthOf(count));
    return least + lengthOf(sample);
  }

 private:
  static Duration lengthOf(std::size_t samples) {
    return Duration(static_cast<std::int64_t>(samples) * 1'000'000'000 / kRate);
  }
  bool read() {
    std::array<float, Speakers * kRate / 200> some;
    const std::size_t got = std::fread(some.data(), sizeof(float), some.size(), m_pipe);
    for (std::size_t i = 0; i < got; ++i) m_sound[i % Speakers].push_back(some[i]);
    m_arrivals.emplace_back(m_sound[0].size(), periodic::MonotonicClock::now().time_since_epoch());
    return got == some.size();
  }

  std::string m_name = "tactus_six_" + std::to_string(getpid());
  std::string m_module;
  FILE* m_pipe = nullptr;
  Sound m_sound;                                             // the listener's, until it has ended
  std::vector<std::pair<std::size_t, Duration>> m_arrivals;  // likewise
  std::jthread m_listener;
};

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
  Device device;
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
