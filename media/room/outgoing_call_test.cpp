// SPDX-License-Identifier: Apache-2.0
// A participant's pictures and sound, sent to a webrtcbin of this process by the loopback device.
#include "media/room/outgoing_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "media/room/call_peer_fixture.h"

namespace tactus::media::testing {
namespace {

using periodic::Stage;
using namespace std::chrono_literals;

OutgoingTrack camera() {
  OutgoingTrack track = OutgoingTrack::video("cam-1");
  track.width = 320;
  track.height = 240;
  track.rate = net::BitRate::perSecond(400'000);
  return track;
}

class OutgoingCallTest : public ::testing::Test {
 protected:
  /// The call with these tracks, connected to the peer; null where it could not be made.
  std::unique_ptr<OutgoingCall> connect(std::vector<OutgoingTrack> tracks, AnsweringPeer& peer) {
    auto call = create(std::move(tracks));
    if (!call) return nullptr;
    auto offer = call->offer();
    EXPECT_TRUE(offer.ok()) << (offer.ok() ? "" : offer.error().message);
    if (!offer.ok()) return nullptr;
    const auto accepted = call->accept(peer.answer(offer.value()));
    EXPECT_TRUE(accepted.ok()) << (accepted.ok() ? "" : accepted.error().message);
    return call;
  }
  std::unique_ptr<OutgoingCall> create(std::vector<OutgoingTrack> tracks) {
    auto call = OutgoingCall::create({.tracks = std::move(tracks), .addresses = {"127.0.0.1"}, .label = "me"},
                                     scheduler, nullptr);
    EXPECT_TRUE(call.ok()) << (call.ok() ? "" : call.error().message);
    return call.ok() ? std::move(call).value() : nullptr;
  }
  Error refusal(std::vector<OutgoingTrack> tracks) {
    const auto call = OutgoingCall::create({.tracks = std::move(tracks)}, scheduler, nullptr);
    EXPECT_FALSE(call.ok());
    return call.ok() ? Error{} : call.error();
  }

  periodic::KernelTime time;
  periodic::TraceLog trace;
  std::unique_ptr<periodic::KernelClassGate> gate =
      periodic::KernelClassGate::probe(periodic::KernelClass::None, {});
  periodic::Scheduler scheduler{time, *gate, trace};
};

void expectIncreasing(const std::vector<PictureStamp>& stamps) {
  for (std::size_t i = 1; i < stamps.size(); ++i) EXPECT_LT(stamps[i - 1].number, stamps[i].number);
}

TEST_F(OutgoingCallTest, PicturesWithIncreasingNumbersAndATonePassInOneConnection) {
  AnsweringPeer peer;
  const auto call = connect({camera(), OutgoingTrack::audio("mic-1")}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.stamps().size() > 30 && peer.samples().size() > 96'000; }));
  expectIncreasing(peer.stamps());
  auto heard = peer.samples();
  heard.erase(heard.begin(), heard.begin() + 48'000);
  EXPECT_NEAR(frequencyOf(heard), 440, 5);
  const auto report = call->query();
  EXPECT_EQ(report.state, CallState::Live);
  ASSERT_EQ(report.tracks.size(), 2u);
  EXPECT_GE(report.tracks[0].captured, report.tracks[0].encoded);
  EXPECT_GE(report.tracks[0].encoded, 30u);
  EXPECT_GE(report.tracks[0].sent, 30u);
  EXPECT_GE(report.tracks[0].keyframes, 1u);
  EXPECT_GE(report.tracks[1].sent, 50u);
  EXPECT_GT(report.rtp.packetsSent, 80u);
}

TEST_F(OutgoingCallTest, H264Passes) {
  AnsweringPeer peer;
  OutgoingTrack track = camera();
  track.encoding = VideoEncoding::H264;
  const auto call = connect({track}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.stamps().size() > 30; }));
  expectIncreasing(peer.stamps());
}

TEST_F(OutgoingCallTest, TheOfferNamesItsTracksAndSendsOnly) {
  const auto call = create({camera(), OutgoingTrack::audio("mic-1")});
  ASSERT_TRUE(call);
  const auto offer = call->offer();
  ASSERT_TRUE(offer.ok()) << offer.error().message;
  for (const char* line : {"a=msid:- cam-1\r\n", "a=msid:- mic-1\r\n", "a=group:BUNDLE", "a=sendonly\r\n",
                           "a=rtcp-fb:96 nack pli\r\n", "transport-wide-cc", "a=candidate:"})
    EXPECT_NE(offer.value().find(line), std::string::npos) << line << offer.value();
}

}  // namespace
}  // namespace tactus::media::testing
