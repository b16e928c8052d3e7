// SPDX-License-Identifier: Apache-2.0
// A tone of a webrtcbin of this process, played on a PipeWire device.
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "media/room/participant/call_peer_fixture.h"
#include "media/room/participant/incoming_call.h"
#include "plugins/pipewire_fixture.h"

namespace tactus::media::testing {
namespace {

using namespace std::chrono_literals;
using namespace plugins::testing;

constexpr const char* kTone =
    "audiotestsrc is-live=true freq=440 volume=0.3 samplesperbuffer=960 ! audio/x-raw,rate=48000 ! queue "
    "! opusenc ! rtpopuspay ! capsfilter caps=application/x-rtp,media=audio,encoding-name=OPUS,payload=111";

class IncomingCallSound : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* program : {"pipewire", "wireplumber", "dbus-run-session", "pw-cli", "pactl", "parec"})
      if (!installed(program)) GTEST_SKIP() << program << " is not installed";
  }
  std::unique_ptr<IncomingCall> connect(const std::string& device) {
    auto made = IncomingCall::create(
        {.encodings = {}, .addresses = {"127.0.0.1"}, .label = "Ann", .soundDevice = device}, scheduler,
        nullptr);
    if (!made.ok()) return nullptr;
    auto call = std::move(made).value();
    const auto offer = call->offer();
    if (!offer.ok() || !call->accept(peer.answer(offer.value())).ok()) return nullptr;
    return call;
  }
  static plugins::CallOutput::Figures outputOf(const IncomingCall& call) {
    return call.query().sound.output.value_or(plugins::CallOutput::Figures{});
  }
  static std::string inWords(const IncomingCall& call) {
    const auto output = outputOf(call);
    return call.query().why + " " + output.why + " " + std::to_string(output.underruns) + " underruns, " +
           std::to_string(output.overflows) + " overflows, " + std::to_string(output.waits / 1ms) +
           " ms wait";
  }
  /// The tone comes unbroken, however long that takes on a busy machine.
  static bool isHeard(const SinkRecorder& recorder, double amplitude) {
    return within(2 * kPatience, [&] {
      const Tone tone = toneOf(recorder.last(kUnbroken));
      return tone.unbroken && std::abs(tone.frequency - 440) < 10 &&
             std::abs(tone.amplitude - amplitude) < 0.03;
    });
  }
  /// More of the sound is due, whatever plays it.
  static bool goesOn(const IncomingCall& call) {
    const auto until = call.query().sound.played + 1s;
    return comesTrue([&] { return call.query().sound.played > until; });
  }

  periodic::KernelTime time;
  periodic::TraceLog trace;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler scheduler{time, *gate, trace};
  AnsweringPeer peer{{.sends = {kTone}}};
};

TEST_F(IncomingCallSound, ATonePlaysOnTheDeviceUntilItIsMuted) {
  const auto module = output("pactl load-module module-null-sink rate=48000 sink_name=tactus_ann");
  ASSERT_NE(module, "") << "pactl could not make a null sink";
  ASSERT_TRUE(comesTrue([] { return std::system("pactl list short sinks | grep -q tactus_ann") == 0; }));
  {
    const auto call = connect("tactus_ann");
    ASSERT_TRUE(call);
    const SinkRecorder recorder("tactus_ann");
    EXPECT_TRUE(isHeard(recorder, 0.3)) << inWords(*call);
    EXPECT_TRUE(comesTrue([&] { return outputOf(*call).connected; })) << inWords(*call);
    call->setMuted(true);
    EXPECT_TRUE(within(kPatience, [&] { return isSilent(recorder.last(500ms)); }));
    call->setMuted(false);
    call->setVolume(0.5);
    EXPECT_TRUE(isHeard(recorder, 0.3 / 8)) << inWords(*call);
  }
  (void)!std::system(("pactl unload-module " + module).c_str());
}

TEST_F(IncomingCallSound, TheCallGoesOnWithoutADaemon) {
  const EmptyRuntime nothing;
  const auto call = connect("");
  ASSERT_TRUE(call);
  EXPECT_TRUE(goesOn(*call));
  EXPECT_EQ(call->query().state, CallState::Live);
  EXPECT_FALSE(outputOf(*call).connected);
  EXPECT_EQ(outputOf(*call).why, "PipeWire is not running; sound returns when it does.");
}

TEST_F(IncomingCallSound, TheCallOutlivesTheDaemonAndIsHeardAgain) {
  PrivateSession session;
  ASSERT_TRUE(session.ready) << "no private PipeWire session could be started";
  const auto call = connect("");
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return outputOf(*call).waits > 0ms; })) << outputOf(*call).why;
  session.killDaemon();
  EXPECT_TRUE(comesTrue([&] { return !outputOf(*call).connected; }));
  EXPECT_TRUE(goesOn(*call));
  session.start();
  ASSERT_TRUE(session.ready);
  EXPECT_TRUE(comesTrue([&] { return outputOf(*call).waits > 0ms; })) << outputOf(*call).why;
  EXPECT_EQ(call->query().state, CallState::Live);
}

}  // namespace
}  // namespace tactus::media::testing
