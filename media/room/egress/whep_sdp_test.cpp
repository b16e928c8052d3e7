// SPDX-License-Identifier: Apache-2.0
// Offers of subscribers are read and answered, or refused with a sentence.
#include <gst/sdp/gstsdpmessage.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "media/room/egress/whep_answer.h"
#include "media/room/egress/whep_offer.h"

namespace tactus::media {
namespace {

const TrackFormat kVp8{.kind = MediaKind::Video, .encoding = "VP8", .clockRate = 90'000};
const TrackFormat kH264{.kind = MediaKind::Video,
                        .encoding = "H264",
                        .clockRate = 90'000,
                        .parameters = "packetization-mode=1;profile-level-id=42e01f"};
const TrackFormat kOpus{.kind = MediaKind::Audio, .encoding = "OPUS", .clockRate = 48'000, .channels = 2};

const std::string kFingerprint =
    "00:01:02:03:04:05:06:07:08:09:0A:0B:0C:0D:0E:0F:10:11:12:13:14:15:16:17:18:19:1A:1B:1C:1D:1E:1F";

/// As a browser makes it, shortened.
std::string offer() {
  return "v=0\r\no=- 4215775240449105457 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0 1\r\n"
         "m=video 58712 UDP/TLS/RTP/SAVPF 96 97 102 103\r\nc=IN IP4 10.0.0.2\r\n"
         "a=candidate:1 1 udp 2122260223 10.0.0.2 58712 typ host generation 0\r\n"
         "a=candidate:2 1 udp 2122260223 abc.local 58713 typ host\r\n"
         "a=candidate:3 1 tcp 1518280447 10.0.0.2 9 typ host tcptype active\r\n"
         "a=ice-ufrag:abcd\r\na=ice-pwd:0123456789012345678901\r\na=fingerprint:sha-256 " +
         kFingerprint +
         "\r\na=setup:actpass\r\na=mid:0\r\n"
         "a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\r\n"
         "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid\r\na=recvonly\r\na=rtcp-mux\r\na=rtcp-rsize\r\n"
         "a=rtpmap:96 VP8/90000\r\na=rtcp-fb:96 goog-remb\r\na=rtcp-fb:96 transport-cc\r\na=rtcp-fb:96 ccm "
         "fir\r\n"
         "a=rtcp-fb:96 nack\r\na=rtcp-fb:96 nack pli\r\na=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\n"
         "a=rtpmap:102 H264/90000\r\na=rtcp-fb:102 nack\r\n"
         "a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e034\r\n"
         "a=rtpmap:103 rtx/90000\r\na=fmtp:103 apt=102\r\n"
         "m=audio 58712 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 10.0.0.2\r\na=ice-ufrag:abcd\r\n"
         "a=ice-pwd:0123456789012345678901\r\na=mid:1\r\na=recvonly\r\na=rtcp-mux\r\n"
         "a=rtpmap:111 opus/48000/2\r\na=fmtp:111 minptime=10;useinbandfec=1\r\n";
}

std::string without(const std::string& line) {
  std::string text = offer();
  for (auto at = text.find(line); at != std::string::npos; at = text.find(line))
    text.erase(at, text.find("\r\n", at) + 2 - at);
  return text;
}

std::string refusalOf(const std::string& text) {
  const auto read = readWhepOffer(text);
  return read.ok() ? "" : read.error().message;
}

TEST(WhepOffer, SaysHowToReachThePeerAndWhatItTakes) {
  const auto read = readWhepOffer(offer());
  ASSERT_TRUE(read.ok()) << read.error().message;
  const WhepOffer& got = read.value();
  EXPECT_EQ(got.iceUser, "abcd");
  EXPECT_EQ(got.icePassword, "0123456789012345678901");
  EXPECT_EQ(got.fingerprint.hash, "sha-256");
  ASSERT_EQ(got.fingerprint.bytes.size(), 32u);
  EXPECT_EQ(got.fingerprint.bytes[31], 31);
  EXPECT_EQ(got.setup, DtlsSetup::Either);
  EXPECT_EQ(got.candidates,
            std::vector<std::string>{"candidate:1 1 udp 2122260223 10.0.0.2 58712 typ host generation 0"});
  ASSERT_EQ(got.media.size(), 2u);
  EXPECT_EQ(got.media[0].mid, "0");
  EXPECT_EQ(got.media[0].transportNumberId, 3);
  EXPECT_EQ(got.media[0].midId, 4);
  ASSERT_EQ(got.media[0].codecs.size(), 2u);
  EXPECT_EQ(got.media[0].codecs[0].retransmissionType, 97);
  EXPECT_EQ(got.media[0].codecs[1].retransmissionType, 103);
  EXPECT_EQ(got.media[1].codecs[0].channels, 2u);
  EXPECT_FALSE(got.media[1].transportNumberId);
}

TEST(WhepOffer, EachThingThatIsMissingHasItsSentence) {
  EXPECT_EQ(refusalOf(""), "An offer has 1 to 65536 bytes, not 0.");
  EXPECT_EQ(refusalOf(std::string(65'537, 'v')), "An offer has 1 to 65536 bytes, not 65537.");
  EXPECT_EQ(refusalOf("hello"), "The offer is no session description (RFC 8866).");
  EXPECT_EQ(refusalOf("v=0\r\no=- 1 1 IN IP4 0\r\ns=-\r\nt=0 0\r\n"), "The offer has no media section.");
  EXPECT_EQ(refusalOf(without("a=ice-pwd")),
            "The offer has no valid ICE user name and password (a=ice-ufrag, a=ice-pwd).");
  EXPECT_EQ(refusalOf(without("a=fingerprint")),
            "The offer has no fingerprint of a certificate by SHA-256, SHA-384 or SHA-512.");
  EXPECT_EQ(refusalOf(without("a=setup")), "The offer does not say who begins the encryption (a=setup).");
  EXPECT_EQ(refusalOf(without("a=rtcp-mux")),
            "The offer wants a port of its own for RTCP (a=rtcp-mux is missing).");
  EXPECT_EQ(refusalOf(without("a=group")), "The media are not in one bundle (a=group:BUNDLE).");
  EXPECT_EQ(refusalOf(without("a=mid")), "The media sections have no names of their own (a=mid).");
  std::string sends = offer();
  for (auto at = sends.find("recvonly"); at != std::string::npos; at = sends.find("recvonly"))
    sends.replace(at, 8, "inactive");
  EXPECT_EQ(refusalOf(sends), "The offer wants to receive nothing.");
}

TEST(WhepOffer, AFingerprintOfAnotherLengthIsNone) {
  std::string text = offer();
  text.erase(text.find(":1F\r\n"), 3);
  EXPECT_NE(refusalOf(text), "");
}

TEST(WhepAnswer, EachTrackHasASectionAndItsCodec) {
  const auto read = readWhepOffer(offer()).value();
  const std::vector<TrackFormat> tracks{kOpus, kVp8};
  const auto agreed = agree(read, tracks);
  ASSERT_TRUE(agreed.ok()) << agreed.error().message;
  EXPECT_EQ(agreed.value()[0].section, 1u);
  EXPECT_EQ(agreed.value()[0].stream.payloadType, 111);
  EXPECT_FALSE(agreed.value()[0].retransmission);
  EXPECT_EQ(agreed.value()[1].section, 0u);
  EXPECT_EQ(agreed.value()[1].stream.payloadType, 96);
  EXPECT_EQ(agreed.value()[1].stream.transportNumberId, 3);
  EXPECT_EQ(agreed.value()[1].stream.mid, "0");
  ASSERT_TRUE(agreed.value()[1].retransmission);
  EXPECT_EQ(agreed.value()[1].retransmission->payloadType, 97);
}

TEST(WhepAnswer, ConstrainedBaselineIsTheSameHoweverItIsWritten) {
  const WhepOffer read = readWhepOffer(offer()).value();
  TrackFormat x264 = kH264;
  x264.parameters = "packetization-mode=1;profile-level-id=42c00d";
  EXPECT_TRUE(agree(read, std::vector<TrackFormat>{x264}).ok());
}

TEST(WhepAnswer, OfH264TheProfileAndThePacketizationMustBeTheSame) {
  const auto read = readWhepOffer(offer()).value();
  const auto agreed = agree(read, std::vector<TrackFormat>{kH264});
  ASSERT_TRUE(agreed.ok()) << agreed.error().message;
  EXPECT_EQ(agreed.value()[0].stream.payloadType, 102);
  TrackFormat high = kH264;
  high.parameters = "packetization-mode=1;profile-level-id=640c1f";
  EXPECT_EQ(
      agree(read, std::vector<TrackFormat>{high}).error().message,
      "The offer does not take video as H264 at 90000 Hz with packetization-mode=1;profile-level-id=640c1f.");
  TrackFormat single = kH264;
  single.parameters = "profile-level-id=42e01f";
  EXPECT_FALSE(agree(read, std::vector<TrackFormat>{single}).ok());
}

TEST(WhepAnswer, ATrackWithoutASectionIsRefused) {
  const auto read = readWhepOffer(offer()).value();
  const auto agreed = agree(read, std::vector<TrackFormat>{kVp8, kVp8});
  ASSERT_FALSE(agreed.ok());
  EXPECT_EQ(agreed.error().message, "The offer does not take video as VP8 at 90000 Hz.");
}

TEST(WhepAnswer, IsASessionDescriptionThatRejectsWhatHasNoTrack) {
  const auto read = readWhepOffer(offer()).value();
  auto agreed = agree(read, std::vector<TrackFormat>{kVp8}).value();
  agreed[0].stream.ssrc = 11;
  agreed[0].retransmission->ssrc = 12;
  const std::string answer = writeWhepAnswer(read, agreed,
                                             {.iceUser = "user",
                                              .icePassword = "password",
                                              .fingerprint = {"sha-256", {0xab, 0xcd}},
                                              .name = "room"});
  EXPECT_EQ(
      answer,
      "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r\na=msid-semantic: WMS room\r\n"
      "m=video 9 UDP/TLS/RTP/SAVPF 96 97\r\nc=IN IP4 0.0.0.0\r\na=ice-ufrag:user\r\na=ice-pwd:password\r\n"
      "a=fingerprint:sha-256 "
      "AB:CD\r\na=setup:passive\r\na=mid:0\r\na=sendonly\r\na=rtcp-mux\r\na=rtcp-rsize\r\n"
      "a=rtpmap:96 VP8/90000\r\na=rtcp-fb:96 nack\r\na=rtcp-fb:96 nack pli\r\na=rtcp-fb:96 ccm fir\r\n"
      "a=rtcp-fb:96 transport-cc\r\na=rtpmap:97 rtx/90000\r\na=fmtp:97 apt=96\r\n"
      "a=extmap:3 http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01\r\n"
      "a=extmap:4 urn:ietf:params:rtp-hdrext:sdes:mid\r\na=msid:room room-0\r\na=ssrc-group:FID 11 12\r\n"
      "a=ssrc:11 cname:room\r\na=ssrc:12 cname:room\r\na=end-of-candidates\r\n"
      "m=audio 0 UDP/TLS/RTP/SAVPF 111\r\nc=IN IP4 0.0.0.0\r\na=mid:1\r\na=inactive\r\n");
}

RC_GTEST_PROP(WhepOfferProperty, AnyTextIsReadOrRefused, (const std::string& text)) {
  if (const auto read = readWhepOffer("v=0\r\n" + text); !read.ok()) RC_ASSERT(!read.error().message.empty());
}

/// Bytes changed, lines left out, lines doubled.
RC_GTEST_PROP(WhepOfferProperty, AMutatedOfferIsAnsweredOrRefused, ()) {
  std::string text = offer();
  const int changes = *rc::gen::inRange(1, 6);
  for (int i = 0; i < changes; ++i) {
    const auto at = *rc::gen::inRange<std::size_t>(0, text.size());
    switch (*rc::gen::inRange(0, 3)) {
      case 0:
        text[at] = *rc::gen::arbitrary<char>();
        break;
      case 1:
        text.erase(at, *rc::gen::inRange<std::size_t>(1, 60));
        break;
      default:
        text.insert(at, text.substr(*rc::gen::inRange<std::size_t>(0, text.size()), 60));
    }
    if (text.empty()) return;
  }
  const auto read = readWhepOffer(text);
  if (!read.ok()) {
    RC_ASSERT(!read.error().message.empty());
    return;
  }
  const auto agreed = agree(read.value(), std::vector<TrackFormat>{kVp8, kOpus});
  if (!agreed.ok()) return;
  const std::string answer = writeWhepAnswer(read.value(), agreed.value(), {.name = "room"});
  GstSDPMessage* parsed = nullptr;
  gst_sdp_message_new(&parsed);
  const bool valid = gst_sdp_message_parse_buffer(reinterpret_cast<const guint8*>(answer.data()),
                                                  static_cast<guint>(answer.size()), parsed) == GST_SDP_OK;
  const guint sections = gst_sdp_message_medias_len(parsed);
  gst_sdp_message_free(parsed);
  RC_ASSERT(valid);
  RC_ASSERT(sections == read.value().media.size());
}

}  // namespace
}  // namespace tactus::media
