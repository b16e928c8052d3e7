// SPDX-License-Identifier: Apache-2.0
// Programs that send by WHIP alone (OBS, whipsink), in a room with its door and its media.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "conference/door/room_link.h"
#include "conference/door/tls_peer.h"
#include "conference/room_host.h"
#include "media/room/egress/webrtc_subscriber_fixture.h"
#include "media/room/ingest/publish_offers_fixture.h"
#include "media/room/ingest/webrtc_publisher_fixture.h"

namespace tactus::conference {
namespace {

using media::eventually;
using media::kObsOffer;
using media::WebrtcPublisher;
using media::WebrtcSubscriber;

constexpr const char* kSdp = "Content-Type: application/sdp\r\n";

struct Answer {
  int status = 0;
  std::string headers, body;
  /// Empty: there is none of this name.
  [[nodiscard]] std::string header(const std::string& name) const {
    std::smatch found;
    const std::regex line(name + ": ([^\r]*)\r", std::regex::icase);
    return std::regex_search(headers, found, line) ? found[1].str() : std::string();
  }
};

/// A client in the room, which hears what it is told.
class Client {
 public:
  Client(const RoomLink& link, const std::string& name) : m_peer(link.port) {
    EXPECT_TRUE(m_peer.shakeHands() && m_peer.upgrade("/r/" + link.token.text() + "/socket"));
    say(client::Join{name, ClientKind::Other, {}});
    if (const auto joined = next<server::Joined>()) session = joined->session.secret();
  }
  void say(const ClientMessage& message) { EXPECT_TRUE(m_peer.send(TlsPeer::frame(toJson(message)))); }
  /// The next message of this kind; others are dropped.
  template <typename Message>
  std::optional<Message> next() {
    int code = 0;
    while (const auto frame = m_peer.nextFrame(&code)) {
      if (code == 9) (void)m_peer.send(TlsPeer::frame(*frame, 10));
      const auto message = parseServerMessage(*frame);
      if (message.ok() && std::holds_alternative<Message>(message.value()))
        return std::get<Message>(message.value());
    }
    ADD_FAILURE() << "no " << Message::kType;
    return std::nullopt;
  }
  std::string session;

 private:
  TlsPeer m_peer;
};

class IngressTest : public ::testing::Test {
 protected:
  void open(HostedRoomOptions room = {}) {
    auto carried = RoomMedia::start({.addresses = {"127.0.0.1"}});
    ASSERT_TRUE(carried.ok()) << carried.error().message;
    auto started = RoomHost::start({std::move(room), {"127.0.0.1", 0, {}}, "127.0.0.1"}, m_certificate, {},
                                   {}, std::move(carried).value());
    ASSERT_TRUE(started.ok()) << started.error().message;
    m_host = std::move(started).value();
    m_guests.emplace(link(Role::Guest));
    m_ann = std::make_unique<Client>(link(Role::Host), "Ann");
    ASSERT_FALSE(m_ann->session.empty());
  }
  [[nodiscard]] RoomLink link(Role role) const {
    return RoomLink::parse(m_host->invite(role).value().link).value();
  }
  [[nodiscard]] Answer ask(const std::string& method, const std::string& path, const std::string& lines = {},
                           const std::string& body = {}) const {
    TlsPeer peer(m_host->port());
    EXPECT_TRUE(peer.shakeHands());
    const std::string text = peer.ask(method, path, lines, body);
    const auto end = text.find("\r\n\r\n");
    if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return {};
    return {std::stoi(text.substr(9, 3)), text.substr(0, end + 2), text.substr(end + 4)};
  }
  [[nodiscard]] std::string whip(const RoomLink& link) const { return "/r/" + link.token.text() + "/whip"; }
  [[nodiscard]] Answer post(const std::string& offer, const std::string& query = {},
                            const std::string& lines = {}) const {
    return ask("POST", whip(*m_guests) + query, kSdp + lines, offer);
  }
  /// Location of the session.
  std::string publish(WebrtcPublisher& publisher, const std::string& offer) {
    const Answer answer = post(offer);
    EXPECT_EQ(answer.status, 201) << answer.body;
    EXPECT_EQ(answer.header("Content-Type"), "application/sdp");
    publisher.accept(answer.body);
    return answer.header("Location");
  }
  /// The stream that has come.
  ParticipantSid come(const std::string& name = "Stream") {
    const auto joined = m_ann->next<server::ParticipantJoined>();
    if (!joined) return {};
    EXPECT_EQ(joined->participant.name, name);
    EXPECT_EQ(joined->participant.role, Role::Guest);
    return joined->participant.sid;
  }
  void expectLeft(const ParticipantSid& sid, LeaveReason reason) {
    const auto left = m_ann->next<server::ParticipantLeft>();
    ASSERT_TRUE(left);
    EXPECT_EQ(left->sid, sid);
    EXPECT_EQ(left->reason, reason);
  }
  void subscribe(WebrtcSubscriber& subscriber, const ParticipantSid& sid) {
    const Answer answer =
        ask("POST", "/r/" + m_guests->token.text() + "/whep/" + sid.text() + "/camera",
            kSdp + ("Authorization: Bearer " + m_ann->session + "\r\n"), subscriber.offer());
    ASSERT_EQ(answer.status, 201) << answer.body;
    subscriber.answer(answer.body);
  }
  static int seen(const WebrtcSubscriber& subscriber) {
    return subscriber.pictures('r') + subscriber.pictures('g') + subscriber.pictures('b');
  }
  static bool seesMore(const WebrtcSubscriber& subscriber) {
    const int before = seen(subscriber);
    return eventually([&] { return seen(subscriber) >= before + 10; });
  }
  static bool hearsMore(const WebrtcSubscriber& subscriber) {
    const int before = subscriber.heard();
    return eventually([&] { return subscriber.heard() > before + 50; });
  }

  const Certificate m_certificate = Certificate::make({"127.0.0.1"}).value();
  std::unique_ptr<RoomHost> m_host;
  std::optional<RoomLink> m_guests;
  std::unique_ptr<Client> m_ann;  // a host
};

/// The offer as libdatachannel writes it: identity in the session, no candidate, no header extension.
std::string asOfObs(const std::string& offer) {
  const auto first = [&](const std::string& text, const std::string& pattern) {
    std::smatch found;
    const bool is = std::regex_search(text, found, std::regex(pattern));
    EXPECT_TRUE(is) << pattern;
    return is ? found[1].str() : std::string();
  };
  std::string media, mids;
  const std::regex section("m=(audio|video)[\\s\\S]*?(?=\r\nm=|$(?![\\s\\S]))");
  for (std::sregex_iterator each(offer.begin(), offer.end(), section), end; each != end; ++each) {
    const std::string text = each->str(), kind = (*each)[1], mid = first(text, "a=mid:(\\S+)");
    const std::string payload = first(text, "m=\\w+ \\d+ \\S+ (\\d+)"), ssrc = first(text, "a=ssrc:(\\d+)");
    mids += " " + mid;
    media += "m=" + kind + " 9 UDP/TLS/RTP/SAVPF " + payload + "\r\nc=IN IP4 0.0.0.0\r\na=mid:" + mid +
             "\r\na=sendonly\r\na=ssrc:" + ssrc + " cname:q7IPEWbC8DmaR9jr\r\na=ssrc:" + ssrc +
             " msid:rDk6 rDk6-" + kind + "\r\na=msid:rDk6 rDk6-" + kind +
             "\r\na=rtcp-mux\r\na=rtpmap:" + first(text, "a=rtpmap:([^\\r]+)") + "\r\n";
    if (kind == "video")
      for (const char* feedback : {"nack", "nack pli", "goog-remb"})
        media += "a=rtcp-fb:" + payload + " " + feedback + "\r\n";
  }
  return "v=0\r\no=rtc 2711044262 0 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE" + mids +
         "\r\na=group:LS" + mids +
         "\r\na=msid-semantic:WMS *\r\na=setup:actpass\r\na=ice-ufrag:" + first(offer, "a=ice-ufrag:(\\S+)") +
         "\r\na=ice-pwd:" + first(offer, "a=ice-pwd:(\\S+)") +
         "\r\na=ice-options:ice2,trickle\r\na=fingerprint:" + first(offer, "a=fingerprint:([^\\r]+)") +
         "\r\n" + media;
}

TEST_F(IngressTest, IsSeenAndHeardUntilItsSessionIsDeleted) {
  open();
  WebrtcPublisher publisher({});
  const Answer answer = post(publisher.offer(), "?name=Concert+Hall");
  ASSERT_EQ(answer.status, 201) << answer.body;
  publisher.accept(answer.body);
  const ParticipantSid sid = come("Concert Hall");
  for (int i = 0; i < 2; ++i) {
    const auto published = m_ann->next<server::TrackPublished>();
    ASSERT_TRUE(published);
    EXPECT_EQ(published->sid, sid);
    EXPECT_EQ(streamOf(published->track.description.source), StreamName::Camera);
  }
  WebrtcSubscriber subscriber({.pictures = true, .sound = true});
  subscribe(subscriber, sid);
  EXPECT_TRUE(seesMore(subscriber) && hearsMore(subscriber));
  const std::string session = answer.header("Location");
  EXPECT_TRUE(session.starts_with(whip(*m_guests) + "/")) << session;
  EXPECT_EQ(ask("PATCH", session, "Content-Type: application/trickle-ice-sdpfrag\r\n", "a=x").status, 405);
  EXPECT_EQ(ask("DELETE", session + "x").status, 404);
  EXPECT_EQ(ask("DELETE", session).status, 200);
  expectLeft(sid, LeaveReason::Left);
  EXPECT_EQ(ask("DELETE", session).status, 404);
}

TEST_F(IngressTest, AnOfferAsOfObsIsAnsweredAndConnects) {
  open();
  const Answer answer = post(kObsOffer, {}, "Authorization: Bearer OBS\r\n");
  ASSERT_EQ(answer.status, 201) << answer.body;
  for (const char* line : {"a=mid:0", "a=mid:1", "a=recvonly", "a=rtpmap:96 H264/90000",
                           "packetization-mode=1", "a=candidate:", "a=group:BUNDLE 0 1"})
    EXPECT_NE(answer.body.find(line), std::string::npos) << line << " in " << answer.body;
  come("OBS");
  WebrtcPublisher publisher({});
  publish(publisher, asOfObs(publisher.offer()));
  WebrtcSubscriber subscriber({.pictures = true, .sound = true});
  subscribe(subscriber, come());
  EXPECT_TRUE(seesMore(subscriber) && hearsMore(subscriber));
}

TEST_F(IngressTest, LeavesWhenItClosesItsConnection) {
  open();
  WebrtcPublisher publisher({});
  publish(publisher, publisher.offer());
  const ParticipantSid sid = come();
  WebrtcSubscriber subscriber({});
  subscribe(subscriber, sid);
  ASSERT_TRUE(seesMore(subscriber));
  publisher.leave();
  expectLeft(sid, LeaveReason::Left);
}

TEST_F(IngressTest, IsLostWhenNothingComesAnyMore) {
  open();
  WebrtcPublisher publisher({});
  publish(publisher, publisher.offer());
  const ParticipantSid sid = come();
  WebrtcSubscriber subscriber({});
  subscribe(subscriber, sid);
  ASSERT_TRUE(seesMore(subscriber));
  ASSERT_EQ(post(kObsOffer, "?name=Nobody").status, 201);  // nobody connects
  const ParticipantSid nobody = come("Nobody");
  publisher.vanish();
  expectLeft(nobody, LeaveReason::Lost);
  expectLeft(sid, LeaveReason::Lost);
}

TEST_F(IngressTest, ThatAHostRemovesEndsAndDoesNotComeBack) {
  open();
  WebrtcPublisher publisher({});
  const std::string session = publish(publisher, publisher.offer());
  const ParticipantSid sid = come();
  m_ann->say(client::Remove{sid});
  expectLeft(sid, LeaveReason::Removed);
  EXPECT_EQ(ask("DELETE", session).status, 404);
  EXPECT_EQ(post(kObsOffer).status, 403);
  EXPECT_EQ(post(kObsOffer, "?name=Other").status, 201);
}

TEST_F(IngressTest, ThatAHostMutesIsNotForwardedUntilAHostUnmutesIt) {
  open();
  WebrtcPublisher publisher({});
  publish(publisher, publisher.offer());
  const ParticipantSid sid = come();
  auto pictures = m_ann->next<server::TrackPublished>();
  if (pictures && pictures->track.description.source != TrackSource::Camera)
    pictures = m_ann->next<server::TrackPublished>();
  ASSERT_TRUE(pictures);
  WebrtcSubscriber subscriber({.pictures = true, .sound = true});
  subscribe(subscriber, sid);
  ASSERT_TRUE(seesMore(subscriber));
  m_ann->say(client::MuteParticipant{sid, pictures->track.sid});
  EXPECT_TRUE(m_ann->next<server::TrackMuted>());
  // Once this much sound has come, what was on its way has come, too.
  ASSERT_TRUE(hearsMore(subscriber));
  const int before = seen(subscriber);
  ASSERT_TRUE(hearsMore(subscriber));
  EXPECT_EQ(seen(subscriber), before);
  m_ann->say(client::MuteParticipant{sid, pictures->track.sid, false});
  EXPECT_TRUE(seesMore(subscriber));
}

TEST_F(IngressTest, IsRefusedWithASentence) {
  open({.mostParticipants = 2});
  const auto refused = [&](int status) {
    const Answer answer = post(kObsOffer);
    EXPECT_EQ(answer.status, status);
    EXPECT_TRUE(answer.body.ends_with(".\n")) << answer.body;
  };
  m_ann->say(client::Lock{true});
  ASSERT_TRUE(m_ann->next<server::RoomUpdated>());
  refused(423);
  m_ann->say(client::Lock{false});
  m_ann->say(client::Lobby{true});
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(m_ann->next<server::RoomUpdated>());
  refused(403);
  EXPECT_EQ(ask("POST", whip(link(Role::Host)), kSdp, kObsOffer).status, 201);
  m_ann->say(client::Lobby{false});
  ASSERT_TRUE(m_ann->next<server::RoomUpdated>());
  refused(503);
}

TEST_F(IngressTest, WhoHasNoValidLinkLearnsNothing) {
  open();
  m_ann->say(client::Invitations{});
  const auto listed = m_ann->next<server::Invitations>();
  ASSERT_TRUE(listed);
  m_ann->say(client::Revoke{listed->invitations.at(0).sid});
  ASSERT_TRUE(m_ann->next<server::Invitations>());
  for (const std::string& path : {whip(*m_guests), std::string("/r/") + std::string(32, 'A') + "/whip"}) {
    const Answer answer = ask("POST", path, kSdp, kObsOffer);
    EXPECT_EQ(answer.status, 404);
    EXPECT_EQ(answer.body, "There is nothing here.\n");
    EXPECT_EQ(ask("OPTIONS", path).status, 404);
  }
}

TEST_F(IngressTest, WhatCannotBePublishedMakesNoParticipant) {
  open();
  EXPECT_EQ(post("hello").status, 400);
  EXPECT_EQ(ask("POST", whip(*m_guests), "Content-Type: text/plain\r\n", kObsOffer).status, 415);
  EXPECT_EQ(post(std::regex_replace(kObsOffer, std::regex("H264"), "AV1")).status, 422);
  EXPECT_EQ(post(kObsOffer).status, 201);
  come();  // the first
}

TEST_F(IngressTest, OptionsSayWhatCanBeDone) {
  open();
  const Answer endpoint = ask("OPTIONS", whip(*m_guests));
  EXPECT_EQ(endpoint.status, 204);
  EXPECT_EQ(endpoint.header("Accept-Post"), "application/sdp");
  EXPECT_EQ(ask("OPTIONS", whip(*m_guests) + "/camera").header("Accept-Post"), "application/sdp");
  EXPECT_EQ(ask("OPTIONS", whip(*m_guests) + "/session").header("Allow"), "DELETE, OPTIONS");
  EXPECT_EQ(ask("GET", whip(*m_guests)).status, 405);
  EXPECT_EQ(ask("POST", whip(*m_guests) + "/camera", kSdp, kObsOffer).status, 401);
}

TEST_F(IngressTest, TheEndOfTheRoomIsItsEnd) {
  open();
  WebrtcPublisher publisher({});
  publish(publisher, publisher.offer());
  come();
  m_ann.reset();
  m_host.reset();
}

}  // namespace
}  // namespace tactus::conference
