// SPDX-License-Identifier: Apache-2.0
// Two peers agree on keys, and then encrypt media for each other.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "media/room/egress/dtls_certificate.h"
#include "media/room/egress/dtls_handshake.h"
#include "media/room/egress/srtp_session.h"

namespace tactus::media {
namespace {

using Bytes = std::vector<std::byte>;
using Role = DtlsHandshake::Role;
using State = DtlsHandshake::State;

/// A client and a server, between which datagrams wait until they are carried.
class Pair {
 public:
  explicit Pair(bool rightFingerprint = true) {
    CertificateFingerprint ofClient = m_clientCertificate.fingerprint();
    if (!rightFingerprint) ofClient.bytes[0] ^= 1;
    server = DtlsHandshake::create(m_serverCertificate, Role::Server, ofClient, [this](auto datagram) {
               m_toClient.emplace_back(datagram.begin(), datagram.end());
             }).value();
    client = DtlsHandshake::create(
                 m_clientCertificate, Role::Client, m_serverCertificate.fingerprint(),
                 [this](auto datagram) { m_toServer.emplace_back(datagram.begin(), datagram.end()); })
                 .value();
    client->start();
  }
  /// Carries all datagrams until there are no more.
  void carry() {
    while (!m_toServer.empty() || !m_toClient.empty()) {
      deliver(m_toServer, *server);
      deliver(m_toClient, *client);
    }
  }
  void loseAll() {
    m_toServer.clear();
    m_toClient.clear();
  }
  [[nodiscard]] std::size_t longest() const { return m_longest; }

  std::unique_ptr<DtlsHandshake> server, client;

 private:
  void deliver(std::deque<Bytes>& waiting, DtlsHandshake& to) {
    if (waiting.empty()) return;
    const Bytes datagram = waiting.front();
    waiting.pop_front();
    m_longest = std::max(m_longest, datagram.size());
    to.receive(datagram);
  }
  DtlsCertificate m_serverCertificate = DtlsCertificate::generate().value();
  DtlsCertificate m_clientCertificate = DtlsCertificate::generate().value();
  std::deque<Bytes> m_toServer, m_toClient;
  std::size_t m_longest = 0;
};

TEST(DtlsHandshake, BothHaveTheSameKeysAndPreferGcm) {
  Pair pair;
  pair.carry();
  ASSERT_EQ(pair.server->state(), State::Ready) << pair.server->error().message;
  ASSERT_EQ(pair.client->state(), State::Ready) << pair.client->error().message;
  const SrtpKeys& server = *pair.server->keys();
  const SrtpKeys& client = *pair.client->keys();
  EXPECT_EQ(server.profile, SrtpProfile::Aes128Gcm);
  EXPECT_EQ(client.profile, SrtpProfile::Aes128Gcm);
  EXPECT_EQ(server.local.bytes, client.remote.bytes);
  EXPECT_EQ(server.remote.bytes, client.local.bytes);
  EXPECT_NE(server.local.bytes, server.remote.bytes);
  EXPECT_LE(pair.longest(), 1200u);
}

TEST(DtlsHandshake, AnotherCertificateThanAnnouncedIsRefused) {
  Pair pair(false);
  pair.carry();
  EXPECT_EQ(pair.server->state(), State::Failed);
  EXPECT_EQ(pair.server->error().code, ErrorCode::Refused);
  EXPECT_EQ(pair.server->error().message,
            "The peer's certificate is not the one of its session description.");
  EXPECT_FALSE(pair.server->keys());
}

TEST(DtlsHandshake, AClosedPeerIsSeen) {
  Pair pair;
  pair.carry();
  pair.client->close();
  pair.carry();
  EXPECT_EQ(pair.server->state(), State::Closed);
}

TEST(DtlsHandshake, BytesOfOthersDoNotDisturbIt) {
  Pair pair;
  const std::string junk(300, '\x16');
  pair.server->receive(std::as_bytes(std::span(junk)));
  pair.carry();
  EXPECT_EQ(pair.server->state(), State::Ready) << pair.server->error().message;
  pair.server->receive(std::as_bytes(std::span(junk)));
  EXPECT_EQ(pair.server->state(), State::Ready);
}

TEST(DtlsHandshake, ALostFlightIsSentAgain) {
  Pair pair;
  pair.loseAll();
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (pair.server->state() == State::Handshaking && std::chrono::steady_clock::now() < end) {
    pair.client->handleTimeout();  // does nothing until 100 ms have passed
    pair.carry();
  }
  EXPECT_EQ(pair.server->state(), State::Ready);
}

TEST(DtlsCertificate, IsReadFromPemWithItsKeyOnly) {
  EXPECT_EQ(DtlsCertificate::fromPem("nothing", "nothing").error().code, ErrorCode::Corrupt);
  EXPECT_NE(DtlsCertificate::generate().value().fingerprint(),
            DtlsCertificate::generate().value().fingerprint());
}

constexpr std::uint32_t kSsrc = 0x01020304;

class Srtp : public testing::TestWithParam<SrtpProfile> {
 protected:
  SrtpKey key() const {
    SrtpKey made;
    for (std::size_t i = 0; i < made.bytes.size(); ++i) made.bytes[i] = static_cast<std::uint8_t>(i);
    return made;
  }
  SrtpSession sender() const {
    return SrtpSession::create(GetParam(), key(), SrtpSession::Direction::Sends, std::array{kSsrc}).value();
  }
  SrtpSession receiver() const {
    return SrtpSession::create(GetParam(), key(), SrtpSession::Direction::Receives).value();
  }
  /// Of `bytes` bytes, with room for what encryption adds.
  static Bytes packet(std::uint8_t type, std::size_t bytes) {
    Bytes made(bytes + kSrtpOverhead, std::byte{7});
    const std::uint8_t header[] = {0x80, type, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4};
    std::copy_n(reinterpret_cast<const std::byte*>(header), sizeof header, made.begin());
    return made;
  }
};

TEST_P(Srtp, WhatIsProtectedIsReadByThePeerAlone) {
  auto from = sender();
  auto to = receiver();
  Bytes bytes = packet(96, 40);
  const Bytes clear = bytes;
  const auto length = from.protectRtp(bytes, 40);
  ASSERT_TRUE(length);
  EXPECT_EQ(*length, 40u + (GetParam() == SrtpProfile::Aes128Gcm ? 16 : 10));
  EXPECT_FALSE(std::equal(bytes.begin() + 12, bytes.begin() + 40, clear.begin() + 12));
  Bytes changed(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(*length));
  changed[20] ^= std::byte{1};
  EXPECT_FALSE(to.unprotectRtp(changed));
  const auto opened = to.unprotectRtp(std::span(bytes).first(*length));
  ASSERT_TRUE(opened);
  EXPECT_TRUE(std::equal(opened->begin(), opened->end(), clear.begin(), clear.begin() + 40));
}

TEST_P(Srtp, TheSamePacketIsNotTakenTwice) {
  auto from = sender();
  auto to = receiver();
  Bytes bytes = packet(96, 40);
  const auto length = from.protectRtp(bytes, 40);
  Bytes again = bytes;
  EXPECT_TRUE(to.unprotectRtp(std::span(bytes).first(*length)));
  EXPECT_FALSE(to.unprotectRtp(std::span(again).first(*length)));
}

TEST_P(Srtp, RtcpGoesBothWaysOfTheSameKeys) {
  auto from = sender();
  auto to = receiver();
  Bytes bytes = packet(200, 28);
  bytes[3] = std::byte{6};
  std::copy_n(bytes.begin() + 8, 4, bytes.begin() + 4);  // RTCP has its SSRC there
  const Bytes clear = bytes;
  const auto length = from.protectRtcp(bytes, 28);
  ASSERT_TRUE(length);
  const auto opened = to.unprotectRtcp(std::span(bytes).first(*length));
  ASSERT_TRUE(opened);
  EXPECT_TRUE(std::equal(opened->begin(), opened->end(), clear.begin(), clear.begin() + 28));
}

TEST_P(Srtp, AStreamThatIsNotOursIsNotProtected) {
  auto from = sender();
  Bytes bytes = packet(96, 40);
  bytes[8] = std::byte{0xff};
  EXPECT_FALSE(from.protectRtp(bytes, 40));
}

INSTANTIATE_TEST_SUITE_P(Profiles, Srtp, testing::Values(SrtpProfile::Aes128Gcm, SrtpProfile::Aes128Sha1));

RC_GTEST_PROP(SrtpProperty, ForeignBytesAreRefused, (const std::vector<std::uint8_t>& raw)) {
  auto to = SrtpSession::create(SrtpProfile::Aes128Gcm, {}, SrtpSession::Direction::Receives).value();
  Bytes bytes;
  for (const std::uint8_t each : raw) bytes.push_back(static_cast<std::byte>(each));
  Bytes copy = bytes;
  RC_ASSERT(!to.unprotectRtp(bytes));
  RC_ASSERT(!to.unprotectRtcp(copy));
}

}  // namespace
}  // namespace tactus::media
