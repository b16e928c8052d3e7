// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conference/door/door_fixture.h"

namespace tactus::conference {
namespace {

using namespace std::chrono_literals;
using ::testing::StartsWith;

/// Other addresses of the loopback device, for peers that must not use up what ours may have.
const std::string kStranger = "127.0.0.2";

/// The code of the close frame that the peer gets; 0: none.
int closeCode(TlsPeer& peer) {
  int kind = 0;
  while (const auto frame = peer.nextFrame(&kind))
    if (kind == 8 && frame->size() >= 2)
      return static_cast<std::uint8_t>((*frame)[0]) << 8 | static_cast<std::uint8_t>((*frame)[1]);
  return 0;
}

Routes upload() {
  Routes routes;
  routes.add("POST", "up", [](const DoorRequest& request, const Reply& reply) {
    reply({200, {}, {}, std::to_string(request.body.size())});
  });
  return routes;
}

TEST_F(DoorTest, TheLongestMessageIsTaken) {
  open();
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(one->send(TlsPeer::frame(std::string(64 * 1024, 'a'))));
  EXPECT_TRUE(wait([this] { return m_received.size() == 1 && m_received[0].size() == 64 * 1024; }));
}

TEST_F(DoorTest, AMessageOfTenMegabytesIsClosedWith1009) {
  open({.closing = 300ms});
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  (void)one->send(TlsPeer::frame(std::string(10 << 20, 'a')).substr(0, 128 * 1024));
  EXPECT_EQ(closeCode(*one), 1009);
  EXPECT_TRUE(one->isClosed());
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, ManyFragmentsAreOneMessage) {
  open();
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(one->send(TlsPeer::frame(std::string(40'000, 'a'), 1, false)));
  ASSERT_TRUE(one->send(TlsPeer::frame(std::string(40'000, 'a'), 0, false)));
  EXPECT_EQ(closeCode(*one), 1009);
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, BytesThatAreNoFramesAreClosedWith1002) {
  open();
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(one->send("GET / HTTP/1.1\r\n\r\n"));
  EXPECT_EQ(closeCode(*one), 1002);
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, APeerThatNeverReadsIsEnded) {
  open({.unsentBytes = 256 * 1024});
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(wait([this] { return m_opened.size() == 1; }));
  // What the kernel's two buffers take comes on top of the limit: a message more each time until it is over.
  for (int i = 0; i < 20'000; ++i) {
    m_door->send(m_opened[0].first, std::string(32 * 1024, 'a'));
    if (i % 100 == 0 && wait([] { return true; }) && !m_closed.empty()) break;
  }
  EXPECT_TRUE(wait([this] { return m_closed.size() == 1; }));
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, AFloodDisturbsNobody) {
  open({.bytesPerSecond = 64 * 1024});
  const auto one = guest(kStranger);
  ASSERT_NE(one, nullptr);
  const std::string flood = TlsPeer::frame(std::string(1000, 'a'));
  std::size_t sent = 0;
  while (sent < 64'000'000 && one->sendAtOnce(flood)) sent += flood.size();
  EXPECT_LT(sent, 64'000'000u) << "nothing held the flood back";
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, APeerThatDoesNotAnswerPingsIsEnded) {
  open({.ping = 300ms});
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  int code = 0;
  EXPECT_EQ(one->nextFrame(&code), "");
  EXPECT_EQ(code, 9);
  EXPECT_TRUE(one->isClosed());
  EXPECT_TRUE(wait([this] { return m_closed.size() == 1; }));
}

TEST_F(DoorTest, APingIsAnsweredWithItsContent) {
  open();
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(one->send(TlsPeer::frame("content", 9)));
  int code = 0;
  EXPECT_EQ(one->nextFrame(&code), "content");
  EXPECT_EQ(code, 10);
}

TEST_F(DoorTest, APeerThatKeepsTheClosedConnectionOpenIsEnded) {
  open({.closing = 300ms});
  const auto one = guest();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(wait([this] { return m_opened.size() == 1; }));
  m_door->close(m_opened[0].first, CloseCode::Normal, "");
  EXPECT_EQ(closeCode(*one), 1000);
  EXPECT_TRUE(one->isClosed());
}

TEST_F(DoorTest, ABodyThatIsTooLongIsAnsweredWith413) {
  open(upload());
  EXPECT_THAT(peer()->ask("POST", under("/up"), {}, std::string(256 * 1024, 'a')),
              ::testing::EndsWith("262144"));
  EXPECT_THAT(peer()->ask("POST", under("/up"), {}, std::string(256 * 1024 + 1, 'a')),
              StartsWith("HTTP/1.1 413"));
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, ABodyInChunksIsCountedAsItComes) {
  open(upload());
  std::string chunks;
  for (int i = 0; i < 20; ++i) chunks += "8000\r\n" + std::string(0x8000, 'a') + "\r\n";
  const auto one = peer();
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(one->send("POST " + under("/up") +
                        " HTTP/1.1\r\nHost: room\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks +
                        "0\r\n\r\n"));
  EXPECT_THAT(one->answer(), StartsWith("HTTP/1.1 413"));
}

TEST_F(DoorTest, HeadersThatAreTooLongAreAnsweredWith431) {
  open(upload());
  EXPECT_THAT(peer()->ask("POST", under("/up"), "X: " + std::string(17'000, 'a') + "\r\n", "b"),
              StartsWith("HTTP/1.1 431"));
  // Without a token that is the same 404 as ever.
  EXPECT_THAT(peer()->ask("POST", "/up", "X: " + std::string(17'000, 'a') + "\r\n", "b"),
              StartsWith("HTTP/1.1 404"));
}

TEST_F(DoorTest, HeadersWithoutEndAreCutOff) {
  open(upload());
  const auto one = peer();
  ASSERT_NE(one, nullptr);
  const std::string line = "X: " + std::string(1000, 'a') + "\r\n";
  bool taken = one->send("GET / HTTP/1.1\r\n");
  for (int i = 0; taken && i < 20'000; ++i) taken = one->send(line);
  EXPECT_FALSE(taken);
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, ARequestThatNeverEndsIsCutOff) {
  open({.headers = 300ms, .request = 300ms}, upload());
  const auto headers = peer(), body = peer();
  ASSERT_NE(headers, nullptr);
  ASSERT_NE(body, nullptr);
  ASSERT_TRUE(headers->send("GET / HT"));
  ASSERT_TRUE(
      body->send("POST " + under("/up") + " HTTP/1.1\r\nHost: room\r\nContent-Length: 10\r\n\r\nabc"));
  EXPECT_TRUE(headers->isClosed());
  EXPECT_TRUE(body->isClosed());
}

TEST_F(DoorTest, AConnectionWithoutRequestIsCutOff) {
  open({.headers = 300ms});
  const auto one = peer();
  ASSERT_NE(one, nullptr);
  EXPECT_TRUE(one->isClosed());
}

TEST_F(DoorTest, AHandlerThatNeverAnswersIsAnsweredFor) {
  Routes routes;
  routes.add("GET", "late", [](const DoorRequest&, const Reply&) {});
  open({.request = 300ms}, std::move(routes));
  const auto one = peer();
  ASSERT_NE(one, nullptr);
  EXPECT_THAT(one->ask("GET", under("/late")), StartsWith("HTTP/1.1 503"));
  EXPECT_TRUE(one->isClosed());
}

TEST_F(DoorTest, AReplyAfterTheEndOfTheDoorIsDropped) {
  Reply kept;
  Routes routes;
  routes.add("GET", "late", [&](const DoorRequest&, const Reply& reply) { note([&] { kept = reply; }); });
  open(std::move(routes));
  const auto one = peer();
  ASSERT_NE(one, nullptr);
  ASSERT_TRUE(one->send("GET " + under("/late") + " HTTP/1.1\r\nHost: room\r\n\r\n"));
  ASSERT_TRUE(wait([&] { return kept != nullptr; }));
  m_door.reset();
  kept({});
  EXPECT_TRUE(one->isClosed());
}

TEST_F(DoorTest, AThousandHalfOpenConnectionsDisturbNobody) {
  rlimit descriptors{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &descriptors), 0);
  descriptors.rlim_cur = descriptors.rlim_max;  // both ends of the connections are ours
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &descriptors), 0);
  open({.arrival = 60s, .handshake = 60s});
  std::vector<std::unique_ptr<TlsPeer>> half;
  // The first byte of TLS's handshake from the one half, nothing from the other: each network has 64 places.
  for (int i = 0; i < 1000; ++i) {
    half.push_back(std::make_unique<TlsPeer>(m_door->port(), "127.0.0." + std::to_string(2 + i % 2)));
    if (i % 2 == 0) (void)half.back()->send("\x16");
  }
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, AHandshakeThatNeverEndsIsCutOff) {
  open({.arrival = 400ms, .handshake = 300ms});
  TlsPeer silent(m_door->port()), stuck(m_door->port());
  ASSERT_TRUE(stuck.send("\x16\x03\x01"));
  EXPECT_TRUE(silent.isClosed());
  EXPECT_TRUE(stuck.isClosed());
}

TEST_F(DoorTest, OneConnectionTooManyOfAnAddressIsClosedAtOnce) {
  open({.connectionsOfAddress = 2});
  const auto one = guest(kStranger), two = guest(kStranger);
  ASSERT_NE(two, nullptr);
  EXPECT_TRUE(TlsPeer(m_door->port(), kStranger).isClosed());
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, OneConnectionTooManyInAllIsClosedAtOnce) {
  open({.connections = 2});
  auto one = guest(), two = guest();
  ASSERT_NE(two, nullptr);
  EXPECT_TRUE(TlsPeer(m_door->port()).isClosed());
  one.reset();  // who leaves makes room
  EXPECT_TRUE(wait([this] { return m_closed.size() == 1; }));
  EXPECT_TRUE(servesOthers());
}

TEST_F(DoorTest, GarbageInsteadOfTlsIsCutOff) {
  open();
  TlsPeer plain(m_door->port());
  ASSERT_TRUE(plain.send("GET / HTTP/1.1\r\nHost: room\r\n\r\n"));
  EXPECT_TRUE(plain.isClosed());
  EXPECT_TRUE(servesOthers());
}

}  // namespace
}  // namespace tactus::conference
