// SPDX-License-Identifier: Apache-2.0
#include "plugins/audio_sink.h"

#include <gst/gst.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numbers>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plugins/gst_handle.h"
#include "plugins/pipewire_fixture.h"
#include "plugins/video_sink.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using namespace testing;
namespace fs = std::filesystem;

class AudioSink : public ::testing::Test {
 protected:
  void SetUp() override {
    gst_init(nullptr, nullptr);
    registerElements();
  }
  void launch(const std::string& source) {
    m_pipeline.reset(gst_parse_launch((source + " ! tactusaudiosink name=sink").c_str(), nullptr));
    ASSERT_TRUE(m_pipeline);
    m_sink.reset(gst_bin_get_by_name(GST_BIN(m_pipeline.get()), "sink"));
  }
  void set(GstState state) {
    gst_element_set_state(m_pipeline.get(), state);
    EXPECT_EQ(gst_element_get_state(m_pipeline.get(), nullptr, nullptr, 60 * GST_SECOND),
              GST_STATE_CHANGE_SUCCESS);
  }
  [[nodiscard]] std::chrono::nanoseconds position() const {
    gint64 value = 0;
    gst_element_query_position(m_pipeline.get(), GST_FORMAT_TIME, &value);
    return std::chrono::nanoseconds(value);
  }
  /// Whether so much more is played.
  [[nodiscard]] bool goesOn(std::chrono::nanoseconds time) const {
    return within(kPatience, [this, until = position() + time] { return position() > until; });
  }
  [[nodiscard]] bool connected() const { return audioSinkState(m_sink.get()).connected; }
  [[nodiscard]] bool reachesTheEnd(Clock::duration longest) const {
    const BusPtr bus(gst_element_get_bus(m_pipeline.get()));
    const MessagePtr end(gst_bus_timed_pop_filtered(
        bus.get(), static_cast<GstClockTime>(std::chrono::nanoseconds(longest).count()),
        static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
    return end && GST_MESSAGE_TYPE(end.get()) == GST_MESSAGE_EOS;
  }
  void TearDown() override {
    if (m_pipeline) gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  }

  ElementPtr m_pipeline;
  ElementPtr m_sink;
};

TEST_F(AudioSink, WithoutADaemonTheClockGoesOnAndTheEndComesInTime) {
  const EmptyRuntime nothing;
  launch("audiotestsrc num-buffers=100 samplesperbuffer=960 ! audio/x-raw,rate=48000,channels=2");  // 2 s
  const auto begin = Clock::now();
  gst_element_set_state(m_pipeline.get(), GST_STATE_PLAYING);
  EXPECT_TRUE(within(kPatience, [&] { return position() > 1s; }));
  EXPECT_GT(Clock::now() - begin, 900ms) << "never faster than it is to be heard";
  EXPECT_TRUE(reachesTheEnd(kPatience));
  EXPECT_GT(Clock::now() - begin, 1900ms);
  const auto state = audioSinkState(m_sink.get());
  EXPECT_FALSE(state.connected);
  EXPECT_EQ(state.reason, "PipeWire is not running; sound returns when it does.");
  EXPECT_EQ(state.underruns, 0u);
  EXPECT_EQ(state.reconnects, 0u);
}

TEST_F(AudioSink, WithoutADaemonTheClockIsSteady) {
  const EmptyRuntime nothing;
  launch("audiotestsrc ! audio/x-raw,rate=48000,channels=2");
  set(GST_STATE_PLAYING);
  std::this_thread::sleep_for(500ms);
  const ClockPtr clock(gst_pipeline_get_pipeline_clock(GST_PIPELINE(m_pipeline.get())));
  const auto begin = Clock::now();
  const auto first = gst_clock_get_time(clock.get());
  std::vector<double> errors;  // ms
  for (int i = 0; i < 200; ++i) {
    std::this_thread::sleep_for(3ms);
    const std::chrono::nanoseconds real = Clock::now() - begin;
    errors.push_back(std::abs(static_cast<double>(gst_clock_get_time(clock.get()) - first) -
                              static_cast<double>(real.count())) /
                     1e6);
  }
  std::sort(errors.begin(), errors.end());
  EXPECT_LT(errors[errors.size() / 2], 8.0);
}

TEST_F(AudioSink, PausesAndStopsAtOnceWithoutADaemon) {
  const EmptyRuntime nothing;
  launch("audiotestsrc");
  set(GST_STATE_PLAYING);
  EXPECT_TRUE(within(kPatience, [&] { return position() > 200ms; }));
  const auto begin = Clock::now();
  set(GST_STATE_PAUSED);
  set(GST_STATE_PLAYING);
  gst_element_set_state(m_pipeline.get(), GST_STATE_NULL);
  EXPECT_LT(Clock::now() - begin, 10s);
}

class PrivateDaemon : public AudioSink {
 protected:
  void SetUp() override {
    AudioSink::SetUp();
    for (const char* program : {"pipewire", "wireplumber", "dbus-run-session", "pw-cli"}) {
      if (!installed(program)) GTEST_SKIP() << program << " is not installed";
    }
  }
};

TEST_F(PrivateDaemon, SoundReturnsAfterTheDaemonWasKilledAndTheFilmWentOnMeanwhile) {
  PrivateSession session;
  ASSERT_TRUE(session.ready) << "no private PipeWire session could be started";
  launch("audiotestsrc ! audio/x-raw,rate=48000,channels=2");
  set(GST_STATE_PLAYING);
  ASSERT_TRUE(within(kPatience, [&] { return connected() && position() > 500ms; }))
      << audioSinkState(m_sink.get()).reason;
  const auto begin = Clock::now();
  const auto from = position();
  session.killDaemon();
  EXPECT_TRUE(within(kPatience, [&] { return !connected(); }));
  EXPECT_NE(audioSinkState(m_sink.get()).reason, "");
  EXPECT_TRUE(goesOn(1500ms));
  session.start();
  ASSERT_TRUE(session.ready);
  EXPECT_TRUE(within(kPatience, [&] { return connected(); })) << audioSinkState(m_sink.get()).reason;
  EXPECT_TRUE(goesOn(1s));
  EXPECT_TRUE(connected()) << audioSinkState(m_sink.get()).reason;
  EXPECT_EQ(audioSinkState(m_sink.get()).reconnects, 1u);
  EXPECT_LT(position() - from, Clock::now() - begin + 400ms) << "never faster than it is to be heard";
}

TEST_F(PrivateDaemon, TheFilmGoesOnWhileTheDaemonHangs) {
  PrivateSession session;
  ASSERT_TRUE(session.ready) << "no private PipeWire session could be started";
  launch("audiotestsrc ! audio/x-raw,rate=48000,channels=2");
  set(GST_STATE_PLAYING);
  ASSERT_TRUE(within(kPatience, [&] { return connected() && position() > 500ms; }))
      << audioSinkState(m_sink.get()).reason;
  session.daemon().signal(SIGSTOP);
  EXPECT_TRUE(goesOn(1300ms));
  EXPECT_TRUE(within(kPatience, [&] { return !connected(); }));
  session.daemon().signal(SIGCONT);
  EXPECT_TRUE(within(kPatience, [&] { return connected(); })) << audioSinkState(m_sink.get()).reason;
}

/// The session's own daemon, as a user has it.
class SessionDaemon : public AudioSink {
 protected:
  void SetUp() override {
    AudioSink::SetUp();
    const char* runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime == nullptr || !fs::exists(fs::path(runtime) / "pipewire-0")) {
      GTEST_SKIP() << "no PipeWire in XDG_RUNTIME_DIR";
    }
    if (!installed("pactl") || !installed("parec")) GTEST_SKIP() << "pactl and parec are not installed";
    m_module = output("pactl load-module module-null-sink sink_name=tactus_test rate=48000");
    if (m_module.empty()) GTEST_SKIP() << "pactl could not make a null sink";
    ASSERT_TRUE(
        within(kPatience, [] { return std::system("pactl list short sinks | grep -q tactus_test") == 0; }));
  }
  void TearDown() override {
    AudioSink::TearDown();
    if (!m_module.empty()) (void)!std::system(("pactl unload-module " + m_module).c_str());
  }
  std::string m_module;
};

TEST_F(SessionDaemon, ATone440ReachesTheDeviceUnbroken) {
  launch("audiotestsrc freq=440 volume=0.5 ! audio/x-raw,rate=48000,channels=2");
  g_object_set(m_sink.get(), "target-object", "tactus_test", nullptr);
  set(GST_STATE_PLAYING);
  ASSERT_TRUE(within(kPatience, [&] { return connected() && position() > 500ms; }))
      << audioSinkState(m_sink.get()).reason;
  FILE* pipe = popen(
      "timeout 3 parec -d tactus_test.monitor --latency-msec=20 --format=float32le --rate=48000 --channels=2 "
      "--raw",
      "r");
  ASSERT_NE(pipe, nullptr);
  std::vector<float> both(2 * 96000);
  const std::size_t got = std::fread(both.data(), sizeof(float), both.size(), pipe);
  pclose(pipe);
  ASSERT_EQ(got, both.size());
  std::vector<float> left;
  for (std::size_t i = 48000; i < both.size(); i += 2) left.push_back(both[i]);
  const double tone = amplitude(left, 440);
  EXPECT_NEAR(tone, 0.5, 0.05);
  for (const double other : {220.0, 415.0, 470.0, 880.0, 1000.0})
    EXPECT_LT(amplitude(left, other), tone / 10) << other;
  EXPECT_EQ(audioSinkState(m_sink.get()).underruns, 0u);
}

TEST_F(SessionDaemon, NeitherStartNorPauseNorSeekIsAnUnderrun) {
  launch("audiotestsrc ! audio/x-raw,rate=48000,channels=2");
  g_object_set(m_sink.get(), "target-object", "tactus_test", nullptr);
  set(GST_STATE_PLAYING);
  for (int round = 0; round < 3; ++round) {
    EXPECT_TRUE(goesOn(400ms));
    set(GST_STATE_PAUSED);
    const auto held = position();
    std::this_thread::sleep_for(200ms);
    EXPECT_EQ(position(), held);
    gst_element_seek_simple(m_pipeline.get(), GST_FORMAT_TIME, GST_SEEK_FLAG_FLUSH, 10 * GST_SECOND);
    set(GST_STATE_PLAYING);
  }
  EXPECT_TRUE(within(kPatience, [&] { return position() > 10200ms; }));
  const auto state = audioSinkState(m_sink.get());
  EXPECT_EQ(state.underruns, 0u);
  EXPECT_EQ(state.reconnects, 0u);
  EXPECT_TRUE(state.connected) << state.reason;
}

TEST_F(SessionDaemon, TheClockIsSteadyBetweenTheDevicesCallbacks) {
  launch("audiotestsrc ! audio/x-raw,rate=48000,channels=2");
  g_object_set(m_sink.get(), "target-object", "tactus_test", nullptr);
  set(GST_STATE_PLAYING);
  ASSERT_TRUE(within(kPatience, [&] { return connected() && position() > 500ms; }))
      << audioSinkState(m_sink.get()).reason;
  const ClockPtr clock(gst_pipeline_get_pipeline_clock(GST_PIPELINE(m_pipeline.get())));
  const auto begin = Clock::now();
  const auto first = gst_clock_get_time(clock.get());
  std::vector<double> errors;  // ms
  for (int i = 0; i < 300; ++i) {
    std::this_thread::sleep_for(3ms);
    const std::chrono::nanoseconds real = Clock::now() - begin;
    errors.push_back(std::abs(static_cast<double>(gst_clock_get_time(clock.get()) - first) -
                              static_cast<double>(real.count())) /
                     1e6);
  }
  std::sort(errors.begin(), errors.end());
  std::printf("clock error p50 %.2f ms, p90 %.2f ms, max %.2f ms\n", errors[150], errors[270], errors.back());
  EXPECT_LT(errors[150], 8.0);
}

}  // namespace
}  // namespace tactus::plugins
