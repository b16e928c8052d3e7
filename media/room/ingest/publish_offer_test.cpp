// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/publish_offer.h"

#include <gtest/gtest.h>

#include <random>

#include "media/room/ingest/mutations_fixture.h"
#include "media/room/ingest/publish_offers_fixture.h"
#include "media/room/media_format.h"

namespace tactus::media {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

std::string replacedEverywhere(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

std::string refusalOf(const std::string& sdp) {
  const auto offer = readPublishOffer(sdp);
  return offer.ok() ? "" : offer.error().message;
}

TEST(PublishOffer, OfChromiumIsRead) {
  const auto offer = readPublishOffer(kChromiumOffer);
  ASSERT_TRUE(offer.ok()) << offer.error().message;
  ASSERT_EQ(offer.value().media.size(), 2U);
  const auto& audio = offer.value().media[0];
  EXPECT_EQ(audio.format.kind, MediaKind::Audio);
  EXPECT_EQ(audio.format.encoding, "opus");
  EXPECT_EQ(audio.format.clockRate, 48000U);
  EXPECT_EQ(audio.format.channels, 2U);
  EXPECT_EQ(audio.format.parameters, "minptime=10;useinbandfec=1");
  EXPECT_EQ(audio.payload, 111);
  EXPECT_EQ(audio.transportWideId, 3);
  EXPECT_EQ(audio.retransmission, std::nullopt);
  const auto& video = offer.value().media[1];
  EXPECT_EQ(video.format.kind, MediaKind::Video);
  EXPECT_EQ(video.format.encoding, "VP8");
  EXPECT_EQ(video.format.clockRate, 90000U);
  EXPECT_EQ(video.payload, 96);
  EXPECT_EQ(video.retransmission, 97);
  EXPECT_EQ(video.mid, "1");
  EXPECT_EQ(video.user, "/QZP");
  EXPECT_EQ(video.feedback, (std::vector<std::string>{"transport-cc", "ccm fir", "nack", "nack pli"}));
  EXPECT_EQ(video.sources.size(), 2U);
  EXPECT_EQ(video.retransmissionOf, (std::pair<std::uint32_t, std::uint32_t>{3124372880U, 4221722075U}));
  // The two over UDP, without the extensions of their lines; those over TCP are none of ours.
  EXPECT_EQ(audio.candidates,
            (std::vector<std::string>{"302233008 1 udp 2122194687 192.0.2.7 54569 typ host",
                                      "3647304784 1 udp 2122265343 2001:db8::2 42061 typ host"}));
}

TEST(PublishOffer, OfObsIsRead) {
  const auto offer = readPublishOffer(kObsOffer);
  ASSERT_TRUE(offer.ok()) << offer.error().message;
  const auto& video = offer.value().media.at(1);
  EXPECT_EQ(video.format.encoding, "H264");
  EXPECT_EQ(video.format.parameters,
            "profile-level-id=42e01f;packetization-mode=1;level-asymmetry-allowed=1");
  EXPECT_EQ(video.password, "tsGhRh8ZbcCI5lpWBo9qAS");  // of the session
  EXPECT_EQ(video.setup, "actpass");
  EXPECT_EQ(video.transportWideId, std::nullopt);
  EXPECT_EQ(offer.value().media.at(0).format.parameters,
            "minptime=10;maxaveragebitrate=96000;stereo=1;sprop-stereo=1;useinbandfec=1");
}

TEST(PublishOffer, OfGstreamerIsRead) {
  const auto offer = readPublishOffer(kGstreamerOffer);
  ASSERT_TRUE(offer.ok()) << offer.error().message;
  EXPECT_EQ(offer.value().media.at(0).mid, "video0");
  EXPECT_EQ(offer.value().media.at(1).format.encoding, "opus");
}

TEST(PublishOffer, WrittenAnewIsTheSameOffer) {
  for (const auto& sdp : {kChromiumOffer, kObsOffer, kGstreamerOffer}) {
    const auto offer = readPublishOffer(sdp);
    ASSERT_TRUE(offer.ok());
    const auto again = readPublishOffer(sdpOf(offer.value()));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(sdpOf(again.value()), sdpOf(offer.value()));
  }
}

TEST(PublishOffer, NothingUnknownIsPassedOn) {
  std::string sdp = replaced(kChromiumOffer, "a=sendonly\n", "a=sendonly\na=crypto:1 nonsense\n");
  sdp = replaced(sdp, "minptime=10;", "minptime=10;payload=5;media=video;x y=1;");
  const auto offer = readPublishOffer(sdp);
  ASSERT_TRUE(offer.ok());
  const std::string passedOn = sdpOf(offer.value());
  for (const char* word : {"crypto", "payload=", "media=", "x y", "msid", "goog-remb", "toffset", "tcptype"})
    EXPECT_EQ(passedOn.find(word), std::string::npos) << word;
}

TEST(PublishOffer, NamesOfHostsAreNotLookedUp) {
  const auto offer = readPublishOffer(replaced(kChromiumOffer, "192.0.2.7 54569", "secret.example 54569"));
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(offer.value().media[0].candidates.size(), 1U);
}

TEST(PublishOffer, FirstFormatThatRoomsCarryIsTaken) {
  const auto offer = readPublishOffer(
      replaced(kChromiumOffer, "m=video 9 UDP/TLS/RTP/SAVPF 96", "m=video 9 UDP/TLS/RTP/SAVPF 108 96"));
  ASSERT_TRUE(offer.ok());
  EXPECT_EQ(offer.value().media[1].format.encoding, "H264");
  EXPECT_EQ(offer.value().media[1].payload, 108);
  EXPECT_EQ(offer.value().media[1].retransmission, 109);
}

TEST(PublishOffer, H264IsTakenInConstrainedBaselineOnly) {
  EXPECT_TRUE(isConstrainedBaseline("packetization-mode=1;profile-level-id=42e01f"));
  EXPECT_TRUE(isConstrainedBaseline("profile-level-id=42c00d"));
  EXPECT_TRUE(isConstrainedBaseline("profile-level-id=4D801f"));
  for (const char* other : {"profile-level-id=42001f", "profile-level-id=4d001f", "profile-level-id=64001f",
                            "profile-level-id=42e0", "profile-level-id=", "profile-level-id=xyz01f", ""})
    EXPECT_FALSE(isConstrainedBaseline(other)) << other;
}

TEST(PublishOffer, RefusalsSayWhatIsWrong) {
  EXPECT_EQ(refusalOf(""), "The offer is not SDP.");
  EXPECT_EQ(refusalOf("hello"), "The offer is not SDP.");
  EXPECT_EQ(refusalOf(std::string(70000, 'v')), "The offer has 70000 bytes; at most 65536 are read.");
  const std::string video = kObsOffer.substr(kObsOffer.find("m=video"));
  EXPECT_EQ(refusalOf(kObsOffer + video + video), "The offer has 4 media; it must have one to three.");
  EXPECT_EQ(refusalOf(kObsOffer + video), "Two media of the offer have the mid 1.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "m=audio", "m=application")),
            "The offer has media that are neither audio nor video; rooms take no others.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "a=fingerprint:sha-256 35:76", "a=fingerprint:sha-256 35:7")),
            "The audio of the offer has no SHA-256 fingerprint of a certificate.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "a=fingerprint:sha-256", "a=fingerprint:sha-1")),
            "The audio of the offer has no SHA-256 fingerprint of a certificate.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "opus", "speex")),
            "The offer's audio is not Opus, which is all that rooms take.");
  EXPECT_EQ(
      refusalOf(replaced(kObsOffer, "42e01f", "64001f")),
      "The offer's video is neither VP8 nor H.264 in constrained baseline profile, which are all that rooms "
      "take.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "a=rtcp-mux\n", "")),
            "The audio of the offer lacks rtcp-mux: RTCP must use the port of RTP.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "a=sendonly", "a=recvonly")),
            "The audio of the offer is recvonly; who publishes must send.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "UDP/TLS/RTP/SAVPF 111", "RTP/AVP 111")),
            "The audio of the offer is not sent as UDP/TLS/RTP/SAVPF, which is the only way taken.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "kN5B", "k!")),
            "The audio of the offer has no valid user name and password of ICE.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "a=setup:actpass", "a=setup:holdconn")),
            "The audio of the offer does not say who begins with DTLS (setup).");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "BUNDLE 0 1", "BUNDLE 0")),
            "The media of the offer are not in one BUNDLE group.");
  EXPECT_EQ(refusalOf(replaced(kObsOffer, "a=mid:1", "a=mid:0")), "Two media of the offer have the mid 0.");
  EXPECT_EQ(refusalOf(replacedEverywhere(kObsOffer, "111", "96")),
            "Two media of the offer use the same payload type.");
}

/// That of OBS, with its pictures in two sizes.
std::string inTwoSizes() {
  const std::string video = kObsOffer.substr(kObsOffer.find("m=video"));
  const std::string small =
      replaced(replacedEverywhere(video, "3108475404", "3108475405"), "a=mid:1", "a=mid:2");
  return replaced(kObsOffer, "BUNDLE 0 1", "BUNDLE 0 1 2") + small;
}

TEST(PublishOffer, PicturesMayComeInTwoSizesOfOneEncoding) {
  const auto offer = readPublishOffer(inTwoSizes());
  ASSERT_TRUE(offer.ok()) << offer.error().message;
  ASSERT_EQ(offer.value().media.size(), 3U);
  EXPECT_EQ(offer.value().media[1].format.encoding, offer.value().media[2].format.encoding);
  EXPECT_EQ(offer.value().media[2].mid, "2");
  const std::size_t small = inTwoSizes().rfind("m=video");
  EXPECT_EQ(refusalOf(inTwoSizes().substr(0, small) + replaced(inTwoSizes().substr(small), "H264", "VP8")),
            "The two media of video in the offer have different encodings; they must have the same.");
  const std::size_t audio = kObsOffer.find("m=audio"), video = kObsOffer.find("m=video");
  const std::string sound = replaced(kObsOffer.substr(audio, video - audio), "a=mid:0", "a=mid:2");
  EXPECT_EQ(refusalOf(inTwoSizes().substr(0, small) + sound),
            "The offer has two media of audio; a connection carries one.");
}

TEST(PublishOffer, MangledOffersAreReadOrRefusedAndWhatIsReadIsSound) {
  std::mt19937 random(25);
  int read = 0, refused = 0;
  for (const auto& sample : {kChromiumOffer, kObsOffer, kGstreamerOffer})
    for (int round = 0; round < 4000; ++round) {
      std::string sdp = sample;
      for (auto changes = 1 + random() % 4; changes > 0; --changes) sdp = mutated(std::move(sdp), random);
      const auto offer = readPublishOffer(sdp);
      if (!offer.ok()) {
        ++refused;
        EXPECT_FALSE(offer.error().message.empty());
        continue;
      }
      ++read;
      const std::string passedOn = sdpOf(offer.value());
      const auto again = readPublishOffer(passedOn);
      ASSERT_TRUE(again.ok()) << again.error().message << "\n" << passedOn;
      EXPECT_EQ(sdpOf(again.value()), passedOn);
    }
  // Many changes touch what is not used, many what is: both ways are walked.
  EXPECT_GT(read, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace tactus::media
