// SPDX-License-Identifier: Apache-2.0
#include "conference/door/door.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <string>
#include <thread>
#include <utility>

#include "conference/door/door_fixture.h"

namespace tactus::conference {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Routes page() {
  Routes routes;
  routes.add("GET", "", [](const DoorRequest&, const Reply& reply) {
    reply({200, "text/html", {}, "<p>page"});
  });
  return routes;
}

/// An answer without its date.
std::string dateless(const std::string& answer) {
  return std::regex_replace(answer, std::regex("Date: [^\r]*\r\n"), "");
}

TEST_F(DoorTest, AMessageIsHeardAndAnswered) {
  open();
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(one->send(TlsPeer::frame("echo hello")));
  EXPECT_EQ(one->nextFrame(), "hello");
  ASSERT_TRUE(wait([this] { return m_received.size() == 1; }));
  EXPECT_THAT(m_received, ElementsAre("echo hello"));
  EXPECT_EQ(m_opened.at(0).second, "127.0.0.1");
}

TEST_F(DoorTest, ThePeerSeesTheCertificateOfTheLink) {
  open();
  const auto one = peer();
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->fingerprint(), m_certificate.fingerprint());
}

TEST_F(DoorTest, WithoutAValidTokenEveryAnswerIsTheSame) {
  open(page());
  const std::string other = randomText(kernelRandomBytes, 24);
  const std::string nothing = dateless(peer()->ask("GET", "/"));
  EXPECT_THAT(nothing, StartsWith("HTTP/1.1 404 Not Found\r\n"));
  for (const std::string& path :
       {"/r/" + other + "/", "/r/" + other, std::string("/r/"), std::string("/r//"),
        "/r/" + other + "/socket", under("x/"), "/r/" + m_token.text().substr(1) + "/",
        std::string("/index.html"), "/R/" + m_token.text(), "//r/" + m_token.text(),
        std::string("/../etc/passwd"), std::string("/%2e%2e/"),
        // What does not exist though the token is valid looks the same.
        under("/nothing"), under("/%2e%2e/")})
    EXPECT_EQ(dateless(peer()->ask("GET", path)), nothing) << path;
  EXPECT_EQ(dateless(peer()->ask("POST", "/r/" + other + "/", {}, "body")), nothing);
  EXPECT_EQ(dateless(peer()->ask("DELETE", "/")), nothing);
  EXPECT_EQ(dateless(peer()->ask("GET", "/r/" + other + "/socket",
                                 "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                                 "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")),
            nothing);
}

TEST_F(DoorTest, WhatIsNoRequestIsAnsweredTheSameWhateverTheToken) {
  open(page());
  const std::string other = randomText(kernelRandomBytes, 24);
  const std::string malformed = dateless(peer()->ask("GET", "/r/" + other + "/%zz"));
  EXPECT_THAT(malformed, StartsWith("HTTP/1.1 400"));
  EXPECT_EQ(dateless(peer()->ask("GET", under("/%zz"))), malformed);
}

TEST_F(DoorTest, EveryAnswerHasTheSecurityHeaders) {
  open(page());
  const std::string answer = peer()->ask("GET", under("/"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  for (const char* line :
       {"Cache-Control: no-store\r\n", "Referrer-Policy: no-referrer\r\n",
        "X-Content-Type-Options: nosniff\r\n", "Content-Security-Policy: default-src 'none'; ",
        "frame-ancestors 'none'", "Content-Type: text/html\r\n"})
    EXPECT_THAT(answer, HasSubstr(line));
  EXPECT_THAT(answer, ::testing::EndsWith("<p>page"));
}

TEST_F(DoorTest, ThePageWithoutSlashIsRedirected) {
  open(page());
  const std::string answer = peer()->ask("GET", under(""));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 307"));
  EXPECT_THAT(answer, HasSubstr("Location: " + under("/") + "\r\n"));
}

TEST_F(DoorTest, AHandlerGetsTheRequestAndAnswersLaterFromAnotherThread) {
  DoorRequest seen;
  std::thread later;
  Routes routes;
  routes.add("POST", "whip/*", [&](const DoorRequest& request, const Reply& reply) {
    seen = request;
    later = std::thread([reply] { reply({201, "application/sdp", {{"Location", "whip/1"}}, "answer"}); });
  });
  open(std::move(routes));
  const std::string answer =
      peer()->ask("POST", under("/whip/track?x=1"),
                  "Authorization: Bearer b\r\nContent-Type: application/sdp\r\n", "offer");
  later.join();
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 201 Created\r\n"));
  EXPECT_THAT(answer, HasSubstr("Location: whip/1\r\n"));
  EXPECT_THAT(answer, ::testing::EndsWith("answer"));
  EXPECT_EQ(seen.token, m_token.text());
  EXPECT_EQ(seen.method, "POST");
  EXPECT_EQ(seen.path, "whip/track");
  EXPECT_EQ(seen.rest, "track");
  EXPECT_EQ(seen.headers["authorization"], "Bearer b");
  EXPECT_EQ(seen.headers["content-type"], "application/sdp");
  EXPECT_EQ(seen.body, "offer");
}

TEST_F(DoorTest, AnotherMethodIsToldWhichThereAre) {
  open(page());
  const std::string answer = peer()->ask("PUT", under("/"));
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 405"));
  EXPECT_THAT(answer, HasSubstr("Allow: GET\r\n"));
}

TEST_F(DoorTest, ClosingSaysWhyAndTheListenerHearsOfIt) {
  open();
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(wait([this] { return m_opened.size() == 1; }));
  m_door->send(m_opened[0].first, "last words");
  m_door->close(m_opened[0].first, CloseCode::PolicyViolation, "Removed.");
  EXPECT_EQ(one->nextFrame(), "last words");
  int code = 0;
  EXPECT_EQ(one->nextFrame(&code), "\x03\xf0Removed.");  // 1008
  EXPECT_EQ(code, 8);
  ASSERT_TRUE(one->send(TlsPeer::frame("\x03\xf0", 8)));
  EXPECT_TRUE(one->isClosed());
  EXPECT_TRUE(wait([this] { return m_closed.size() == 1; }));
}

TEST_F(DoorTest, APeerThatLeavesIsHeardOf) {
  open();
  guest().reset();
  EXPECT_TRUE(wait([this] { return m_opened.size() == 1 && m_closed.size() == 1; }));
}

TEST_F(DoorTest, ThatTheDoorEndsIsToldToEveryGuest) {
  open();
  const auto one = guest(), two = guest();
  ASSERT_TRUE(wait([this] { return m_opened.size() == 2; }));
  std::thread ending([this] { m_door.reset(); });
  for (TlsPeer* each : {one.get(), two.get()}) {
    int code = 0;
    EXPECT_EQ(each->nextFrame(&code), "\x03\xe9The room is closed.");  // 1001
    EXPECT_EQ(code, 8);
    (void)each->send(TlsPeer::frame("\x03\xe9", 8));
  }
  ending.join();
  EXPECT_EQ(m_closed.size(), 2u);
}

TEST_F(DoorTest, ATakenPortIsTold) {
  open();
  const auto second = Door::open({"127.0.0.1", m_door->port(), {}}, m_certificate, *this, {});
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().message,
            "Port " + std::to_string(m_door->port()) + " is taken by another program.");
}

TEST_F(DoorTest, WithoutAnAddressGuestsComeByAnyAndAPortTakenForOneIsTaken) {
  auto opened = Door::open({"", 0, {}}, m_certificate, *this, {});
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  m_door = std::move(opened).value();
  EXPECT_NE(guest(), nullptr);
  const auto second = Door::open({"", m_door->port(), {}}, m_certificate, *this, {});
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, HasSubstr("is taken by another program."));
}

TEST_F(DoorTest, AnAddressOfAnotherMachineIsTold) {
  const auto elsewhere = Door::open({"192.0.2.1", 0, {}}, m_certificate, *this, {});
  ASSERT_FALSE(elsewhere.ok());
  EXPECT_THAT(elsewhere.error().message, StartsWith("Nobody can be let in at 192.0.2.1: "));
  const auto nonsense = Door::open({"nonsense", 0, {}}, m_certificate, *this, {});
  ASSERT_FALSE(nonsense.ok());
  EXPECT_EQ(nonsense.error().message, "'nonsense' is not a numeric address.");
}

}  // namespace
}  // namespace tactus::conference
