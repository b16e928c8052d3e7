// SPDX-License-Identifier: Apache-2.0
#include "conference/room_host.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "conference/door/room_link.h"
#include "conference/door/tls_peer.h"

namespace tactus::conference {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class RoomHostTest : public ::testing::Test {
 protected:
  void start(HostedRoomOptions room = {}) {
    auto started = RoomHost::start({std::move(room), {"127.0.0.1", 0, {}}, "127.0.0.1"}, m_certificate);
    ASSERT_TRUE(started.ok()) << started.error().message;
    m_host = std::move(started).value();
  }
  [[nodiscard]] RoomLink link(Role role = Role::Guest) const {
    return RoomLink::parse(m_host->invite(role).value().link).value();
  }
  [[nodiscard]] std::unique_ptr<TlsPeer> connected(const RoomLink& link) const {
    auto peer = std::make_unique<TlsPeer>(link.port);
    const bool is = peer->shakeHands() && peer->fingerprint() == link.fingerprint &&
                    peer->upgrade("/r/" + link.token.text() + "/socket");
    return is ? std::move(peer) : nullptr;
  }
  static void say(TlsPeer& peer, const ClientMessage& message) {
    EXPECT_TRUE(peer.send(TlsPeer::frame(toJson(message))));
  }
  /// The next message of this kind; others are dropped.
  template <typename Message>
  static std::optional<Message> next(TlsPeer& peer) {
    while (const auto frame = peer.nextFrame()) {
      const auto message = parseServerMessage(*frame);
      if (message.ok() && std::holds_alternative<Message>(message.value()))
        return std::get<Message>(message.value());
    }
    return std::nullopt;
  }
  [[nodiscard]] std::unique_ptr<TlsPeer> joined(const std::string& name, const RoomLink& link) const {
    auto peer = connected(link);
    if (peer == nullptr) return nullptr;
    say(*peer, client::Join{.name = name});
    return next<server::Joined>(*peer) ? std::move(peer) : nullptr;
  }

  const Certificate m_certificate = Certificate::make({"127.0.0.1"}).value();
  std::unique_ptr<RoomHost> m_host;
};

TEST_F(RoomHostTest, TwoGuestsMeetAndChat) {
  start({.name = "Tuesday"});
  const auto one = link();
  const auto ann = joined("Ann", one), bob = joined("Bob", one);
  ASSERT_NE(ann, nullptr);
  ASSERT_NE(bob, nullptr);
  EXPECT_EQ(next<server::ParticipantJoined>(*ann)->participant.name, "Bob");
  say(*bob, client::Chat{.text = "hello"});
  EXPECT_EQ(next<server::Chat>(*ann)->line.text, "hello");
}

TEST_F(RoomHostTest, TheEndOfTheRoomIsTold) {
  start();
  const auto ann = joined("Ann", link());
  ASSERT_NE(ann, nullptr);
  std::thread ending([this] { m_host.reset(); });
  const auto closed = next<server::Closed>(*ann);
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->reason, server::CloseReason::RoomEnds);
  (void)ann->send(TlsPeer::frame("\x03\xe8", 8));
  ending.join();
}

TEST_F(RoomHostTest, ARevokedInvitationAnswersLikeNothingAtAll) {
  start();
  const auto guests = link();
  const auto host = joined("Host", link(Role::Host));
  ASSERT_NE(host, nullptr);
  say(*host, client::Invitations{});
  const auto listed = next<server::Invitations>(*host);
  ASSERT_EQ(listed->invitations.size(), 2u);
  ASSERT_EQ(RoomLink::parse(listed->invitations[0].link).value().token.text(), guests.token.text());
  say(*host, client::Revoke{.sid = listed->invitations[0].sid});
  EXPECT_EQ(next<server::Invitations>(*host)->invitations.size(), 1u);
  EXPECT_EQ(connected(guests), nullptr);
  TlsPeer asking(guests.port);
  ASSERT_TRUE(asking.shakeHands());
  EXPECT_THAT(asking.ask("GET", "/r/" + guests.token.text() + "/"), StartsWith("HTTP/1.1 404"));
}

TEST_F(RoomHostTest, AnInvitationThatHasExpiredAnswersLikeNothingAtAll) {
  start();
  const auto expired = RoomLink::parse(m_host->invite(Role::Guest, std::chrono::seconds(0)).value().link);
  ASSERT_TRUE(expired.ok()) << expired.error().message;
  EXPECT_EQ(connected(expired.value()), nullptr);
}

TEST_F(RoomHostTest, BadMessagesAreAnsweredAndOthersGoOn) {
  start();
  const auto bad = connected(link());
  ASSERT_NE(bad, nullptr);
  for (const char* text : {"", "{", "[]", "null", "{\"type\":7}", "{\"type\":\"chat\",\"text\":\"x\"}"}) {
    ASSERT_TRUE(bad->send(TlsPeer::frame(text)));
    const auto error = next<server::Error>(*bad);
    ASSERT_TRUE(error.has_value()) << text;
    EXPECT_THAT(error->message, ::testing::EndsWith("."));
  }
  EXPECT_NE(joined("Ann", link()), nullptr);
}

TEST_F(RoomHostTest, AFloodEndsItsConnectionAlone) {
  start();
  const auto ann = joined("Ann", link()), bad = joined("Bad", link());
  ASSERT_NE(ann, nullptr);
  ASSERT_NE(bad, nullptr);
  const std::string flood = TlsPeer::frame("{\"type\":\"hand\",\"raised\":true}");
  for (int i = 0; i < 2000; ++i)
    if (!bad->send(flood)) break;
  const auto closed = next<server::Closed>(*bad);
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(closed->reason, server::CloseReason::Flood);
  say(*ann, client::Ping{.t = 7});
  EXPECT_EQ(next<server::Pong>(*ann)->t, 7u);
}

TEST_F(RoomHostTest, ThePageIsServed) {
  start();
  const auto guests = link();
  const std::string path = "/r/" + guests.token.text();
  for (const std::string& where : {path + "/", path + "/page/index.html"}) {
    TlsPeer browser(guests.port);
    ASSERT_TRUE(browser.shakeHands());
    const std::string answer = browser.ask("GET", where);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
    EXPECT_THAT(answer, HasSubstr("Content-Type: text/html; charset=utf-8\r\n"));
    EXPECT_THAT(answer, HasSubstr("<title>"));
  }
}

}  // namespace
}  // namespace tactus::conference
