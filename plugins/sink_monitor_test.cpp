// SPDX-License-Identifier: Apache-2.0
#include "plugins/sink_monitor.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "plugins/call_output.h"
#include "plugins/call_output_fixture.h"
#include "plugins/pipewire_fixture.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using namespace testing;

constexpr double kTone = 440;
constexpr double kAmplitude = 0.3;

/// A call's output on which a tone is played.
class Speaker {
 public:
  explicit Speaker(const std::string& sink) : m_output({.target = sink}) {}

 private:
  CallOutput m_output;
  Pusher m_pusher{m_output, toneOf(kTone, kAmplitude)};
};

class SinkMonitorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"pipewire", "wireplumber", "dbus-run-session", "pw-cli", "pactl"})
      if (!installed(program)) GTEST_SKIP() << program << " is not installed";
  }
  /// Reads as a microphone's thread does, until it holds.
  static bool comes(SinkMonitor& monitor, const std::function<bool(std::span<const float>)>& holds) {
    std::vector<float> heard;
    std::vector<std::int16_t> some(480);
    return within(2 * kPatience, [&] {
      while (const std::size_t came = monitor.read(some))
        for (std::size_t i = 0; i < came; ++i) heard.push_back(static_cast<float>(some[i]) / 32768);
      const std::size_t wanted = kUnbroken.count() * 48;
      return heard.size() > wanted && holds(std::span(heard).last(wanted));
    });
  }
  static bool hearsTone(SinkMonitor& monitor) {
    return comes(monitor, [](std::span<const float> samples) {
      const Tone tone = toneOf(samples);
      return tone.unbroken && std::abs(tone.frequency - kTone) < 10 &&
             std::abs(tone.amplitude - kAmplitude) < 0.03;
    });
  }
  static bool hearsSilence(SinkMonitor& monitor) { return comes(monitor, isSilent); }
};

TEST_F(SinkMonitorTest, ItHearsWhatIsPlayedOnItsSinkAlone) {
  const auto module = output("pactl load-module module-null-sink rate=48000 sink_name=tactus_heard");
  ASSERT_NE(module, "");
  {
    SinkMonitor monitor("tactus_heard");
    EXPECT_TRUE(hearsSilence(monitor)) << "a device that plays nothing";
    const Speaker elsewhere("tactus-test-sink");
    EXPECT_TRUE(hearsSilence(monitor));
    const Speaker speaker("tactus_heard");
    EXPECT_TRUE(hearsTone(monitor));
  }
  (void)!std::system(("pactl unload-module " + module).c_str());
}

TEST_F(SinkMonitorTest, ItFollowsTheDefaultSink) {
  const std::string before = output("pactl get-default-sink");
  const auto module = output("pactl load-module module-null-sink rate=48000 sink_name=tactus_next");
  ASSERT_NE(module, "");
  {
    SinkMonitor monitor("");
    const Speaker speaker("tactus_next");
    EXPECT_TRUE(hearsSilence(monitor));
    ASSERT_TRUE(within(kPatience, [] {
      return output("pactl set-default-sink tactus_next; pactl get-default-sink") == "tactus_next";
    }));
    EXPECT_TRUE(hearsTone(monitor));
  }
  (void)!std::system(("pactl set-default-sink " + before + "; pactl unload-module " + module).c_str());
}

TEST_F(SinkMonitorTest, WhatIsNotReadIsGivenUpTheOldestFirst) {
  SinkMonitor monitor("");
  const auto begun = monitor.cameAt();
  ASSERT_TRUE(within(kPatience, [&] { return monitor.cameAt() > begun + 1s; }));
  std::vector<std::int16_t> all(48'000);
  EXPECT_LE(monitor.read(all), 24'000U);
}

TEST_F(SinkMonitorTest, WithoutADaemonNothingComesAndWithOneItDoesAgain) {
  PrivateSession session;
  ASSERT_TRUE(session.ready);
  SinkMonitor monitor("");
  ASSERT_TRUE(hearsSilence(monitor));
  session.killDaemon();
  std::vector<std::int16_t> some(480);
  ASSERT_TRUE(within(kPatience, [&] {
    while (monitor.read(some) > 0) {
    }
    return periodic::MonotonicClock::now() - monitor.cameAt() > 2s;
  }));
  session.start();
  ASSERT_TRUE(session.ready);
  EXPECT_TRUE(hearsSilence(monitor));
}

}  // namespace
}  // namespace tactus::plugins
