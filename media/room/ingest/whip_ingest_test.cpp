// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/whip_ingest.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <future>
#include <mutex>
#include <random>

#include "media/room/ingest/mutations_fixture.h"
#include "media/room/ingest/publish_offers_fixture.h"
#include "media/room/ingest/webrtc_publisher_fixture.h"
#include "media/room/packet_checks_fixture.h"

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

constexpr const char* kVp8 = "application/x-rtp,media=video,encoding-name=VP8,clock-rate=90000,payload=96";
constexpr const char* kH264 = "application/x-rtp,media=video,encoding-name=H264,clock-rate=90000,payload=96";
constexpr const char* kOpus = "application/x-rtp,media=audio,encoding-name=OPUS,clock-rate=48000,payload=97";

WhipIngest::Options onLoopback(IngestLife::Limits limits = {}) {
  return {.addresses = {"127.0.0.1"}, .limits = limits};
}

/// Keeps what it heard.
class Heard : public IngestListener {
 public:
  void onIngest(const IngestReport& report) override {
    const std::lock_guard lock(m_mutex);
    if (m_states.empty() || m_states.back() != report.state) m_states.push_back(report.state);
    m_last = report;
  }
  [[nodiscard]] std::vector<IngestState> states() const {
    const std::lock_guard lock(m_mutex);
    return m_states;
  }
  [[nodiscard]] IngestReport last() const {
    const std::lock_guard lock(m_mutex);
    return m_last;
  }
  [[nodiscard]] bool ended() const { return last().state == IngestState::Ended; }

 private:
  mutable std::mutex m_mutex;
  std::vector<IngestState> m_states;
  IngestReport m_last;
};

/// An ingest for the publisher, which has its answer.
std::unique_ptr<WhipIngest> ingestOf(WebrtcPublisher& publisher, IngestListener* listener = nullptr,
                                     IngestLife::Limits limits = {}) {
  const auto offer = readPublishOffer(publisher.offer());
  EXPECT_TRUE(offer.ok()) << offer.error().message;
  if (!offer.ok()) return nullptr;
  auto ingest = WhipIngest::create(offer.value(), onLoopback(limits), listener);
  EXPECT_TRUE(ingest.ok()) << ingest.error().message;
  if (!ingest.ok()) return nullptr;
  publisher.accept(ingest.value()->answer());
  return std::move(ingest).value();
}

TrackFeed* feedOf(const WhipIngest& ingest, MediaKind kind) {
  for (TrackFeed* feed : ingest.feeds())
    if (feed->format().kind == kind) return feed;
  ADD_FAILURE() << "no such feed";
  return nullptr;
}

IngestFigures figuresOf(const IngestReport& report, MediaKind kind) {
  for (const auto& track : report.tracks)
    if (track.kind == kind) return track;
  return {};
}

/// Is a consumer of a feed as long as it lives.
class Subscription {
 public:
  Subscription(TrackFeed* feed, PacketConsumer& consumer) : m_feed(*feed), m_consumer(consumer) {
    m_feed.add(consumer);
  }
  ~Subscription() { m_feed.remove(m_consumer); }
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

 private:
  TrackFeed& m_feed;
  PacketConsumer& m_consumer;
};

std::size_t threads() {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator("/proc/self/task"),
                                                std::filesystem::directory_iterator()));
}

class WhipIngestTest : public testing::Test {
 protected:
  WhipIngestTest() { gst_init(nullptr, nullptr); }
};

TEST_F(WhipIngestTest, PacketsOfVp8AndOpusArriveInOrderAndDecode) {
  WebrtcPublisher publisher({.video = "vp8", .audio = true});
  Heard heard;
  const auto ingest = ingestOf(publisher, &heard);
  ASSERT_TRUE(ingest);
  TrackFeed* video = feedOf(*ingest, MediaKind::Video);
  TrackFeed* audio = feedOf(*ingest, MediaKind::Audio);
  EXPECT_EQ(video->format().encoding, "VP8");
  EXPECT_EQ(audio->format().encoding, "opus");
  SequenceCheck sound;
  DecodingConsumer pictures(kVp8, "rtpvp8depay ! vp8dec"), samples(kOpus, "rtpopusdepay ! opusdec");
  {
    const Subscription a(video, pictures), b(audio, sound), c(audio, samples);
    video->requestKeyframe();
    EXPECT_TRUE(becomesTrue([&] { return pictures.pictures() >= 25; })) << pictures.pictures();
    EXPECT_TRUE(becomesTrue([&] { return sound.packets() >= 50 && samples.pictures() >= 40; }));
  }
  EXPECT_EQ(sound.missing(), 0);
  EXPECT_TRUE(becomesTrue([&] {
    const auto now = ingest->query();
    return figuresOf(now, MediaKind::Video).pictures >= 25 && figuresOf(now, MediaKind::Audio).packets >= 50;
  }));
  const auto report = ingest->query();
  EXPECT_EQ(report.state, IngestState::Live);
  const auto figures = figuresOf(report, MediaKind::Video);
  EXPECT_GE(figures.packets, figures.pictures);
  EXPECT_GT(figures.bytes, figures.packets * 12);
  EXPECT_EQ(figures.dropped, 0U);
  EXPECT_EQ(figuresOf(report, MediaKind::Audio).pictures, 0U);
  const auto states = heard.states();
  ASSERT_FALSE(states.empty());
  EXPECT_EQ(states.front(), IngestState::Connecting);
  EXPECT_EQ(states.back(), IngestState::Live);
}

TEST_F(WhipIngestTest, PacketsOfH264Decode) {
  WebrtcPublisher publisher({.video = "h264", .audio = false});
  const auto ingest = ingestOf(publisher);
  ASSERT_TRUE(ingest);
  TrackFeed* video = feedOf(*ingest, MediaKind::Video);
  EXPECT_EQ(video->format().encoding, "H264");
  DecodingConsumer pictures(kH264, "rtph264depay ! h264parse ! avdec_h264");
  const Subscription subscription(video, pictures);
  video->requestKeyframe();
  EXPECT_TRUE(becomesTrue([&] { return pictures.pictures() >= 25; })) << pictures.pictures();
}

TEST_F(WhipIngestTest, AnswerIsCompleteAndReceivesOnly) {
  const auto offer = readPublishOffer(kChromiumOffer);
  const auto ingest = WhipIngest::create(offer.value(), onLoopback(), nullptr);
  ASSERT_TRUE(ingest.ok()) << ingest.error().message;
  const std::string& answer = ingest.value()->answer();
  for (const char* line :
       {"a=group:BUNDLE 0 1", "a=recvonly", "a=candidate:", "127.0.0.1", "a=rtpmap:96 VP8/90000",
        "a=rtpmap:97 rtx/90000", "a=rtcp-fb:96 nack\r\n", "a=rtcp-fb:96 nack pli\r\n",
        "a=rtcp-fb:96 transport-cc\r\n", "a=rtpmap:111 OPUS/48000/2", "transport-wide-cc-extensions-01",
        "a=setup:", "a=rtcp-mux"})
    EXPECT_NE(answer.find(line), std::string::npos) << line << " is not in\n" << answer;
  EXPECT_EQ(answer.find("a=sendrecv"), std::string::npos);
}

TEST_F(WhipIngestTest, MangledOffersAreAnsweredOrRefused) {
  std::mt19937 random(25);
  int tried = 0, answered = 0;
  while (tried < 60) {
    std::string sdp = tried % 3 == 0 ? kChromiumOffer : tried % 3 == 1 ? kObsOffer : kGstreamerOffer;
    const auto untouched = readPublishOffer(sdp);
    for (auto changes = 1 + random() % 6; changes > 0; --changes) sdp = mutated(std::move(sdp), random);
    const auto offer = readPublishOffer(sdp);
    // Those that differ in what is used.
    if (!offer.ok() || sdpOf(offer.value()) == sdpOf(untouched.value())) continue;
    ++tried;
    const auto ingest = WhipIngest::create(offer.value(), onLoopback(), nullptr);
    if (!ingest.ok()) {
      EXPECT_FALSE(ingest.error().message.empty());
      continue;
    }
    ++answered;
    EXPECT_EQ(ingest.value()->feeds().size(), offer.value().media.size());
    EXPECT_TRUE(ingest.value()->answer().starts_with("v=0"));
  }
  EXPECT_GT(answered, 0);
}

TEST_F(WhipIngestTest, AddressThatIsNoneIsRefusedWithASentence) {
  const auto offer = readPublishOffer(kChromiumOffer);
  const auto ingest = WhipIngest::create(offer.value(), {.addresses = {"localhost"}}, nullptr);
  ASSERT_FALSE(ingest.ok());
  EXPECT_EQ(ingest.error().message, "'localhost' is no IP address that can be offered to publishers.");
}

TEST_F(WhipIngestTest, KeyframeRequestsReachTheEncoderButNotAThousand) {
  WebrtcPublisher publisher({.video = "vp8", .audio = false});
  const auto ingest = ingestOf(publisher);
  ASSERT_TRUE(ingest);
  TrackFeed* video = feedOf(*ingest, MediaKind::Video);
  ASSERT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Live; }));
  const int before = publisher.keyframeRequests();
  for (int i = 0; i < 1000; ++i) video->requestKeyframe();
  EXPECT_TRUE(becomesTrue([&] { return publisher.keyframeRequests() > before; }));
  EXPECT_TRUE(
      becomesTrue([&] { return figuresOf(ingest->query(), MediaKind::Video).keyframesAsked >= 1000; }));
  // At most one now, and one after the interval, beside those for packets that were lost.
  const auto figures = figuresOf(ingest->query(), MediaKind::Video);
  EXPECT_LE(figures.keyframesPassed, 2 + figures.keyframesAsked - 1000);
  EXPECT_GE(figures.keyframesPassed, 1U);
}

TEST_F(WhipIngestTest, LostPictureCostsAKeyframeRequestThatNobodyAskedFor) {
  WebrtcPublisher publisher({.video = "vp8", .audio = false});
  const auto ingest = ingestOf(publisher);
  ASSERT_TRUE(ingest);
  SequenceCheck pictures;
  const Subscription subscription(feedOf(*ingest, MediaKind::Video), pictures);
  ASSERT_TRUE(becomesTrue([&] { return pictures.packets() >= 5; }));
  const int before = publisher.keyframeRequests();
  const int missing = pictures.missing();
  publisher.loseAPicture();
  EXPECT_TRUE(becomesTrue([&] { return pictures.missing() > missing; }));
  EXPECT_TRUE(becomesTrue([&] { return publisher.keyframeRequests() > before; }));
  EXPECT_TRUE(becomesTrue([&] {
    const auto figures = figuresOf(ingest->query(), MediaKind::Video);
    return figures.lost >= 1 && figures.keyframesAsked >= 1 && figures.keyframesPassed >= 1;
  }));
}

TEST_F(WhipIngestTest, PublisherThatVanishesIsSilentAndThenGivenUp) {
  WebrtcPublisher publisher({.video = "vp8", .audio = true});
  Heard heard;
  const auto ingest = ingestOf(publisher, &heard, {.gone = 4s});
  ASSERT_TRUE(ingest);
  ASSERT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Live; }));
  publisher.vanish();
  EXPECT_TRUE(becomesTrue([&] { return heard.ended(); }));
  EXPECT_EQ(ingest->query().end, IngestEnd::ConnectionLost);
  const auto states = heard.states();
  EXPECT_EQ(states.back(), IngestState::Ended);
  EXPECT_EQ(states.at(states.size() - 2), IngestState::Silent);
}

TEST_F(WhipIngestTest, PublisherThatLeavesIsNoticed) {
  WebrtcPublisher publisher({.video = "vp8", .audio = true});
  Heard heard;
  const auto ingest = ingestOf(publisher, &heard);
  ASSERT_TRUE(ingest);
  ASSERT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Live; }));
  publisher.leave();
  EXPECT_TRUE(becomesTrue([&] { return heard.ended(); }));
  EXPECT_EQ(ingest->query().end, IngestEnd::PeerLeft);
}

TEST_F(WhipIngestTest, PublisherThatNeverConnectsIsGivenUpAndItsThreadsEnd) {
  WhipIngest::prewarm();
  const std::size_t before = threads();
  const auto offer = readPublishOffer(kChromiumOffer);
  Heard heard;
  const auto ingest = WhipIngest::create(offer.value(), onLoopback({.connect = 500ms}), &heard);
  ASSERT_TRUE(ingest.ok()) << ingest.error().message;
  EXPECT_TRUE(becomesTrue([&] { return heard.ended(); }));
  EXPECT_EQ(heard.last().end, IngestEnd::NeverConnected);
  EXPECT_TRUE(becomesTrue([&] { return threads() <= before; })) << before << " threads became " << threads();
}

TEST_F(WhipIngestTest, StopEndsItForGood) {
  WebrtcPublisher publisher({.video = "vp8", .audio = false});
  Heard heard;
  const auto ingest = ingestOf(publisher, &heard);
  ASSERT_TRUE(ingest);
  ingest->stop();
  EXPECT_TRUE(becomesTrue([&] { return heard.ended(); }));
  EXPECT_EQ(ingest->query().end, IngestEnd::Stopped);
  feedOf(*ingest, MediaKind::Video)->requestKeyframe();  // of nobody: nothing happens
}

TEST_F(WhipIngestTest, JunkInThePacketsReachesTheConsumersAndBreaksNothing) {
  WebrtcPublisher publisher({.video = "junk", .audio = true});
  const auto ingest = ingestOf(publisher);
  ASSERT_TRUE(ingest);
  SequenceCheck sound, junk;
  DecodingConsumer pictures(kVp8, "rtpvp8depay ! vp8dec");
  const Subscription a(feedOf(*ingest, MediaKind::Video), junk), b(feedOf(*ingest, MediaKind::Audio), sound),
      c(feedOf(*ingest, MediaKind::Video), pictures);
  EXPECT_TRUE(becomesTrue([&] { return junk.packets() >= 50 && sound.packets() >= 50; }))
      << junk.packets() << " " << sound.packets();
  EXPECT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Live; }));
}

/// Address and port of the first candidate of an answer.
sockaddr_in placeIn(const std::string& answer) {
  constexpr std::string_view kAddress = " 127.0.0.1 ";
  const auto at = answer.find(kAddress, answer.find("a=candidate:"));
  EXPECT_NE(at, std::string::npos);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(static_cast<std::uint16_t>(std::stoi(answer.substr(at + kAddress.size()))));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return place;
}

TEST_F(WhipIngestTest, StrangersDatagramsDisturbNoPublisher) {
  WebrtcPublisher publisher({.video = "vp8", .audio = true});
  const auto ingest = ingestOf(publisher);
  ASSERT_TRUE(ingest);
  SequenceCheck sound;
  const Subscription subscription(feedOf(*ingest, MediaKind::Audio), sound);
  ASSERT_TRUE(becomesTrue([&] { return sound.packets() > 0; }));
  const sockaddr_in place = placeIn(ingest->answer());
  const int stranger = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  ASSERT_GE(stranger, 0);
  std::mt19937 random(25);
  for (int i = 0; i < 2000; ++i) {
    std::array<unsigned char, 200> bytes{};
    for (auto& byte : bytes) byte = static_cast<unsigned char>(random());
    // RTP, RTCP, DTLS and STUN by their first byte (RFC 7983), and anything.
    constexpr std::array<unsigned char, 4> kKinds{0x80, 0x81, 0x16, 0x00};
    if (i % 5 < 4) bytes[0] = kKinds[static_cast<std::size_t>(i % 5)];
    (void)sendto(stranger, bytes.data(), random() % bytes.size(), 0,
                 reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }
  close(stranger);
  const int before = sound.packets();
  EXPECT_TRUE(becomesTrue([&] { return sound.packets() >= before + 50; }));
  EXPECT_TRUE(becomesTrue([&] { return ingest->query().state == IngestState::Live; }));
}

TEST_F(WhipIngestTest, TenPublishersComeAndGoWithoutGrowthOfThreads) {
  const auto visit = [] {
    WebrtcPublisher publisher({.video = "vp8", .audio = true});
    const auto ingest = ingestOf(publisher);
    ASSERT_TRUE(ingest);
    SequenceCheck sound;
    const Subscription subscription(feedOf(*ingest, MediaKind::Audio), sound);
    EXPECT_TRUE(becomesTrue([&] { return sound.packets() >= 5; }));
  };
  visit();
  const std::size_t before = threads();
  for (int i = 0; i < 10; ++i) visit();
  EXPECT_TRUE(becomesTrue([&] { return threads() <= before; })) << before << " threads became " << threads();
}

TEST_F(WhipIngestTest, ConsumerThatBlocksForLongTakesNothingFromTheOther) {
  WebrtcPublisher publisher({.video = "vp8", .audio = true});
  const auto ingest = ingestOf(publisher);
  ASSERT_TRUE(ingest);
  SequenceCheck pictures, sound;
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  SequenceCheck slow([&] { released.wait(); });
  const Subscription a(feedOf(*ingest, MediaKind::Audio), sound);
  const Subscription b(feedOf(*ingest, MediaKind::Video), slow),
      c(feedOf(*ingest, MediaKind::Video), pictures);
  ASSERT_TRUE(becomesTrue([&] { return slow.packets() > 0; }));
  const int soundBefore = sound.packets();
  // Of the other track nothing is held up: 3 s of sound come meanwhile.
  EXPECT_TRUE(becomesTrue([&] { return sound.packets() >= soundBefore + 150; }));
  EXPECT_LE(pictures.packets(), slow.packets());
  release.set_value();
  EXPECT_TRUE(becomesTrue([&] { return pictures.packets() >= 80; })) << pictures.packets();
  // What the loopback device itself lost, if anything, is all that is missing.
  EXPECT_TRUE(becomesTrue([&] {
    const auto lost = figuresOf(ingest->query(), MediaKind::Video).lost;
    return static_cast<std::uint64_t>(pictures.missing()) <= lost;
  })) << pictures.missing();
  EXPECT_EQ(figuresOf(ingest->query(), MediaKind::Video).dropped, 0U);
}

}  // namespace
}  // namespace tactus::media
