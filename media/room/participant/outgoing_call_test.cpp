// SPDX-License-Identifier: Apache-2.0
// A participant's pictures and sound, sent to a webrtcbin of this process by the loopback device.
#include "media/room/participant/outgoing_call.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "media/playback/test_films.h"
#include "media/room/participant/call_peer_fixture.h"

namespace tactus::media::testing {
namespace {

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

TEST_F(OutgoingCallTest, MutedItSendsNothingAndThenAKeyframe) {
  AnsweringPeer peer;
  const auto call = connect({camera(), OutgoingTrack::audio("mic-1")}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.stamps().size() > 10 && peer.samples().size() > 48'000; }));
  EXPECT_GT(call->loudness(), 0.5);
  call->setMuted(MediaKind::Video, true);
  call->setMuted(MediaKind::Audio, true);
  const auto before = call->query();
  std::this_thread::sleep_for(500ms);
  const auto muted = call->query();
  EXPECT_EQ(call->loudness(), 0);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_TRUE(muted.tracks[i].muted);
    EXPECT_LE(muted.tracks[i].captured, before.tracks[i].captured + 1) << "one may have been on its way";
  }
  call->setMuted(MediaKind::Video, false);
  call->setMuted(MediaKind::Audio, false);
  EXPECT_TRUE(comesTrue([&] { return call->query().tracks[0].keyframes > muted.tracks[0].keyframes; }));
  EXPECT_TRUE(comesTrue([&] { return call->query().tracks[1].sent > muted.tracks[1].sent + 20; }));
  const std::size_t stamps = peer.stamps().size();
  EXPECT_TRUE(comesTrue([&] { return peer.stamps().size() > stamps + 10; }));
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

TEST_F(OutgoingCallTest, ALostPacketInTwentyIsRepaired) {
  AnsweringPeer peer(
      {.losesOneOf = 20, .latency = 3000});  // the repetition has time enough on a busy machine
  const auto call = connect({camera()}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.stamps().size() > 60 && peer.lost() > 5; }));
  const auto stamps = peer.stamps();
  expectIncreasing(stamps);
  const auto report = call->query();
  EXPECT_GT(report.rtp.nacksReceived, 0u);
  const std::uint64_t missing = stamps.back().number - stamps.front().number + 1 - stamps.size();
  EXPECT_LE(missing, report.tracks[0].captured - report.tracks[0].encoded)
      << "but those that were not encoded";
}

TEST_F(OutgoingCallTest, HeavyLossLowersTheRate) {
  AnsweringPeer peer({.losesOneOf = 3});
  const auto call = connect({camera()}, peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(comesTrue([&] { return call->query().tracks[0].rate < net::BitRate::perSecond(200'000); }))
      << call->query().tracks[0].rate.inWords();
}

TEST_F(OutgoingCallTest, WithoutTransportWideFeedbackReportsLowerTheRate) {
  AnsweringPeer peer({.losesOneOf = 3, .transportWide = false, .repairs = false});
  const auto call = connect({camera()}, peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(comesTrue([&] { return call->query().tracks[0].rate < net::BitRate::perSecond(300'000); }))
      << call->query().tracks[0].rate.inWords();
}

TEST_F(OutgoingCallTest, WhoAsksGetsAKeyframe) {
  AnsweringPeer peer;
  const auto call = connect({camera()}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.pictures() > 5; }));
  const auto before = call->query();
  peer.askForKeyframe();
  EXPECT_TRUE(comesTrue([&] {
    const SendingFigures now = call->query().tracks[0];
    return now.keyframesAsked > before.tracks[0].keyframesAsked && now.keyframes > before.tracks[0].keyframes;
  }));
}

TEST_F(OutgoingCallTest, AThousandRequestsAreFourKeyframesASecond) {
  AnsweringPeer peer;
  const auto call = connect({camera()}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.pictures() > 5; }));
  const auto before = call->query().tracks[0];
  ASSERT_TRUE(comesTrue([&] {
    for (int i = 0; i < 10; ++i) peer.askForKeyframe();
    return call->query().tracks[0].encoded >= before.encoded + 50;
  }));
  const auto after = call->query().tracks[0];
  // Of 25 pictures a second one in 250 ms: of six pictures one at most.
  EXPECT_LE(after.keyframes - before.keyframes, (after.captured - before.captured) / 6 + 2);
  EXPECT_GE(after.keyframes, before.keyframes + 2);
}

TEST_F(OutgoingCallTest, ItsStagesAreTasks) {
  AnsweringPeer peer;
  const auto call = connect({camera(), OutgoingTrack::audio("mic-1")}, peer);
  ASSERT_TRUE(call);
  const auto has = [&](const std::string& name) {
    const auto stages = call->stages();
    return std::any_of(stages.begin(), stages.end(), [&](const auto& each) {
      return each.contract.name == name && (!each.contract.enforces || each.statistics.packets > 10);
    });
  };
  for (const char* name :
       {"me: capture (camera)", "me: capture (microphone)", "me: encode (vp8enc)", "me: encode (opusenc)",
        "me: send (pictures)", "me: send (sound)", "me: receive (network)", "me: send (RTCP)"})
    EXPECT_TRUE(comesTrue([&] { return has(name); })) << name;
}

TEST_F(OutgoingCallTest, APeerThatLeavesEndsIt) {
  AnsweringPeer peer;
  const auto call = connect({camera()}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.pictures() > 5; }));
  peer.leave();
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_TRUE(call->query().why.starts_with("The ")) << call->query().why;
}

TEST_F(OutgoingCallTest, APeerThatVanishesEndsIt) {
  AnsweringPeer peer;
  const auto call = connect({camera()}, peer);
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return peer.pictures() > 5; }));
  peer.vanish();
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_EQ(call->query().why, "The connection is lost: nothing comes from the other end any more.");
}

TEST_F(OutgoingCallTest, APeerThatCannotBeReachedEndsIt) {
  AnsweringPeer peer;
  auto call = create({camera()});
  ASSERT_TRUE(call);
  const auto offer = call->offer();
  ASSERT_TRUE(offer.ok());
  const std::string answer = peer.answer(offer.value());
  peer.leave();
  ASSERT_TRUE(call->accept(answer).ok());
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_EQ(call->query().why,
            "No connection came about: the other end does not answer at any of its addresses.");
}

TEST_F(OutgoingCallTest, AnAnswerThatIsNoneIsRefusedAndTheCallWaitsOn) {
  AnsweringPeer peer;
  auto call = create({camera()});
  ASSERT_TRUE(call);
  const auto offer = call->offer();
  ASSERT_TRUE(offer.ok());
  for (const char* answer :
       {"", "404 Not Found", "v=0\r\n", "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=-\r\nt=0 0\r\n"}) {
    const auto accepted = call->accept(answer);
    ASSERT_FALSE(accepted.ok()) << answer;
    EXPECT_EQ(accepted.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(accepted.error().message, "The answer cannot be used: it is no SDP.");
  }
  EXPECT_EQ(call->query().state, CallState::Offered);
  ASSERT_TRUE(call->accept(peer.answer(offer.value())).ok());
  EXPECT_TRUE(comesTrue([&] { return peer.pictures() > 5; }));
}

TEST_F(OutgoingCallTest, AFilmIsSentAgainAndAgain) {
  const auto path =
      film("sent in a call.mkv", {"-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=1", "-f", "lavfi", "-i",
                                  "sine=f=440:d=1", "-c:v", "libx264", "-c:a", "aac"});
  AnsweringPeer peer;
  OutgoingTrack pictures = camera();
  OutgoingTrack sound = OutgoingTrack::audio("mic-1");
  pictures.source = sound.source = {CaptureSource::Kind::File, path.string()};
  const auto call = connect({pictures, sound}, peer);
  ASSERT_TRUE(call);
  EXPECT_TRUE(comesTrue([&] { return peer.pictures() > 60 && peer.samples().size() > 2 * 48'000; }))
      << peer.pictures() << " pictures of a film of 25, " << peer.samples().size() << " samples";
  EXPECT_EQ(call->query().state, CallState::Live) << call->query().why;
}

TEST_F(OutgoingCallTest, AFilmWithoutSoundSaysSo) {
  const auto path =
      film("without sound.mkv", {"-f", "lavfi", "-i", "testsrc2=s=320x240:r=25:d=1", "-c:v", "libx264"});
  OutgoingTrack sound = OutgoingTrack::audio("mic-1", {CaptureSource::Kind::File, path.string()});
  const auto call = create({sound});
  ASSERT_TRUE(call);
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  EXPECT_EQ(call->query().why, "The film '" + path.string() + "' has no sound that could be sent.");
  EXPECT_EQ(call->query().brokenDevice, MediaKind::Audio);
}

TEST_F(OutgoingCallTest, WhatCannotBeSentIsNamed) {
  OutgoingTrack absent = camera();
  absent.source = {CaptureSource::Kind::File, "/nowhere/film.mkv"};
  EXPECT_EQ(refusal({absent}).message, "There is no film '/nowhere/film.mkv' to be sent.");
  EXPECT_EQ(refusal({camera(), camera()}).message,
            "A call has one track of pictures, one of sound, or both; 2 were to be sent.");
  OutgoingTrack odd = camera();
  odd.width = 321;
  EXPECT_EQ(refusal({odd}).message,
            "Pictures of 321 x 240 cannot be sent: both sides must be even, 16 to 4096.");
  OutgoingTrack nameless = camera();
  nameless.cid = "a b\r\nc";
  EXPECT_EQ(refusal({nameless}).code, ErrorCode::InvalidArgument);
  OutgoingTrack hissing = OutgoingTrack::audio("mic-1");
  hissing.rate = net::BitRate::perSecond(5'000);
  EXPECT_EQ(refusal({hissing}).message, "Sound cannot be sent with 5 kbit/s: it must be 6 to 510 kbit/s.");
}

TEST_F(OutgoingCallTest, ACameraThatThereIsNotIsNamed) {
  OutgoingTrack track = camera();
  track.source = {CaptureSource::Kind::Device, "/dev/no-camera"};
  const auto call = create({track, OutgoingTrack::audio("mic-1")});
  ASSERT_TRUE(call);
  const auto offer = call->offer();
  ASSERT_FALSE(offer.ok());
  EXPECT_EQ(offer.error().message, "The camera does not work: Cannot identify device '/dev/no-camera'.");
  EXPECT_EQ(call->query().brokenDevice, MediaKind::Video);
}

/// Keeps what it is told.
class Told final : public CallListener {
 public:
  void onCallState(CallState state, const std::string& why) override {
    const std::lock_guard lock(m_mutex);
    m_states.emplace_back(nameOf(state));
    m_why = why;
  }
  std::vector<std::string> states() const {
    const std::lock_guard lock(m_mutex);
    return m_states;
  }
  std::string why() const {
    const std::lock_guard lock(m_mutex);
    return m_why;
  }

 private:
  mutable std::mutex m_mutex;
  std::vector<std::string> m_states;
  std::string m_why;
};

TEST_F(OutgoingCallTest, TheListenerHearsOfEachState) {
  Told told;
  AnsweringPeer peer;
  auto made = OutgoingCall::create({.tracks = {camera()}, .addresses = {"127.0.0.1"}}, scheduler, &told);
  ASSERT_TRUE(made.ok());
  auto& call = *made.value();
  const auto offer = call.offer();
  ASSERT_TRUE(offer.ok());
  ASSERT_TRUE(call.accept(peer.answer(offer.value())).ok());
  ASSERT_TRUE(comesTrue([&] { return call.query().state == CallState::Live; }));
  call.stop();
  ASSERT_TRUE(comesTrue([&] { return !told.states().empty() && told.states().back() == "ended"; }));
  EXPECT_EQ(told.why(), "The call was ended here.");
  const auto states = told.states();
  EXPECT_TRUE(std::find(states.begin(), states.end(), "live") != states.end());
}

TEST_F(OutgoingCallTest, ThreadsOfAnotherCallThatEndAreNoEvent) {
  std::atomic<int> ended{0};
  const auto subscription = scheduler.subscribe([&](const periodic::SchedulerEvent& event) {
    if (event.kind == periodic::SchedulerEvent::Kind::ThreadEnded) ++ended;
  });
  AnsweringPeer peer;
  const auto call = connect({camera()}, peer);
  ASSERT_TRUE(call);
  const auto found = [&] {  // threads of RTCP, whosever
    const auto stages = call->stages();
    return std::count_if(stages.begin(), stages.end(), [](const auto& each) {
      return each.contract.name.find("(RTCP)") != std::string::npos;
    });
  };
  ASSERT_TRUE(comesTrue([&] { return found() == 2; })) << "its own and the peer's";
  {
    periodic::Scheduler others(time, *gate, trace);
    AnsweringPeer answering;
    const auto another =
        OutgoingCall::create({.tracks = {camera()}, .addresses = {"127.0.0.1"}}, others, nullptr);
    ASSERT_TRUE(another.ok()) << another.error().message;
    const auto offer = another.value()->offer();
    ASSERT_TRUE(offer.ok()) << offer.error().message;
    ASSERT_TRUE(another.value()->accept(answering.answer(offer.value())).ok());
    ASSERT_TRUE(comesTrue([&] { return found() == 4; }));
  }
  ASSERT_TRUE(comesTrue([&] { return found() == 2; }));
  call->stop();
  ASSERT_TRUE(comesTrue([&] { return call->query().state == CallState::Ended; }));
  std::this_thread::sleep_for(1s);  // the watchdog looks twice a second
  EXPECT_EQ(ended, 0);
  scheduler.unsubscribe(subscription);
}

TEST_F(OutgoingCallTest, ItEndsWhileItConnects) {
  for (int i = 0; i < 5; ++i) {
    AnsweringPeer peer;
    const auto call = connect({camera()}, peer);
    ASSERT_TRUE(call);
  }
}

}  // namespace
}  // namespace tactus::media::testing
