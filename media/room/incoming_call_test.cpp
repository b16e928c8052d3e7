// SPDX-License-Identifier: Apache-2.0
// Pictures and sound of a webrtcbin of this process, received by the loopback device.
#include "media/room/incoming_call.h"

#include <gtest/gtest.h>

#include <mutex>

#include "media/room/call_peer_fixture.h"
#include "media/room/headless_pictures.h"
#include "media/room/outgoing_track.h"

namespace tactus::media::testing {
namespace {

using periodic::Stage;
using namespace std::chrono_literals;

constexpr const char* kPictures =
    "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! queue "
    "! vp8enc deadline=1 cpu-used=8 target-bitrate=400000 keyframe-max-dist=3000 ! rtpvp8pay "
    "picture-id-mode=2 "
    "! capsfilter caps=application/x-rtp,media=video,encoding-name=VP8,payload=96";
constexpr const char* kH264 =
    "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=25/1 ! "
    "queue "
    "! x264enc tune=zerolatency speed-preset=ultrafast bitrate=400 key-int-max=3000 "
    "! video/x-h264,profile=constrained-baseline ! h264parse ! rtph264pay config-interval=-1 "
    "aggregate-mode=zero-latency ! capsfilter "
    "caps=application/x-rtp,media=video,encoding-name=H264,payload=102";
constexpr const char* kTone =
    "audiotestsrc is-live=true freq=440 volume=0.3 ! audio/x-raw,rate=48000 ! queue ! opusenc ! rtpopuspay "
    "! capsfilter caps=application/x-rtp,media=audio,encoding-name=OPUS,payload=111";

class IncomingCallTest : public ::testing::Test {
 protected:
  std::unique_ptr<IncomingCall> connect(IncomingCall::Options options, AnsweringPeer& peer) {
    options.addresses = {"127.0.0.1"};
    options.label = "Ann";
    auto made = IncomingCall::create(options, scheduler, nullptr);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    if (!made.ok()) return nullptr;
    auto call = std::move(made).value();
    const auto offer = call->offer();
    EXPECT_TRUE(offer.ok()) << (offer.ok() ? "" : offer.error().message);
    if (!offer.ok()) return nullptr;
    const auto accepted = call->accept(peer.answer(offer.value()));
    EXPECT_TRUE(accepted.ok()) << (accepted.ok() ? "" : accepted.error().message);
    return call;
  }

  periodic::KernelTime time;
  periodic::TraceLog trace;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler scheduler{time, *gate, trace};
};

TEST_F(IncomingCallTest, PicturesAreShownAndATonePlayed) {
  AnsweringPeer peer({.sends = {kPictures, kTone}});
  std::mutex mutex;
  std::vector<std::int16_t> heard;
  const auto call = connect({.heard =
                                 [&](std::span<const std::int16_t> samples) {
                                   const std::lock_guard lock(mutex);
                                   heard.insert(heard.end(), samples.begin(), samples.end());
                                 }},
                            peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] {
    const auto report = call->query();
    return report.pictures.shown.shown > 50 && report.sound.played > 2s;
  })) << call->query().pictures.shown.shown
      << " pictures, " << call->query().pictures.decoded << " decoded, " << call->query().pictures.received;
  const auto report = call->query();
  EXPECT_EQ(report.state, CallState::Live);
  EXPECT_GE(report.pictures.received, report.pictures.decoded);
  EXPECT_EQ(report.lost, 0u);
  EXPECT_EQ(report.sound.disordered, 0u);
  const std::lock_guard lock(mutex);
  heard.erase(heard.begin(), heard.begin() + 48'000);
  EXPECT_NEAR(frequencyOf(heard), 440, 5);
}

TEST_F(IncomingCallTest, H264IsShown) {
  AnsweringPeer peer({.sends = {kH264}});
  const auto call = connect({.sound = false}, peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 50; }));
}

}  // namespace
}  // namespace tactus::media::testing
