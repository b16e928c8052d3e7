// SPDX-License-Identifier: Apache-2.0
// A participant's pictures and sound through a room's host to another participant: OutgoingCall -> WhipIngest
// -> WhepEgress -> IncomingCall, by the loopback device.
#include <gtest/gtest.h>

#include <mutex>

#include "media/room/egress/whep_egress.h"
#include "media/room/ingest/whip_ingest.h"
#include "media/room/participant/call_peer_fixture.h"
#include "media/room/participant/headless_pictures.h"
#include "media/room/participant/incoming_call.h"
#include "media/room/participant/outgoing_call.h"

namespace tactus::media::testing {
namespace {

using namespace std::chrono_literals;

/// What a host does for one publisher and one subscriber.
struct Host {
  std::unique_ptr<WhepEgress> egress;
  std::unique_ptr<WhipIngest> ingest;
  std::string subscriber;  // id of the only one

  bool publish(OutgoingCall& call) {
    const auto offer = call.offer();
    EXPECT_TRUE(offer.ok()) << (offer.ok() ? "" : offer.error().message);
    const auto read = readPublishOffer(offer.ok() ? offer.value() : "");
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message);
    if (!read.ok()) return false;
    auto made = WhipIngest::create(read.value(), {.addresses = {"127.0.0.1"}}, nullptr);
    EXPECT_TRUE(made.ok()) << (made.ok() ? "" : made.error().message);
    if (!made.ok()) return false;
    ingest = std::move(made).value();
    const auto accepted = call.accept(ingest->answer());
    EXPECT_TRUE(accepted.ok()) << (accepted.ok() ? "" : accepted.error().message);
    return accepted.ok();
  }
  bool subscribe(IncomingCall& call) {
    auto certificate = DtlsCertificate::generate();
    EXPECT_TRUE(certificate.ok());
    auto started =
        WhepEgress::start({.certificate = std::move(certificate).value(), .addresses = {"127.0.0.1"}});
    EXPECT_TRUE(started.ok());
    egress = std::move(started).value();
    // Of pictures in two sizes the first that is offered.
    std::vector<EgressTrack> tracks;
    for (TrackFeed* feed : ingest->feeds())
      if (tracks.empty() || tracks.back().feed->format().kind != feed->format().kind)
        tracks.push_back({.feed = feed});
    const auto offer = call.offer();
    EXPECT_TRUE(offer.ok()) << (offer.ok() ? "" : offer.error().message);
    const auto answer = egress->subscribe(tracks, offer.ok() ? offer.value() : "");
    EXPECT_TRUE(answer.ok()) << (answer.ok() ? "" : answer.error().message + "\n" + offer.value());
    if (!answer.ok()) return false;
    subscriber = answer.value().id;
    const auto accepted = call.accept(answer.value().description);
    EXPECT_TRUE(accepted.ok()) << (accepted.ok() ? "" : accepted.error().message);
    return accepted.ok();
  }
};

class CallThroughHostTest : public ::testing::TestWithParam<VideoEncoding> {
 protected:
  void SetUp() override {
    OutgoingTrack camera = OutgoingTrack::video("cam-1");
    camera.encoding = GetParam();
    camera.inTwoSizes = true;
    auto sent = OutgoingCall::create(
        {.tracks = {camera, OutgoingTrack::audio("mic-1")}, .addresses = {"127.0.0.1"}, .label = "me"},
        scheduler, nullptr);
    ASSERT_TRUE(sent.ok()) << sent.error().message;
    outgoing = std::move(sent).value();
    auto received = IncomingCall::create({.addresses = {"127.0.0.1"},
                                          .label = "Ann",
                                          .target = target,
                                          .heard =
                                              [this](std::span<const std::int16_t> samples) {
                                                const std::lock_guard lock(mutex);
                                                heard.insert(heard.end(), samples.begin(), samples.end());
                                              }},
                                         scheduler, nullptr);
    ASSERT_TRUE(received.ok()) << received.error().message;
    incoming = std::move(received).value();
  }
  void TearDown() override {
    incoming.reset();
    host.egress.reset();
    host.ingest.reset();
    outgoing.reset();
  }
  std::string inWords() const {
    const auto sent = outgoing->query();
    const auto received = incoming->query();
    return std::string(nameOf(sent.state)) + " " + sent.why + ", " + nameOf(received.state) + " " +
           received.why + ": received " + std::to_string(received.pictures.received) + ", decoded " +
           std::to_string(received.pictures.decoded) + ", shown " +
           std::to_string(received.pictures.shown.shown) + ", stamped " +
           std::to_string(target->figures().stamped) + ", sound " + std::to_string(received.sound.packets);
  }

  periodic::KernelTime time;
  periodic::TraceLog trace;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler scheduler{time, *gate, trace};
  const std::shared_ptr<HeadlessPictures> target =
      std::make_shared<HeadlessPictures>();  // shared with the call
  std::mutex mutex;
  std::vector<std::int16_t> heard;  // guarded by it
  std::unique_ptr<OutgoingCall> outgoing;
  std::unique_ptr<IncomingCall> incoming;
  Host host;
};

TEST_P(CallThroughHostTest, PicturesAndSoundArriveInOrder) {
  ASSERT_TRUE(host.publish(*outgoing));
  ASSERT_TRUE(host.subscribe(*incoming));
  ASSERT_TRUE(comesTrue([&] {
    return target->figures().stamped > 60 && incoming->query().sound.played > 3s;
  })) << inWords();
  const auto figures = target->figures();
  EXPECT_EQ(figures.disordered, 0u);
  EXPECT_GT(figures.delay, 0s);
  {
    const std::lock_guard lock(mutex);
    heard.erase(heard.begin(), heard.begin() + 48'000);
    EXPECT_NEAR(frequencyOf(heard), 440, 5);
  }
  const auto milliseconds = [](periodic::Duration each) { return static_cast<int>(each / 1ms); };
  RecordProperty("delay_ms", milliseconds(figures.delay));
  RecordProperty("longest_delay_ms", milliseconds(figures.longestDelay));
  EXPECT_EQ(outgoing->query().state, CallState::Live);
  EXPECT_EQ(incoming->query().state, CallState::Live);
}

TEST_P(CallThroughHostTest, PicturesOfTheSmallerSizeFollowThoseOfTheLarger) {
  ASSERT_TRUE(host.publish(*outgoing));
  ASSERT_EQ(host.ingest->feeds().size(), 3u);
  ASSERT_TRUE(host.subscribe(*incoming));
  const auto comesIn = [&](PictureSize size) {
    return comesTrue([&] { return target->figures().size == size; });
  };
  ASSERT_TRUE(comesIn({640, 360})) << inWords();
  ASSERT_TRUE(host.egress->switchTo(host.subscriber, 0, host.ingest->feeds()[1]).ok());
  ASSERT_TRUE(comesIn({320, 180})) << inWords();
  const auto small = target->figures();
  ASSERT_TRUE(comesTrue([&] { return target->figures().stamped > small.stamped + 30; })) << inWords();
  ASSERT_TRUE(host.egress->switchTo(host.subscriber, 0, host.ingest->feeds()[0]).ok());
  ASSERT_TRUE(comesIn({640, 360})) << inWords();
  EXPECT_LE(target->figures().disordered, 2u) << "a picture may come in both sizes";
  EXPECT_EQ(host.egress->figures(host.subscriber).value().tracks[0].sent.switches, 2u);
}

TEST_P(CallThroughHostTest, WhatNobodyWantsIsNotEncoded) {
  ASSERT_TRUE(host.publish(*outgoing));
  const auto encoded = [&](std::size_t layer) { return outgoing->query().tracks[layer].encoded; };
  ASSERT_TRUE(comesTrue([&] { return encoded(0) > 10 && encoded(1) > 10; })) << inWords();
  outgoing->setWanted(PictureSize{320, 180});
  ASSERT_TRUE(comesTrue([&] { return outgoing->query().tracks[0].paused; })) << inWords();
  const auto large = encoded(0), small = encoded(1);
  ASSERT_TRUE(comesTrue([&] { return encoded(1) > small + 30; })) << inWords();
  EXPECT_LE(encoded(0), large + 3) << "but for those that waited";
  const auto keyframes = outgoing->query().tracks[0].keyframes;
  outgoing->setWanted(PictureSize{});
  ASSERT_TRUE(comesTrue([&] { return outgoing->query().tracks[0].keyframes > keyframes; })) << inWords();
  outgoing->setWanted(std::nullopt);
  ASSERT_TRUE(comesTrue([&] {
    return outgoing->query().tracks[0].paused && outgoing->query().tracks[1].paused;
  })) << inWords();
}

INSTANTIATE_TEST_SUITE_P(Encodings, CallThroughHostTest,
                         ::testing::Values(VideoEncoding::Vp8, VideoEncoding::H264),
                         [](const auto& encoding) {
                           return encoding.param == VideoEncoding::Vp8 ? "Vp8" : "H264";
                         });

}  // namespace
}  // namespace tactus::media::testing
