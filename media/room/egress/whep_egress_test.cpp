// SPDX-License-Identifier: Apache-2.0
// Subscribers of GStreamer's webrtcbin see and hear what is published.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "core/net/link/link_task_fixture.h"
#include "media/room/egress/encoded_feed_fixture.h"
#include "media/room/egress/webrtc_subscriber_fixture.h"
#include "media/room/egress/whep_egress.h"

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

class WhepEgressTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { gst_init(nullptr, nullptr); }

  std::unique_ptr<WhepEgress> egress(net::LinkTask* link = nullptr, periodic::Duration timeout = 10s) {
    WhepEgress::Options options{.certificate = DtlsCertificate::generate().value(),
                                .link = link,
                                .addresses = {"127.0.0.1"},
                                .connectTimeout = timeout,
                                .silence = m_silence};
    options.gone = [this](const std::string& id, const std::string& reason) {
      const std::lock_guard lock(m_mutex);
      m_gone[id] = reason;
    };
    return WhepEgress::start(std::move(options)).value();
  }
  /// Empty: the subscriber is not gone by itself.
  std::string reasonOf(const std::string& id) {
    const std::lock_guard lock(m_mutex);
    return m_gone[id];
  }
  /// The subscriber's id.
  static std::string subscribe(WhepEgress& egress, WebrtcSubscriber& subscriber,
                               const std::vector<EgressTrack>& tracks) {
    const auto answer = egress.subscribe(tracks, subscriber.offer());
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    if (!answer.ok()) return {};
    subscriber.answer(answer.value().description);
    return answer.value().id;
  }

  periodic::Duration m_silence = 15s;

 private:
  std::mutex m_mutex;
  std::map<std::string, std::string> m_gone;
};

TEST_F(WhepEgressTest, PicturesAreSeenAndSoundIsHeard) {
  const auto red = EncodedFeed::pictures("red");
  const auto tone = EncodedFeed::sound();
  const auto sender = egress();
  WebrtcSubscriber subscriber({.sound = true});
  const std::string id = subscribe(*sender, subscriber, {{.feed = red.get()}, {.feed = tone.get()}});
  EXPECT_TRUE(eventually([&] { return subscriber.pictures('r') >= 25; })) << subscriber.pictures('r');
  EXPECT_TRUE(eventually([&] { return subscriber.heard() >= 50; })) << subscriber.heard();
  const auto figures = sender->figures(id).value();
  EXPECT_TRUE(figures.connected);
  EXPECT_GE(figures.tracks[0].sent.packets, 25u);
  EXPECT_EQ(figures.tracks[0].sent.flow.failed, 0u);
  EXPECT_GE(figures.tracks[1].sent.packets, 50u);
  EXPECT_GE(red->keyframes(), 1);
  EXPECT_TRUE(eventually([&] { return sender->figures(id).value().delivery.arrived >= 25; }));
  EXPECT_EQ(sender->figures(id).value().rtcpUnreadable, 0u);
}

TEST_F(WhepEgressTest, ReportsSayHowLongTheWayIs) {
  const auto red = EncodedFeed::pictures("red");
  const auto sender = egress();
  WebrtcSubscriber subscriber({.feedback = false});
  const std::string id = subscribe(*sender, subscriber, {{.feed = red.get()}});
  EXPECT_TRUE(eventually([&] { return sender->figures(id).value().roundTrip.has_value(); }));
  EXPECT_EQ(sender->figures(id).value().delivery.feedbacks, 0u);
}

TEST_F(WhepEgressTest, OverALinkItIsTheSameAndEachTrackHasItsClass) {
  net::TestLink link(net::BitRate::perSecond(20'000'000));
  const auto red = EncodedFeed::pictures("red");
  const auto tone = EncodedFeed::sound();
  const auto sender = egress(link.get());
  WebrtcSubscriber subscriber({.sound = true});
  const std::string id = subscribe(*sender, subscriber, {{.feed = red.get()}, {.feed = tone.get()}});
  EXPECT_TRUE(eventually([&] { return subscriber.pictures('r') >= 25; })) << subscriber.pictures('r');
  EXPECT_TRUE(eventually([&] { return subscriber.heard() >= 50; })) << subscriber.heard();
  const auto rows = link->rows();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].spec.linkClass, net::LinkClass::Audio);
  EXPECT_EQ(rows[1].spec.linkClass, net::LinkClass::Stream);
  EXPECT_GE(rows[1].figures.sent, 25u);
  EXPECT_TRUE(sender->remove(id).ok());
  EXPECT_TRUE(link->rows().empty());
}

TEST_F(WhepEgressTest, ALinkThatHasNoRoomRefusesWithASentence) {
  net::TestLink link(net::BitRate::perSecond(1'000'000));
  const auto red = EncodedFeed::pictures("red");
  const auto sender = egress(link.get());
  WebrtcSubscriber subscriber({});
  const auto answer = sender->subscribe({{.feed = red.get()}}, subscriber.offer());
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code, ErrorCode::Refused);
  EXPECT_FALSE(answer.error().message.empty());
  EXPECT_EQ(sender->subscribers(), 0u);
}

TEST_F(WhepEgressTest, EachTwentiethPacketThatIsLostComesAgain) {
  const auto snow = EncodedFeed::pictures("snow");  // of many packets each
  const auto sender = egress();
  WebrtcSubscriber subscriber({.losesEach = 20});
  const std::string id = subscribe(*sender, subscriber, {{.feed = snow.get()}});
  const auto pictures = [&] {
    return subscriber.pictures('r') + subscriber.pictures('g') + subscriber.pictures('b');
  };
  EXPECT_TRUE(eventually([&] { return subscriber.repaired() >= 5; }))
      << subscriber.repaired() << " repaired of " << subscriber.lost();
  EXPECT_GE(sender->figures(id).value().tracks[0].sent.repeated, 5u);
  const int before = pictures();
  EXPECT_TRUE(eventually([&] { return pictures() >= before + 25; }));
}

TEST_F(WhepEgressTest, AnotherSourceGoesOnInTheSameStream) {
  const auto red = EncodedFeed::pictures("red");
  const auto blue = EncodedFeed::pictures("blue");
  const auto sender = egress();
  WebrtcSubscriber subscriber({});
  const std::string id = subscribe(*sender, subscriber, {{.feed = red.get()}});
  ASSERT_TRUE(eventually([&] { return subscriber.pictures('r') >= 5; }));
  ASSERT_TRUE(sender->switchTo(id, 0, blue.get()).ok());
  EXPECT_TRUE(eventually([&] { return subscriber.pictures('b') >= 5; }));
  ASSERT_TRUE(sender->switchTo(id, 0, nullptr).ok());
  const int before = subscriber.pictures('r');
  ASSERT_TRUE(sender->switchTo(id, 0, red.get()).ok());
  EXPECT_TRUE(eventually([&] { return subscriber.pictures('r') >= before + 5; }));
  EXPECT_EQ(sender->switchTo(id, 1, red.get()).error().code, ErrorCode::NotFound);
}

/// Of a publisher that has paused it.
class SilentFeed final : public TrackFeed {
 public:
  [[nodiscard]] TrackFormat format() const override {
    return {.kind = MediaKind::Video, .encoding = "VP8", .clockRate = 90'000};
  }
  void add(PacketConsumer&) override {}
  void remove(PacketConsumer&) override {}
  void requestKeyframe() noexcept override {}
};

TEST_F(WhepEgressTest, PicturesGoOnUntilThoseOfTheNextFeedCome) {
  SilentFeed silent, silentAsWell;
  const auto red = EncodedFeed::pictures("red");
  const auto blue = EncodedFeed::pictures("blue");
  const auto sender = egress();
  WebrtcSubscriber subscriber({});
  const std::string id = subscribe(*sender, subscriber, {{.feed = red.get()}});
  const auto more = [&](char colour) {
    const int before = subscriber.pictures(colour);
    return eventually([&] { return subscriber.pictures(colour) >= before + 5; });
  };
  ASSERT_TRUE(more('r'));
  ASSERT_TRUE(sender->switchTo(id, 0, &silent).ok());
  EXPECT_TRUE(more('r'));
  ASSERT_TRUE(sender->switchTo(id, 0, &silentAsWell).ok());
  EXPECT_TRUE(more('r'));
  sender->forget(silentAsWell);
  EXPECT_TRUE(more('r'));
  ASSERT_TRUE(sender->switchTo(id, 0, blue.get()).ok());
  EXPECT_TRUE(more('b'));
  ASSERT_TRUE(sender->switchTo(id, 0, red.get()).ok());
  ASSERT_TRUE(sender->switchTo(id, 0, blue.get()).ok());
  EXPECT_TRUE(more('b'));
  sender->forget(silent);
}

TEST_F(WhepEgressTest, WhatTheFeedLeavesGoesToTheOneThatWasToFollowIt) {
  SilentFeed silent;
  const auto red = EncodedFeed::pictures("red");
  const auto blue = EncodedFeed::pictures("blue");
  const auto sender = egress();
  WebrtcSubscriber subscriber({});
  const std::string id = subscribe(*sender, subscriber, {{.feed = red.get()}});
  ASSERT_TRUE(eventually([&] { return subscriber.pictures('r') >= 5; }));
  ASSERT_TRUE(sender->switchTo(id, 0, &silent).ok());
  sender->forget(*red);
  ASSERT_TRUE(sender->switchTo(id, 0, blue.get()).ok());
  EXPECT_TRUE(eventually([&] { return subscriber.pictures('b') >= 5; }));
  sender->forget(silent);
}

TEST_F(WhepEgressTest, AFeedMayGoBeforeItsSubscribers) {
  auto red = EncodedFeed::pictures("red");
  const auto blue = EncodedFeed::pictures("blue");
  const auto sender = egress();
  WebrtcSubscriber subscriber({});
  const std::string id = subscribe(*sender, subscriber, {{.feed = red.get()}});
  ASSERT_TRUE(eventually([&] { return subscriber.pictures('r') >= 5; }));
  sender->forget(*red);
  red.reset();
  ASSERT_TRUE(sender->switchTo(id, 0, blue.get()).ok());
  EXPECT_TRUE(eventually([&] { return subscriber.pictures('b') >= 5; }));
}

TEST_F(WhepEgressTest, SubscribersComeAndGoWhileAnotherWatches) {
  const auto red = EncodedFeed::pictures("red");
  const auto sender = egress();
  WebrtcSubscriber watching({});
  const std::string id = subscribe(*sender, watching, {{.feed = red.get()}});
  ASSERT_TRUE(eventually([&] { return watching.pictures('r') >= 5; }));
  std::set<std::string> ids{id};
  for (int i = 0; i < 5; ++i) {
    WebrtcSubscriber passing({});
    const std::string other = subscribe(*sender, passing, {{.feed = red.get()}});
    EXPECT_TRUE(ids.insert(other).second);
    EXPECT_TRUE(eventually([&] { return passing.pictures('r') >= 1; }));
    EXPECT_TRUE(sender->remove(other).ok());
    EXPECT_EQ(sender->remove(other).error().code, ErrorCode::NotFound);
  }
  EXPECT_EQ(sender->subscribers(), 1u);
  const int before = watching.pictures('r');
  EXPECT_TRUE(eventually([&] { return watching.pictures('r') >= before + 25; }));
}

TEST_F(WhepEgressTest, WhoNeverConnectsIsRemoved) {
  const auto red = EncodedFeed::pictures("red");
  const auto sender = egress(nullptr, 200ms);
  WebrtcSubscriber subscriber({});
  const auto answer = sender->subscribe({{.feed = red.get()}}, subscriber.offer());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_TRUE(eventually([&] { return sender->subscribers() == 0; }));
  EXPECT_EQ(reasonOf(answer.value().id), "The subscriber did not connect in time.");
}

TEST_F(WhepEgressTest, WhoIsNotHeardAnyMoreIsRemoved) {
  const auto red = EncodedFeed::pictures("red");
  m_silence = 1ms;  // shorter than any interval between reports
  const auto sender = egress();
  WebrtcSubscriber subscriber({});
  const std::string id = subscribe(*sender, subscriber, {{.feed = red.get()}});
  EXPECT_TRUE(eventually([&] { return sender->subscribers() == 0; }));
  EXPECT_EQ(reasonOf(id), "The subscriber is not reached any more.");
}

TEST_F(WhepEgressTest, WhoClosesTheConnectionIsRemoved) {
  const auto red = EncodedFeed::pictures("red");
  const auto sender = egress();
  auto subscriber = std::make_unique<WebrtcSubscriber>(WebrtcSubscriber::Wants{});
  const std::string id = subscribe(*sender, *subscriber, {{.feed = red.get()}});
  ASSERT_TRUE(eventually([&] { return subscriber->pictures('r') >= 1; }));
  subscriber.reset();
  EXPECT_TRUE(eventually([&] { return sender->subscribers() == 0; }));
  EXPECT_NE(reasonOf(id), "");
}

TEST_F(WhepEgressTest, APeerWithAnotherCertificateIsRemoved) {
  const auto red = EncodedFeed::pictures("red");
  const auto sender = egress();
  WebrtcSubscriber subscriber({});
  std::string offer = subscriber.offer();
  const auto at = offer.find("a=fingerprint:sha-256 ") + 22;
  ASSERT_LT(at, offer.size());
  offer[at] = offer[at] == '0' ? '1' : '0';
  const auto answer = sender->subscribe({{.feed = red.get()}}, offer);
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  subscriber.answer(answer.value().description);
  EXPECT_TRUE(eventually([&] { return sender->subscribers() == 0; }));
  EXPECT_EQ(reasonOf(answer.value().id), "The peer's certificate is not the one of its session description.");
  EXPECT_EQ(subscriber.pictures('r'), 0);
}

TEST_F(WhepEgressTest, DatagramsOfStrangersDoNotDisturbIt) {
  const auto red = EncodedFeed::pictures("red");
  const auto sender = egress();
  WebrtcSubscriber subscriber({});
  const auto answer = sender->subscribe({{.feed = red.get()}}, subscriber.offer());
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  subscriber.answer(answer.value().description);
  ASSERT_TRUE(eventually([&] { return subscriber.pictures('r') >= 1; }));
  const std::string marker = " 127.0.0.1 ";
  const auto place = answer.value().description.find(marker);
  ASSERT_NE(place, std::string::npos);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(answer.value().description.substr(place + marker.size()))));
  const net::Descriptor stranger(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  std::array<unsigned char, 60> junk{};
  // DTLS, RTCP, RTP and STUN by their first bytes.
  for (const int kind : {0x16, 0x80, 0x90, 0x00})
    for (int i = 0; i < 250; ++i) {
      junk[0] = static_cast<unsigned char>(kind);
      junk[1] = static_cast<unsigned char>(i);
      ASSERT_EQ(sendto(stranger.get(), junk.data(), junk.size(), 0, reinterpret_cast<const sockaddr*>(&to),
                       sizeof to),
                static_cast<ssize_t>(junk.size()));
    }
  const int before = subscriber.pictures('r');
  EXPECT_TRUE(eventually([&] { return subscriber.pictures('r') >= before + 25; }));
  EXPECT_EQ(sender->subscribers(), 1u);
}

TEST_F(WhepEgressTest, AnOfferThatIsNoneIsRefused) {
  const auto red = EncodedFeed::pictures("red");
  const auto sender = egress();
  EXPECT_EQ(sender->subscribe({{.feed = red.get()}}, "hello").error().code, ErrorCode::Corrupt);
  EXPECT_EQ(sender->subscribe({}, "hello").error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(sender->figures("nobody").error().code, ErrorCode::NotFound);
}

}  // namespace
}  // namespace tactus::media
