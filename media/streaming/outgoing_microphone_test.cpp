// SPDX-License-Identifier: Apache-2.0
// The microphone of a device of the test's own: what its speakers play.
#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

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

/// The greatest sample of a recording, of 1.
double loudestOf(const std::filesystem::path& path) {
  const auto raw = film(path.filename().string() + ".s16",
                        {"-i", path.string(), "-f", "s16le", "-ar", "48000", "-ac", "1"});
  const std::string bytes = bytesOf(raw);
  std::filesystem::remove(raw);
  int loudest = 0;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    std::int16_t sample = 0;
    std::memcpy(&sample, bytes.data() + at, 2);
    loudest = std::max(loudest, std::abs(static_cast<int>(sample)));
  }
  return loudest / 32768.0;
}

TEST(OutgoingMicrophone, WhatIsHeardLeavesAsSound) {
  const SoundDevice device({"front-left", "front-right"});
  if (!device.exists()) GTEST_SKIP() << "pactl could not make a null sink";
  const Tone tone(device.name());
  ASSERT_TRUE(tone.plays());
  auto capture = OutgoingCapture::open(
      {.microphone = OutgoingCapture::microphone(device.name() + ".monitor")}, Cancellation());
  ASSERT_TRUE(capture.ok()) << capture.error().message;
  EXPECT_EQ(capture.value()->contract().linkClass, net::LinkClass::Audio);
  const auto path = fileOf("heard.ts", takeFrom(*capture.value(), 60'000));
  EXPECT_GT(packetsOf(path)[AV_CODEC_ID_OPUS], 50);
  EXPECT_GT(loudestOf(path), 0.2) << "half of the greatest is played";
}

TEST(OutgoingMicrophone, OneThatThereIsNotIsASentence) {
  const auto capture =
      OutgoingCapture::open({.microphone = OutgoingCapture::microphone("no-microphone")}, Cancellation());
  ASSERT_FALSE(capture.ok());
  EXPECT_EQ(capture.error().code, ErrorCode::NotFound);
  EXPECT_EQ(capture.error().message, "There is no microphone 'no-microphone'.");
}

}  // namespace
}  // namespace tactus::media::testing
