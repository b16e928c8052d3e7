// SPDX-License-Identifier: Apache-2.0
// What leaves for a subscriber: real datagrams on the loopback device, decrypted and read.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <array>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "core/net/link/link_task_fixture.h"
#include "media/room/egress/egress_leg.h"
#include "media/room/egress/network_order.h"
#include "media/room/egress/track_fanout.h"

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::MonotonicClock;
using Bytes = std::vector<std::byte>;

/// A feed whose packets the test gives.
class GivenFeed final : public TrackFeed {
 public:
  [[nodiscard]] TrackFormat format() const override {
    return {.kind = MediaKind::Video, .encoding = "VP8", .clockRate = 90'000};
  }
  void add(PacketConsumer& consumer) override { m_consumer = &consumer; }
  void remove(PacketConsumer&) override { m_consumer = nullptr; }
  void requestKeyframe() noexcept override {}
  void give(std::uint16_t sequence, std::uint32_t ssrc = 5, std::size_t payload = 4) {
    give(sequence, ssrc, Bytes(payload, static_cast<std::byte>(sequence)));
  }
  /// The first packet of a picture of VP8.
  void givePicture(std::uint16_t sequence, bool keyframe) {
    give(sequence, 5,
         {std::byte{0x10}, static_cast<std::byte>(keyframe ? 0 : 1), std::byte{0}, std::byte{0}});
  }
  void give(std::uint16_t sequence, std::uint32_t ssrc, const Bytes& payload) {
    Bytes packet(12);
    packet.insert(packet.end(), payload.begin(), payload.end());
    packet[0] = std::byte{0x80};
    packet[1] = std::byte{0x80 | 100};
    put16(&packet[2], sequence);
    put32(&packet[4], sequence * 100u);
    put32(&packet[8], ssrc);
    const std::span<const std::byte> view = packet;
    m_consumer->consume({&view, 1});
  }
  [[nodiscard]] bool isTaken() const noexcept { return m_consumer != nullptr; }

 private:
  PacketConsumer* m_consumer = nullptr;
};

/// A UDP socket on the loopback device.
net::Descriptor boundSocket(sockaddr_in& address) {
  net::Descriptor made(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(made.get(), reinterpret_cast<const sockaddr*>(&address), length), 0);
  EXPECT_EQ(getsockname(made.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  return made;
}

const AgreedTrack kTrack{
    .codec = {.payloadType = 96, .encoding = "VP8", .clockRate = 90'000},
    .stream = {.ssrc = 11, .payloadType = 96, .transportNumberId = 3, .midId = 4, .mid = "v"},
    .retransmission = RtpStreamTerms{.ssrc = 12, .payloadType = 97, .transportNumberId = 3}};

/// A subscriber's end, and the leg that sends to it.
class Legs : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    sockaddr_in own{};
    m_receiver = boundSocket(m_address);
    net::Descriptor sending = boundSocket(own);
    const auto offload = net::UdpOffload::probe(sending.get()).value();
    const auto to =
        net::UdpAddress::from(reinterpret_cast<const sockaddr*>(&m_address), sizeof m_address).value();
    m_channel.setPath(std::make_shared<EgressPath>(EgressPath{std::move(sending), to, offload}));
    SrtpKey key;
    key.bytes.fill(9);
    m_opening = SrtpSession::create(SrtpProfile::Aes128Gcm, key, SrtpSession::Direction::Receives).value();
    m_sealing = SrtpSession::create(SrtpProfile::Aes128Gcm, key, SrtpSession::Direction::Sends,
                                    std::array{kTrack.stream.ssrc, kTrack.retransmission->ssrc})
                    .value();
    m_leg = std::make_unique<EgressLeg>(m_channel, kTrack, RtpPosition{1000, 0}, flow(kSlots));
    m_fanout.emplace(m_feed);
    m_fanout->add(*m_leg);
  }
  void TearDown() override {
    if (m_fanout) m_fanout->remove(*m_leg);
    m_fanout.reset();
    EXPECT_FALSE(m_feed.isTaken());
  }
  void open() { m_channel.open(std::move(*m_sealing)); }
  std::unique_ptr<EgressFlow> flow(std::size_t slots) {
    return EgressFlow::create(GetParam() ? m_link.get() : nullptr,
                              {.name = "pictures",
                               .linkClass = net::LinkClass::Stream,
                               .contract = net::ByteContract{net::BitRate::perSecond(10'000'000), 100'000}},
                              slots)
        .value();
  }
  /// The next datagram, decrypted; nullopt: none comes.
  std::optional<Bytes> receive(std::chrono::milliseconds patience = 10s) {
    pollfd waiting{.fd = m_receiver.get(), .events = POLLIN, .revents = 0};
    if (poll(&waiting, 1, static_cast<int>(patience.count())) != 1) return std::nullopt;
    Bytes datagram(2000);
    const ssize_t bytes = recv(m_receiver.get(), datagram.data(), datagram.size(), 0);
    if (bytes <= 0) return std::nullopt;
    const auto opened = m_opening->unprotectRtp(std::span(datagram).first(static_cast<std::size_t>(bytes)));
    if (!opened) return std::nullopt;
    return Bytes(opened->begin(), opened->end());
  }
  static RtpPosition positionOf(const std::optional<Bytes>& packet) {
    const auto read = packet ? readRtp(*packet) : std::nullopt;
    return read ? RtpPosition{read->sequence, read->timestamp} : RtpPosition{};
  }
  /// Of a packet with the extensions of kTrack.
  static std::uint16_t transportNumber(const Bytes& packet) { return get16(&packet[17]); }

  static constexpr std::size_t kSlots = 16;
  net::TestLink m_link{net::BitRate::perSecond(100'000'000)};
  GivenFeed m_feed;
  sockaddr_in m_address{};
  net::Descriptor m_receiver;
  EgressChannel m_channel;
  std::optional<SrtpSession> m_opening, m_sealing;
  std::unique_ptr<EgressLeg> m_leg;
  std::optional<TrackFanout> m_fanout;
};

TEST_P(Legs, APacketArrivesInTheSubscribersTerms) {
  open();
  m_feed.give(7);
  const auto packet = receive();
  ASSERT_TRUE(packet);
  const auto read = readRtp(*packet);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->payloadType, 96);
  EXPECT_TRUE(read->marker);
  EXPECT_EQ(read->sequence, 1000);
  EXPECT_EQ(read->timestamp, 0u);
  EXPECT_EQ(read->ssrc, 11u);
  EXPECT_EQ(Bytes(read->payload.begin(), read->payload.end()), Bytes(4, std::byte{7}));
  EXPECT_EQ(transportNumber(*packet), 0);
}

TEST_P(Legs, PicturesHaveTheTrafficClassOfACall) {
  const int wanted = 1;
  ASSERT_EQ(setsockopt(m_receiver.get(), IPPROTO_IP, IP_RECVTOS, &wanted, sizeof wanted), 0);
  open();
  m_feed.give(7);
  std::array<std::byte, 2000> datagram;
  alignas(cmsghdr) std::array<char, 64> control{};
  iovec part{datagram.data(), datagram.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ASSERT_GT(recvmsg(m_receiver.get(), &message, 0), 0);
  const cmsghdr* const told = CMSG_FIRSTHDR(&message);
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(*CMSG_DATA(told), 34 << 2);  // AF41
}

TEST_P(Legs, BeforeTheChannelIsOpenNothingIsSentAndNoNumberIsUsed) {
  m_feed.give(7);
  open();
  m_feed.give(8);
  const auto packet = receive();
  ASSERT_TRUE(packet);
  EXPECT_EQ(readRtp(*packet)->sequence, 1000);
  EXPECT_EQ(Bytes(packet->end() - 4, packet->end()), Bytes(4, std::byte{8}));
}

TEST_P(Legs, OverANarrowLinePicturesWaitForAKeyframeAndTheirNumbersGoOn) {
  open();
  m_feed.givePicture(7, true);
  ASSERT_TRUE(receive());
  // In 4 s, 40 kB of repetitions go, of which nine tenths are lost.
  const auto begun = MonotonicClock::now();
  const Bytes payload(100);
  std::uint16_t number = 0;  // 0 was the picture's
  for (auto now = begun; now < begun + 4s; now += 100ms) {
    TransportFeedback feedback;
    for (int i = 0; i < 10; ++i) {
      std::array<std::byte, kLargestEgressDatagram> datagram;
      ASSERT_TRUE(m_channel.seal(
          datagram, {.terms = &*kTrack.retransmission, .position = {++number, 0}, .payload = payload}, now));
      feedback.packets.push_back(
          {.number = number, .at = i == 0 ? std::optional(now - begun) : std::nullopt});
    }
    m_channel.told(feedback, now);
  }
  ASSERT_TRUE(m_channel.carries());
  EXPECT_LE(m_channel.carries()->bits(), 100'000);
  const auto spent = [&](periodic::Duration at) { return !m_channel.admits(false, true, begun + at); };
  EXPECT_TRUE(spent(3900ms));
  m_feed.givePicture(8, false);
  EXPECT_TRUE(m_leg->withholds());
  m_feed.givePicture(9, true);
  EXPECT_TRUE(m_leg->withholds()) << "not before there is room again";
  EXPECT_EQ(m_leg->figures().withheld, 2u);
  EXPECT_FALSE(receive(1ms));
  EXPECT_FALSE(m_leg->wantsKeyframe(begun + 3900ms));
  EXPECT_TRUE(m_leg->wantsKeyframe(begun + 60s));
}

TEST_P(Legs, WhatIsAskedForComesAgainAsAStreamOfItsOwn) {
  open();
  m_feed.give(7);
  m_feed.give(8);
  ASSERT_TRUE(receive() && receive());
  m_fanout->repeat(*m_leg, std::array<std::uint16_t, 3>{1001, 1002, 1000}, MonotonicClock::now());
  for (const std::uint16_t original : {std::uint16_t{1001}, std::uint16_t{1000}}) {
    const auto packet = receive();
    ASSERT_TRUE(packet);
    const auto read = readRtp(*packet);
    EXPECT_EQ(read->ssrc, 12u);
    EXPECT_EQ(read->payloadType, 97);
    EXPECT_EQ(read->sequence, original == 1001 ? 0 : 1);
    EXPECT_EQ(read->timestamp, original == 1001 ? 100u : 0u);
    EXPECT_EQ(get16(read->payload.data()), original);
    EXPECT_EQ(read->payload[2], static_cast<std::byte>(original - 993));
    EXPECT_EQ(transportNumber(*packet), original == 1001 ? 2 : 3);
  }
  EXPECT_EQ(m_leg->figures().asked, 3u);
  EXPECT_EQ(m_leg->figures().repeated, 2u);
}

TEST_P(Legs, ForAProbeTheNewestPacketsComeAgainAsOftenAsItTakes) {
  open();
  EXPECT_EQ(m_fanout->pad(*m_leg, 1000, MonotonicClock::now()), 0u) << "nothing was sent that could go again";
  for (std::uint16_t number = 7; number < 10; ++number) {
    m_feed.give(number, 5, 200);
    ASSERT_TRUE(receive());
  }
  EXPECT_EQ(m_fanout->pad(*m_leg, 1000, MonotonicClock::now()), 5u) << "each with its header";
  for (const int original : {1002, 1001, 1000, 1002, 1001}) {
    const auto packet = receive();
    ASSERT_TRUE(packet);
    const auto read = readRtp(*packet);
    EXPECT_EQ(read->ssrc, 12u);
    EXPECT_EQ(get16(read->payload.data()), original);
  }
  EXPECT_EQ(m_leg->figures().padded, 5u);
  EXPECT_EQ(m_leg->figures().asked, 0u);
  EXPECT_LE(m_fanout->pad(*m_leg, 1'000'000, MonotonicClock::now()), 5'000u) << "and it ends";
}

TEST_P(Legs, AnotherFeedGoesOnAndOfTheOldOneNothingComesAgain) {
  open();
  m_feed.give(7);
  ASSERT_TRUE(receive());
  m_fanout->remove(*m_leg);
  GivenFeed other;
  TrackFanout following(other);
  following.add(*m_leg);
  m_feed.give(8);
  other.give(500, 6);
  const auto packet = receive();
  ASSERT_TRUE(packet);
  EXPECT_EQ(readRtp(*packet)->sequence, 1001);
  EXPECT_EQ(readRtp(*packet)->ssrc, 11u);
  following.repeat(*m_leg, std::array<std::uint16_t, 1>{1000}, MonotonicClock::now());
  EXPECT_EQ(m_leg->figures().repeated, 0u);
  following.remove(*m_leg);
}

TEST_P(Legs, WhatIsNoPacketOrTooLongIsLeftOut) {
  open();
  m_feed.give(7, 5, kLongestRtpPayload + 1);
  m_feed.give(8, 5, kLongestRtpPayload);
  const auto packet = receive();
  ASSERT_TRUE(packet);
  EXPECT_EQ(readRtp(*packet)->payload.size(), kLongestRtpPayload);
  EXPECT_EQ(m_leg->figures().tooLong, 1u);
}

TEST_P(Legs, AClosedChannelSendsNothing) {
  open();
  m_channel.close();
  m_feed.give(7);
  EXPECT_EQ(m_leg->figures().packets, 0u);
  EXPECT_EQ(m_leg->figures().flow.sent, 0u);
}

TEST_P(Legs, TheFeedAndRequestsOfTheSubscriberMayComeAtTheSameTime) {
  open();
  constexpr int kPackets = 500;
  std::thread asks([this] {
    for (int i = 0; i < kPackets; ++i) {
      const auto sequence = static_cast<std::uint16_t>(1000 + i);
      m_fanout->repeat(*m_leg, {&sequence, 1}, MonotonicClock::now());
      (void)m_leg->report(MonotonicClock::now(), 0);
      (void)m_channel.delivery();
    }
  });
  std::thread receives([this] {
    while (receive(500ms)) {
    }
  });
  for (int i = 0; i < kPackets; ++i) m_feed.give(static_cast<std::uint16_t>(i));
  asks.join();
  receives.join();
  const auto figures = m_leg->figures();
  EXPECT_EQ(figures.asked, static_cast<std::uint64_t>(kPackets));
  EXPECT_EQ(figures.flow.failed, 0u);
  EXPECT_GT(figures.packets, 0u);
}

TEST_P(Legs, ALegThatGoesTakesBackWhatWaits) {
  open();
  if (GetParam()) m_link->setRate({});  // nothing leaves
  m_feed.give(7);
  m_fanout->remove(*m_leg);
  m_leg.reset();
  m_fanout.reset();
  EXPECT_TRUE(m_link->rows().empty());
}

class LinkedLegs : public Legs {};

TEST_P(LinkedLegs, AsMuchAsMayWaitIsBounded) {
  open();
  m_link->setRate({});
  for (std::uint16_t i = 0; i < 100; ++i) m_feed.give(i);
  const auto figures = m_leg->figures();
  EXPECT_LE(figures.packets - figures.flow.late, kSlots);
  EXPECT_GT(figures.flow.noRoom, 0u);
  EXPECT_EQ(figures.packets + figures.flow.noRoom, 100u);
}

std::string waySent(const testing::TestParamInfo<bool>& info) {
  return info.param ? "OverALink" : "AtOnce";
}
TEST_P(Legs, AnotherSourceTakesOverWithItsKeyframeAndNotBefore) {
  open();
  GivenFeed other;
  TrackFanout fanout(other);
  m_feed.givePicture(1, true);
  EXPECT_EQ(positionOf(receive()).sequence, 1000);
  fanout.addNext(*m_leg);
  other.givePicture(50, false);
  m_feed.givePicture(2, false);
  const auto before = receive();
  EXPECT_EQ(positionOf(before).sequence, 1001) << "the source goes on, and the other is not heard";
  EXPECT_FALSE(fanout.serves(*m_leg));
  other.givePicture(51, true);
  const auto after = receive();
  EXPECT_EQ(positionOf(after).sequence, 1002);
  EXPECT_GT(positionOf(after).timestamp, positionOf(before).timestamp);
  EXPECT_TRUE(fanout.serves(*m_leg));
  m_feed.givePicture(3, true);
  other.givePicture(52, false);
  EXPECT_EQ(positionOf(receive()).sequence, 1003);
  EXPECT_FALSE(receive(100ms)) << "the source before is not heard any more";
  EXPECT_EQ(m_leg->figures().switches, 1u);
  fanout.remove(*m_leg);
}

TEST_P(Legs, ASourceThatIsNotAwaitedAnyMoreDoesNotTakeOver) {
  open();
  GivenFeed other;
  TrackFanout fanout(other);
  m_feed.givePicture(1, true);
  EXPECT_EQ(positionOf(receive()).sequence, 1000);
  fanout.addNext(*m_leg);
  m_leg->await(nullptr);
  other.givePicture(50, true);
  m_feed.givePicture(2, false);
  EXPECT_EQ(positionOf(receive()).sequence, 1001);
  EXPECT_EQ(m_leg->figures().switches, 0u);
  fanout.remove(*m_leg);
}

INSTANTIATE_TEST_SUITE_P(Sent, Legs, testing::Bool(), waySent);
INSTANTIATE_TEST_SUITE_P(Sent, LinkedLegs, testing::Values(true), waySent);

}  // namespace
}  // namespace tactus::media
