// SPDX-License-Identifier: Apache-2.0
#include "plugins/call_output.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "plugins/call_output_fixture.h"
#include "plugins/pipewire_fixture.h"

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using namespace testing;
namespace fs = std::filesystem;

constexpr double kTone = 440;
constexpr double kAmplitude = 0.3;

TEST(CallOutput, WithoutADaemonSamplesAreTakenAndTheReasonIsTold) {
  const EmptyRuntime nothing;
  CallOutput output({});
  const std::vector<std::int16_t> packet(960);
  for (int i = 0; i < 1000; ++i) output.push(packet);  // 20 s: more than the ring has room for
  EXPECT_TRUE(within(kPatience, [&] {
    return output.figures().why == "PipeWire is not running; sound returns when it does.";
  })) << output.figures().why;
  EXPECT_FALSE(output.figures().connected);
  EXPECT_EQ(output.figures().underruns, 0u);
  EXPECT_EQ(output.figures().overflows, 0u);
}

/// A daemon that ends and hangs.
class CallOutputDaemon : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"pipewire", "wireplumber", "dbus-run-session", "pw-cli"})
      if (!installed(program)) GTEST_SKIP() << program << " is not installed";
  }
  static bool hasStalled(const CallOutput& output) {
    return within(kPatience, [&] {
      return output.figures().why == "No sound device takes the sound; it returns when one does.";
    });
  }
  static bool connects(const CallOutput& output) {
    return within(kPatience, [&] { return output.figures().connected; });
  }
};

TEST_F(CallOutputDaemon, SoundReturnsAfterTheDaemonWasKilled) {
  PrivateSession session;
  ASSERT_TRUE(session.ready);
  CallOutput output({});
  const Pusher pusher(output, toneOf(kTone, kAmplitude));
  ASSERT_TRUE(connects(output)) << output.figures().why;
  session.killDaemon();
  ASSERT_TRUE(within(kPatience, [&] { return !output.figures().connected; }));
  EXPECT_NE(output.figures().why, "");
  session.start();
  ASSERT_TRUE(session.ready);
  EXPECT_TRUE(connects(output)) << output.figures().why;
  EXPECT_TRUE(within(kPatience, [&] { return output.figures().waits > 0ms; }));
}

TEST_F(CallOutputDaemon, ADaemonThatHangsIsToldAndNothingWaitsForIt) {
  PrivateSession session;
  ASSERT_TRUE(session.ready);
  CallOutput output({});
  const Pusher pusher(output, toneOf(kTone, kAmplitude));
  ASSERT_TRUE(connects(output)) << output.figures().why;
  session.daemon().signal(SIGSTOP);
  EXPECT_TRUE(hasStalled(output)) << output.figures().why;
  session.daemon().signal(SIGCONT);
  EXPECT_TRUE(connects(output)) << output.figures().why;
  EXPECT_TRUE(within(kPatience, [&] { return output.figures().waits > 0ms; }));
}

TEST_F(CallOutputDaemon, SoundWithoutAnyDeviceIsToldAndReturnsWithOne) {
  PrivateSession session;
  ASSERT_TRUE(session.ready);
  CallOutput output({});
  const Pusher pusher(output, toneOf(kTone, kAmplitude));
  ASSERT_TRUE(connects(output)) << output.figures().why;
  ASSERT_TRUE(PrivateSession::removeSink());
  EXPECT_TRUE(hasStalled(output)) << output.figures().why;
  ASSERT_TRUE(PrivateSession::addSink());
  EXPECT_TRUE(connects(output)) << output.figures().why;
}

/// The session's own daemon, as a user has it, and a sink that is recorded.
class CallOutputHeard : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* runtime = getenv("XDG_RUNTIME_DIR");
    if (runtime == nullptr || !fs::exists(fs::path(runtime) / "pipewire-0"))
      GTEST_SKIP() << "no PipeWire in XDG_RUNTIME_DIR";
    if (!installed("pactl") || !installed("parec")) GTEST_SKIP() << "pactl and parec are not installed";
    m_module = addSink("tactus_call");
    ASSERT_NE(m_module, "");
  }
  void TearDown() override { remove(m_module); }
  static std::string addSink(const std::string& name) {
    const auto module = output("pactl load-module module-null-sink rate=48000 sink_name=" + name);
    const auto there = [&] { return std::system(("pactl list short sinks | grep -q " + name).c_str()) == 0; };
    return within(kPatience, there) ? module : "";
  }
  static void remove(const std::string& module) {
    if (!module.empty()) (void)!std::system(("pactl unload-module " + module).c_str());
  }
  /// The tone comes unbroken, however long that takes on a busy machine.
  static bool isHeard(const SinkRecorder& recorder, double amplitude) {
    return within(2 * kPatience, [&] {
      const Tone tone = toneOf(recorder.last(kUnbroken));
      return tone.unbroken && std::abs(tone.frequency - kTone) < 10 &&
             std::abs(tone.amplitude - amplitude) < 0.02;
    });
  }

  std::string m_module;
};

TEST_F(CallOutputHeard, AToneComesToTheDeviceUnbrokenUntilItIsMuted) {
  CallOutput call({.target = "tactus_call"});
  const Pusher pusher(call, toneOf(kTone, kAmplitude));
  const SinkRecorder recorder("tactus_call");
  EXPECT_TRUE(isHeard(recorder, kAmplitude)) << call.figures().why;
  EXPECT_TRUE(within(kPatience, [&] { return call.figures().connected; })) << call.figures().why;
  call.setMuted(true);
  EXPECT_TRUE(within(kPatience, [&] { return isSilent(recorder.last(500ms)); }));
  call.setVolume(0.5);
  EXPECT_TRUE(isSilent(recorder.last(100ms)));
  call.setMuted(false);
  EXPECT_TRUE(isHeard(recorder, kAmplitude / 8)) << "the scale is cubic";
  call.setVolume(9);
  EXPECT_TRUE(isHeard(recorder, kAmplitude * 1.5 * 1.5 * 1.5));
}

TEST_F(CallOutputHeard, TwoCallsAreMixedByPipeWire) {
  CallOutput one({.target = "tactus_call"}), other({.target = "tactus_call"});
  other.setVolume(0.5);
  const Pusher first(one, toneOf(kTone, kAmplitude)), second(other, toneOf(1000, kAmplitude));
  const SinkRecorder recorder("tactus_call");
  EXPECT_TRUE(within(2 * kPatience, [&] {
    const auto both = recorder.last(100ms);  // the speed of neither is exactly 1
    return both.size() == 4800 && std::abs(amplitude(both, kTone) - kAmplitude) < 0.03 &&
           std::abs(amplitude(both, 1000) - kAmplitude / 8) < 0.01;
  }));
}

TEST_F(CallOutputHeard, AnotherDeviceIsUsedWhenTheDefaultOneVanishes) {
  const std::string before = output("pactl get-default-sink");
  const auto vanishes = addSink("tactus_vanishes");
  ASSERT_NE(vanishes, "");
  ASSERT_TRUE(within(kPatience, [] {
    return output("pactl set-default-sink tactus_vanishes; pactl get-default-sink") == "tactus_vanishes";
  }));
  CallOutput call({});
  const Pusher pusher(call, toneOf(kTone, kAmplitude));
  {
    const SinkRecorder recorder("tactus_vanishes");
    EXPECT_TRUE(isHeard(recorder, kAmplitude)) << call.figures().why;
  }
  remove(vanishes);
  ASSERT_TRUE(within(kPatience, [&] {
    return output("pactl set-default-sink tactus_call; pactl get-default-sink") == "tactus_call";
  }));
  {
    const SinkRecorder recorder("tactus_call");
    EXPECT_TRUE(isHeard(recorder, kAmplitude)) << call.figures().why;
  }
  (void)!std::system(("pactl set-default-sink " + before).c_str());
}

}  // namespace
}  // namespace tactus::plugins
