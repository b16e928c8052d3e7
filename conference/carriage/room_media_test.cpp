// SPDX-License-Identifier: Apache-2.0
#include "conference/carriage/room_media.h"

#include <gtest/gtest.h>

#include <future>

#include "media/room/egress/webrtc_subscriber_fixture.h"
#include "media/room/ingest/webrtc_publisher_fixture.h"

namespace tactus::conference {
namespace {

using media::eventually;
using media::WebrtcPublisher;
using media::WebrtcSubscriber;

const ParticipantSid kAnn = *ParticipantSid::parse("PA_ann");
const ParticipantSid kBob = *ParticipantSid::parse("PA_bob");
const TrackSid kPictures = *TrackSid::parse("TR_pictures");

/// A room's media on the loopback device; Ann's session is "ann", Bob's "bob".
class RoomMediaTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = RoomMedia::start({.addresses = {"127.0.0.1"}});
    ASSERT_TRUE(started.ok()) << started.error().message;
    m_media = std::move(started).value();
    m_media->addTo(m_routes, {.whoOf = [](std::string_view bearer) -> std::optional<ParticipantSid> {
                     if (bearer == "ann") return kAnn;
                     if (bearer == "bob") return kBob;
                     return std::nullopt;
                   }});
  }

  DoorAnswer ask(const std::string& method, const std::string& path, const std::string& session,
                 const std::string& body = {}) {
    const auto found = m_routes.find(method, path);
    if (found.handler == nullptr) return {405, {}, {}, {}};
    DoorRequest request;
    request.token = "TOKEN";
    request.method = method;
    request.path = path;
    request.rest = found.rest;
    request.headers = {{"content-type", "application/sdp"}, {"authorization", "Bearer " + session}};
    request.body = body;
    std::promise<DoorAnswer> answered;
    (*found.handler)(request, [&](DoorAnswer answer) { answered.set_value(std::move(answer)); });
    return answered.get_future().get();
  }
  static std::string header(const DoorAnswer& answer, const std::string& name) {
    for (const auto& [each, value] : answer.headers)
      if (each == name) return value;
    return {};
  }
  /// Of an answer's Location, what stands below the token.
  static std::string resource(const DoorAnswer& answer) {
    const std::string location = header(answer, "Location"), below = "/r/TOKEN/";
    EXPECT_TRUE(location.starts_with(below)) << location;
    return location.substr(std::min(below.size(), location.size()));
  }

  void announce() {
    m_media->take(server::TrackPublished{kAnn, {kPictures, {.source = TrackSource::Camera}, false}});
  }
  /// Returns the path of the session.
  std::string publish(WebrtcPublisher& publisher) {
    const DoorAnswer answer = ask("POST", "whip/camera", "ann", publisher.offer());
    EXPECT_EQ(answer.status, 201U) << answer.body;
    publisher.accept(answer.body);
    return resource(answer);
  }
  std::string subscribe(WebrtcSubscriber& subscriber) {
    const DoorAnswer answer = ask("POST", "whep/PA_ann/camera", "bob", subscriber.offer());
    EXPECT_EQ(answer.status, 201U) << answer.body;
    subscriber.answer(answer.body);
    return resource(answer);
  }
  /// How Ann's pictures reach Bob; absent: nothing is known of it.
  std::optional<TrackDelivery> delivery() const {
    for (const PictureDelivery& each : m_media->deliveries())
      if (each.receiver == kBob && each.publisher == kAnn && each.source == TrackSource::Camera)
        return each.delivery;
    return std::nullopt;
  }
  static int seen(const WebrtcSubscriber& subscriber) {
    return subscriber.pictures('r') + subscriber.pictures('g') + subscriber.pictures('b');
  }
  static bool seesMore(const WebrtcSubscriber& subscriber) {
    const int before = seen(subscriber);
    return eventually([&] { return seen(subscriber) >= before + 10; });
  }

  Routes m_routes;
  std::unique_ptr<RoomMedia> m_media;
};

TEST_F(RoomMediaTest, WhatIsPublishedIsSeenAndHeard) {
  WebrtcPublisher publisher({});
  publish(publisher);
  WebrtcSubscriber subscriber({.pictures = true, .sound = true});
  subscribe(subscriber);
  EXPECT_TRUE(seesMore(subscriber));
  EXPECT_TRUE(eventually([&] { return subscriber.heard() > 10; }));
}

TEST_F(RoomMediaTest, WhoHasNoSessionNeitherPublishesNorReceives) {
  for (const char* path : {"whip/camera", "whep/PA_ann/camera"}) {
    const DoorAnswer answer = ask("POST", path, "eve", "v=0\r\n");
    EXPECT_EQ(answer.status, 401U);
    EXPECT_EQ(header(answer, "WWW-Authenticate"), "Bearer");
  }
}

TEST_F(RoomMediaTest, WhatIsNotPublishedCannotBeReceived) {
  EXPECT_EQ(ask("POST", "whep/PA_ann/camera", "bob", "v=0\r\n").status, 404U);
  announce();
  const DoorAnswer early = ask("POST", "whep/PA_ann/camera", "bob", "v=0\r\n");
  EXPECT_EQ(early.status, 503U);
  EXPECT_EQ(header(early, "Retry-After"), "1");
  EXPECT_EQ(ask("POST", "whep/PA_ann/window", "bob", "v=0\r\n").status, 404U);
  EXPECT_EQ(ask("POST", "whip/window", "ann", "v=0\r\n").status, 404U);
  EXPECT_EQ(ask("POST", "whip/camera", "ann", "hello").status, 400U);
  EXPECT_EQ(ask("PATCH", "whip/camera", "ann", "hello").status, 405U);
}

TEST_F(RoomMediaTest, ATrackThatIsSwitchedOffIsNotSentUntilItIsSwitchedOn) {
  WebrtcPublisher publisher({});
  announce();
  publish(publisher);
  WebrtcSubscriber subscriber({.pictures = true, .sound = true});
  subscribe(subscriber);
  ASSERT_TRUE(seesMore(subscriber));
  m_media->take(SettingChanged{kBob, kPictures, {.enabled = false}});
  // Sound goes on; once as much of it came as lies between many pictures, what was on its way has come, too.
  const int heard = subscriber.heard();
  ASSERT_TRUE(eventually([&] { return subscriber.heard() > heard + 50; }));
  const int before = seen(subscriber), heardBefore = subscriber.heard();
  ASSERT_TRUE(eventually([&] { return subscriber.heard() > heardBefore + 50; }));
  EXPECT_EQ(seen(subscriber), before);
  m_media->take(SettingChanged{kBob, kPictures, {.enabled = true}});
  EXPECT_TRUE(seesMore(subscriber));
}

TEST_F(RoomMediaTest, WhatLimitsPicturesIsKnownOfEachReceiver) {
  WebrtcPublisher publisher({});
  announce();
  publish(publisher);
  EXPECT_FALSE(delivery());
  WebrtcSubscriber subscriber({});
  subscribe(subscriber);
  ASSERT_TRUE(seesMore(subscriber));
  EXPECT_TRUE(eventually([&] { return delivery() == TrackDelivery{}; }));
  const TrackDelivery fewer{DeliveredPictures::Fewer, DeliveryLimit::SenderComputer};
  m_media->take(SendingChanged{kPictures, fewer});
  EXPECT_TRUE(eventually([&] { return delivery() == fewer; }));
  m_media->take(SendingChanged{kPictures, {}});
  EXPECT_TRUE(eventually([&] { return delivery() == TrackDelivery{}; }));
  publisher.vanish();
  const TrackDelivery none{DeliveredPictures::None, DeliveryLimit::SenderProgram};
  EXPECT_TRUE(eventually([&] { return delivery() == none; }));
  m_media->take(server::TrackMuted{kAnn, kPictures, true});
  EXPECT_TRUE(eventually([&] { return delivery() == TrackDelivery{}; })) << "whoever is muted sends nothing";
  m_media->take(server::ParticipantLeft{kBob, LeaveReason::Left});
  EXPECT_TRUE(eventually([&] { return !delivery(); }));
}

TEST_F(RoomMediaTest, ASubscriberGoesOnWithAStreamThatIsPublishedAnew) {
  auto publisher = std::make_unique<WebrtcPublisher>(WebrtcPublisher::Settings{});
  publish(*publisher);
  WebrtcSubscriber subscriber({});
  subscribe(subscriber);
  ASSERT_TRUE(seesMore(subscriber));
  WebrtcPublisher again({});
  publish(again);
  publisher.reset();
  EXPECT_TRUE(seesMore(subscriber));
}

TEST_F(RoomMediaTest, APublisherEndsItsOwnSessionAlone) {
  WebrtcPublisher publisher({});
  const std::string session = publish(publisher);
  EXPECT_EQ(ask("DELETE", session, "bob").status, 404U);
  EXPECT_EQ(ask("DELETE", session, "ann").status, 200U);
  EXPECT_EQ(ask("DELETE", session, "ann").status, 404U);
  EXPECT_EQ(ask("POST", "whep/PA_ann/camera", "bob", "v=0\r\n").status, 404U);
}

TEST_F(RoomMediaTest, ASubscriberEndsItsOwnSubscriptionAlone) {
  WebrtcPublisher publisher({});
  publish(publisher);
  WebrtcSubscriber subscriber({});
  const std::string subscription = subscribe(subscriber);
  EXPECT_EQ(ask("DELETE", subscription, "ann").status, 404U);
  EXPECT_EQ(ask("DELETE", subscription, "bob").status, 200U);
  EXPECT_EQ(ask("DELETE", subscription, "bob").status, 404U);
}

TEST_F(RoomMediaTest, NothingIsLeftOfAParticipantWhoHasGone) {
  WebrtcPublisher publisher({});
  announce();
  const std::string session = publish(publisher);
  WebrtcSubscriber subscriber({});
  const std::string subscription = subscribe(subscriber);
  m_media->take(server::ParticipantLeft{kAnn, LeaveReason::Left});
  EXPECT_EQ(ask("POST", "whep/PA_ann/camera", "bob", "v=0\r\n").status, 404U);
  EXPECT_EQ(ask("DELETE", session, "ann").status, 404U);
  EXPECT_EQ(ask("DELETE", subscription, "bob").status, 404U);
}

TEST_F(RoomMediaTest, APublisherThatVanishesLeavesTheOthersAlone) {
  WebrtcPublisher publisher({}), other({});
  publish(publisher);
  const DoorAnswer answer = ask("POST", "whip/camera", "bob", other.offer());
  ASSERT_EQ(answer.status, 201U) << answer.body;
  other.accept(answer.body);
  WebrtcSubscriber subscriber({});
  const DoorAnswer subscribed = ask("POST", "whep/PA_bob/camera", "ann", subscriber.offer());
  ASSERT_EQ(subscribed.status, 201U) << subscribed.body;
  subscriber.answer(subscribed.body);
  ASSERT_TRUE(seesMore(subscriber));
  publisher.vanish();
  EXPECT_TRUE(seesMore(subscriber));
}

}  // namespace
}  // namespace tactus::conference
