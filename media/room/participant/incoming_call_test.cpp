// SPDX-License-Identifier: Apache-2.0
// Pictures and sound of a webrtcbin of this process, received by the loopback device.
#include "media/room/participant/incoming_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "media/room/participant/call_peer_fixture.h"
#include "media/room/participant/headless_pictures.h"
#include "media/room/participant/outgoing_track.h"

namespace tactus::media::testing {
namespace {

using namespace std::chrono_literals;

constexpr const char* kPictures =
    "videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 ! queue "
    "! vp8enc deadline=1 cpu-used=8 target-bitrate=400000 keyframe-max-dist=3000 ! rtpvp8pay "
    "picture-id-mode=2 "
    "! capsfilter caps=application/x-rtp,media=video,encoding-name=VP8,payload=96";
/// webrtcbin compares profiles letter by letter.
constexpr const char* kH264 =
    "videotestsrc is-live=true pattern=ball ! video/x-raw,format=I420,width=320,height=240,framerate=25/1 ! "
    "queue "
    "! x264enc tune=zerolatency speed-preset=ultrafast bitrate=400 key-int-max=3000 "
    "! video/x-h264,profile=constrained-baseline ! h264parse ! rtph264pay config-interval=-1 "
    "aggregate-mode=zero-latency pt=102 ! capssetter caps=application/x-rtp,profile-level-id=(string)42e01f "
    "! capsfilter "
    "caps=application/x-rtp,media=video,encoding-name=H264,payload=102";
constexpr const char* kTone =
    "audiotestsrc is-live=true freq=440 volume=0.3 ! audio/x-raw,rate=48000 ! queue ! opusenc ! rtpopuspay "
    "! capsfilter caps=application/x-rtp,media=audio,encoding-name=OPUS,payload=111";

std::string inWords(const IncomingCall& call) {
  const auto report = call.query();
  return std::string(nameOf(report.state)) + " " + report.why + ": received " +
         std::to_string(report.pictures.received) + ", shed " + std::to_string(report.pictures.shed) +
         ", late " + std::to_string(report.pictures.late) + ", delay " + std::to_string(report.delay / 1ms) +
         " ms, jitter " + std::to_string(report.jitter / 1ms) + " ms, sound " +
         std::to_string(report.sound.played / 1ms) + " ms, decoded " +
         std::to_string(report.pictures.decoded) + ", shown " + std::to_string(report.pictures.shown.shown) +
         ", keyframes asked " + std::to_string(report.pictures.keyframesAsked) + ", packets lost " +
         std::to_string(report.lost);
}

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
  })) << inWords(*call);
  const auto report = call->query();
  EXPECT_EQ(report.state, CallState::Live);
  EXPECT_GE(report.pictures.received, report.pictures.decoded);
  EXPECT_EQ(report.lost, 0u);
  EXPECT_EQ(report.sound.disordered, 0u);
  const std::lock_guard lock(mutex);
  heard.erase(heard.begin(), heard.begin() + 48'000);
  EXPECT_NEAR(frequencyOf(heard), 440, 5);
}

/// 100 ms for repetitions, 20 ms until the next packet is there, by which Opus repairs one, 5 ms for
/// decoding.
TEST_F(IncomingCallTest, PicturesWaitForSoundNoLongerThanAPacketOfIt) {
  AnsweringPeer peer({.sends = {kPictures, kTone}});
  const auto call = connect({}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().sound.played > 500ms; }));
  EXPECT_TRUE(comesTrue([&] { return call->query().latency == 125ms; }))
      << periodic::inMilliseconds(call->query().latency) << " ms";
}

TEST_F(IncomingCallTest, PicturesThatComeEvenlyAreShownBeforeALostPacketWouldBeGivenUp) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false, .latency = 3s}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().latency > 3s; }));
  EXPECT_TRUE(comesTrue([&] { return call->query().delay < 3s; }))
      << periodic::inMilliseconds(call->query().delay) << " ms";
}

/// Waits until so many more whole pictures have come.
bool receivesMore(const IncomingCall& call, std::uint64_t pictures) {
  const std::uint64_t before = call.query().pictures.received;
  return comesTrue([&] { return call.query().pictures.received >= before + pictures; });
}

TEST_F(IncomingCallTest, WhatItIsToldToGiveUpIsNotShown) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 20; })) << inWords(*call);
  EXPECT_TRUE(call->load().playing);
  EXPECT_EQ(call->load().lastRung, LastRung::SoundAlone);
  call->setThinning({.frequency = 0.5});
  ASSERT_TRUE(receivesMore(*call, 50)) << "those on their way are shown";
  const auto before = call->query().pictures;
  ASSERT_TRUE(receivesMore(*call, 100));
  const auto after = call->query().pictures;
  EXPECT_GT(after.shown.shown, before.shown.shown);
  EXPECT_LE(2 * (after.shown.shown - before.shown.shown), after.received - before.received + 20);
  // Each is one of these, whatever the machine does; some are on their way.
  EXPECT_LE(after.shown.shown + after.shown.missed + after.shed, after.received + 20) << inWords(*call);
}

TEST_F(IncomingCallTest, ItsPicturesComeAMomentBeforeTheyAreShown) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false, .latency = 3s}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 20; })) << inWords(*call);
  const LoadFigures figures = call->load();
  ASSERT_TRUE(figures.reach);
  ASSERT_TRUE(figures.ahead);
  EXPECT_LE(*figures.reach, 3s + 25ms);
}

TEST_F(IncomingCallTest, WhatTheRoomSaysLimitsItAsLongAsPicturesAreExpected) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false}, peer);
  ASSERT_TRUE(call);
  const SourceLimit told{SourceLimit::Place::TheirLine, SourceLimit::Shown::SmallerPicture, 300'000.0, 0.1};
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 20; })) << inWords(*call);
  EXPECT_EQ(call->load().limit, SourceLimit());
  call->setDelivery(told);
  EXPECT_EQ(call->load().limit, told);
  call->setPicturesExpected(false);
  EXPECT_EQ(call->load().limit, SourceLimit());
  call->setPicturesExpected(true);
  EXPECT_EQ(call->load().limit, told);
  call->setDelivery({});
  EXPECT_EQ(call->load().limit, SourceLimit());
}

TEST_F(IncomingCallTest, ItTellsHowLateItsPicturesAreShown) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 20; })) << inWords(*call);
  const LoadFigures figures = call->load();
  ASSERT_TRUE(figures.playout);
  EXPECT_GT(*figures.playout, 0ms);
  EXPECT_LE(*figures.playout, figures.longestPlayout);
  EXPECT_EQ(figures.longestPlayout, call->query().latency);
}

TEST_F(IncomingCallTest, ItsDecoderTakesTheLastOfThemNowAndThen) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false}, peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(comesTrue([&] { return call->load().caughtUp > 10; })) << inWords(*call);
}

TEST_F(IncomingCallTest, FallenToItsSoundItDecodesNothingAndThenAsksForAKeyframe) {
  AnsweringPeer peer({.sends = {kPictures, kTone}});
  const auto call = connect({}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 20; })) << inWords(*call);
  call->setHeld(true);
  ASSERT_TRUE(receivesMore(*call, 50)) << "those on their way are decoded";
  const auto before = call->query();
  ASSERT_TRUE(receivesMore(*call, 100));
  const auto held = call->query();
  // A busy machine may lose a packet, after which the depayloader asks for a keyframe.
  EXPECT_LE(held.pictures.decoded, before.pictures.decoded + 2) << inWords(*call);
  EXPECT_LE(held.pictures.keyframesAsked, before.pictures.keyframesAsked + 2);
  EXPECT_GT(held.sound.played, before.sound.played);
  call->setHeld(false);
  EXPECT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > held.pictures.shown.shown + 20; }))
      << inWords(*call);
  EXPECT_GT(call->query().pictures.keyframesAsked, held.pictures.keyframesAsked);
}

TEST_F(IncomingCallTest, TheSmallerOfTwoSizesIsAskedForAndKnownWhenItComes) {
  std::vector<bool> asked;
  AnsweringPeer peer({.sends = {kPictures}});  // 320 x 240
  const auto call =
      connect({.sound = false, .smaller = [&](bool smaller) { asked.push_back(smaller); }}, peer);
  ASSERT_TRUE(call);
  EXPECT_FALSE(call->load().sizes);
  call->setHalved({640, 480});
  call->setThinning({.smaller = true});
  call->setThinning({.frequency = 0.5, .smaller = true});
  ASSERT_TRUE(comesTrue([&] { return call->load().sizes->smallerComes; }));
  EXPECT_DOUBLE_EQ(call->load().sizes->share, 0.25);
  call->setThinning({});
  EXPECT_EQ(asked, (std::vector<bool>{true, false}));
  call->setHalved({320, 240});
  EXPECT_FALSE(call->load().sizes->smallerComes);
}

TEST_F(IncomingCallTest, H264IsShown) {
  AnsweringPeer peer({.sends = {kH264}});
  const auto call = connect({.encodings = {VideoEncoding::H264}, .sound = false}, peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 50; })) << inWords(*call);
}

TEST_F(IncomingCallTest, ItsStagesAreTasks) {
  AnsweringPeer peer({.sends = {kPictures, kTone}});
  const auto call = connect({}, peer);
  ASSERT_TRUE(call);
  const auto has = [&](const std::string& name) {
    const auto stages = call->stages();
    return std::any_of(stages.begin(), stages.end(), [&](const auto& each) {
      return each.contract.name.starts_with(name) &&
             (!each.contract.enforces || each.statistics.packets > 10);
    });
  };
  for (const char* name : {"Ann: receive (network)", "Ann: receive (pictures)", "Ann: receive (sound)",
                           "Ann: video decode (vp8dec)", "Ann: audio decode (opusdec)", "Ann: video display",
                           "Ann: audio", "Ann: receive (lost packets)"})
    EXPECT_TRUE(comesTrue([&] { return has(name); })) << name;
}

TEST_F(IncomingCallTest, ALostPacketInTwentyIsRepaired) {
  AnsweringPeer peer({.sends = {kPictures, kTone}, .losesOneOf = 20});
  const auto call = connect({.latency = 3s}, peer);  // the repetition has time enough on a busy machine
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 60 && peer.lost() > 10; }));
  const auto report = call->query();
  EXPECT_EQ(report.lost, 0u);
  EXPECT_GT(report.rtp.nacksSent, 0u);
}

TEST_F(IncomingCallTest, WhatCannotBeRepairedIsGotOverByAKeyframe) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 10; }));
  peer.loseNext(40);
  ASSERT_TRUE(comesTrue([&] { return peer.lost() == 40; }));
  ASSERT_TRUE(comesTrue([&] { return peer.keyframesAsked() > 0; }));
  const auto shown = call->query().pictures.shown.shown;
  EXPECT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > shown + 20; }));
  EXPECT_GT(call->query().pictures.keyframesAsked, 0u);
}

TEST_F(IncomingCallTest, LostSoundIsConcealed) {
  AnsweringPeer peer({.sends = {kTone}});
  const auto call = connect({.encodings = {}}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().sound.played > 500ms; }));
  peer.loseNext(30);
  ASSERT_TRUE(comesTrue([&] { return peer.lost() == 30; }));
  EXPECT_TRUE(comesTrue([&] { return call->query().sound.concealed > 100ms; }));
  const auto played = call->query().sound.played;
  EXPECT_TRUE(comesTrue([&] { return call->query().sound.played > played + 500ms; }));
}

TEST_F(IncomingCallTest, APeerThatLeavesEndsIt) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 5; }));
  peer.leave();
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_TRUE(call->query().why.starts_with("The ")) << call->query().why;
}

TEST_F(IncomingCallTest, APeerThatVanishesEndsIt) {
  AnsweringPeer peer({.sends = {kPictures}});
  const auto call = connect({.sound = false}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().pictures.shown.shown > 5; }));
  peer.vanish();
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_EQ(call->query().why, "The connection is lost: nothing comes from the other end any more.");
}

TEST_F(IncomingCallTest, WhoAsksForNothingIsRefused) {
  const auto call = IncomingCall::create({.encodings = {}, .sound = false}, scheduler, nullptr);
  ASSERT_FALSE(call.ok());
  EXPECT_EQ(call.error().message, "Neither pictures nor sound were to be received.");
}

TEST_F(IncomingCallTest, TheOfferReceivesOnlyAndKnowsBothEncodings) {
  const auto call = IncomingCall::create({.addresses = {"127.0.0.1"}}, scheduler, nullptr);
  ASSERT_TRUE(call.ok());
  const auto offer = call.value()->offer();
  ASSERT_TRUE(offer.ok()) << offer.error().message;
  for (const char* line : {"a=recvonly\r\n", "VP8/90000", "H264/90000", "OPUS/48000/2", "nack pli",
                           "rtx/90000", "transport-wide-cc", "a=candidate:"})
    EXPECT_NE(offer.value().find(line), std::string::npos) << line << offer.value();
}

TEST_F(IncomingCallTest, ItEndsWhileItConnects) {
  for (int i = 0; i < 5; ++i) {
    AnsweringPeer peer({.sends = {kPictures}});
    ASSERT_TRUE(connect({}, peer));
  }
}

}  // namespace
}  // namespace tactus::media::testing
