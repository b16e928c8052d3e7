// SPDX-License-Identifier: Apache-2.0
// The microphone of a device of the test's own: what its speakers play.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numbers>

#include "media/playback/sound_device.h"
#include "media/playback/test_films.h"
#include "media/streaming/capture_fixture.h"

namespace tactus::media::testing {
namespace {

using plugins::av::Cancellation;

/// Plays a tone on a device.
class Tone {
 public:
  explicit Tone(const std::string& device) {
    gst_init(nullptr, nullptr);
    const std::string text =
        "audiotestsrc freq=1000 volume=0.5 ! audio/x-raw,rate=48000 ! pulsesink device=" + device;
    m_pipeline.reset(gst_parse_launch(text.c_str(), nullptr));
    gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  }
  ~Tone() { gst_element_set_state(m_pipeline.get(), GST_STATE_NULL); }
  Tone(const Tone&) = delete;
  Tone& operator=(const Tone&) = delete;
  [[nodiscard]] bool plays() const {
    return gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 60 * GST_SECOND) ==
           GST_STATE_CHANGE_SUCCESS;
  }

 private:
  plugins::ElementPtr m_pipeline;
};

/// The share of a recording's energy that lies at 1 kHz, and its greatest sample.
struct Heard {
  double tone = 0, loudest = 0;
};
Heard heardIn(const std::filesystem::path& path) {
  const auto raw = film(path.filename().string() + ".s16",
                        {"-i", path.string(), "-f", "s16le", "-ar", "48000", "-ac", "1"});
  const std::string bytes = bytesOf(raw);
  std::filesystem::remove(raw);
  double sine = 0;
  double cosine = 0;
  double energy = 0;
  Heard heard;
  const std::size_t samples = bytes.size() / 2;
  for (std::size_t i = 0; i < samples; ++i) {
    std::int16_t sample = 0;
    std::memcpy(&sample, bytes.data() + 2 * i, 2);
    const double value = sample / 32768.0;
    const double angle = 2 * std::numbers::pi * 1000 * static_cast<double>(i) / 48000;
    sine += value * std::sin(angle);
    cosine += value * std::cos(angle);
    energy += value * value;
    heard.loudest = std::max(heard.loudest, std::abs(value));
  }
  if (energy > 0) heard.tone = 2 * (sine * sine + cosine * cosine) / (energy * static_cast<double>(samples));
  return heard;
}

TEST(OutgoingMicrophone, WhatIsHeardLeavesAsSound) {
  const SoundDevice device({"front-left", "front-right"});
  if (!device.exists()) GTEST_SKIP() << "pactl could not make a null sink";
  const Tone tone(device.name());
  ASSERT_TRUE(tone.plays());
  auto capture = OutgoingCapture::open(
      {.microphone = OutgoingCapture::microphone(device.name() + ".monitor")}, Cancellation());
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  const auto path = fileOf("heard.ts", takeFrom(*capture.value(), 60'000));
  EXPECT_GT(packetsOf(path)[AV_CODEC_ID_OPUS], 50);
  const Heard heard = heardIn(path);
  EXPECT_GT(heard.loudest, 0.2);
}

TEST(OutgoingMicrophone, OneThatThereIsNotIsASentence) {
  const auto capture =
      OutgoingCapture::open({.microphone = OutgoingCapture::microphone("no-microphone")}, Cancellation());
  ASSERT_FALSE(capture.ok());
  EXPECT_EQ(capture.error().message, "");
}

}  // namespace
}  // namespace tactus::media::testing
