// SPDX-License-Identifier: Apache-2.0
// Through the kernel: sockets on the loopback device, and in network namespaces of their own.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <poll.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>
#include <sched.h>
#include <sys/ioctl.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <thread>

#include "core/net/link/packet_batch.h"
#include "core/net/link/packet_batch_fixture.h"

namespace tactus::net {
namespace {

using Outcome = SendResult::Outcome;
using Segmentation = UdpOffload::Segmentation;

constexpr int kPatience = 20'000;  // ms, for what comes at once

void setOption(int socket, int level, int name, int value) {
  ASSERT_EQ(setsockopt(socket, level, name, &value, sizeof value), 0) << strerror(errno);
}

/// A bound socket that says what came, in order, and with which traffic class.
class Receiver {
 public:
  explicit Receiver(const std::string& address) : m_socket(familyOf(address)) {
    const UdpAddress any = addressOf(address, 0);
    m_bound = bind(m_socket.fd(), any.get(), any.length()) == 0;
    if (!m_bound) return;
    if (familyOf(address) == AF_INET6) setOption(m_socket.fd(), IPPROTO_IPV6, IPV6_RECVTCLASS, 1);
    if (familyOf(address) == AF_INET) setOption(m_socket.fd(), IPPROTO_IP, IP_RECVTOS, 1);
    setOption(m_socket.fd(), SOL_SOCKET, SO_RCVBUF, 1 << 22);
  }
  [[nodiscard]] static int familyOf(const std::string& address) {
    return address.find(':') == std::string::npos ? AF_INET : AF_INET6;
  }
  void hearOnly(const UdpAddress& peer) {
    ASSERT_EQ(connect(m_socket.fd(), peer.get(), peer.length()), 0) << strerror(errno);
  }
  [[nodiscard]] bool bound() const noexcept { return m_bound; }
  [[nodiscard]] UdpAddress address() const {
    sockaddr_in6 name{};
    socklen_t length = sizeof name;
    getsockname(m_socket.fd(), reinterpret_cast<sockaddr*>(&name), &length);
    return UdpAddress::from(reinterpret_cast<const sockaddr*>(&name), length).value();
  }
  [[nodiscard]] int port() const {
    return ntohs(reinterpret_cast<const sockaddr_in*>(address().get())->sin_port);
  }
  /// As many datagrams as came within one patient wait for each of `count`, and no more than came.
  std::vector<std::string> take(std::size_t count) {
    std::vector<std::string> all;
    while (all.size() < count) {
      pollfd readable{m_socket.fd(), POLLIN, 0};
      if (poll(&readable, 1, kPatience) != 1) break;
      all.push_back(receive());
    }
    return all;
  }
  [[nodiscard]] bool empty() const {
    char byte = 0;
    return recv(m_socket.fd(), &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  }
  [[nodiscard]] int lastTrafficClass() const noexcept { return m_trafficClass; }

 private:
  std::string receive() {
    std::string bytes(65'536, '\0');
    std::array<std::byte, 128> control{};
    iovec part{bytes.data(), bytes.size()};
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control.data();
    message.msg_controllen = control.size();
    const ssize_t length = recvmsg(m_socket.fd(), &message, MSG_DONTWAIT);
    bytes.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
    m_trafficClass = -1;
    for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
      if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_TOS)
        m_trafficClass = static_cast<int>(*CMSG_DATA(each));
      if (each->cmsg_level == IPPROTO_IPV6 && each->cmsg_type == IPV6_TCLASS)
        std::memcpy(&m_trafficClass, CMSG_DATA(each), sizeof m_trafficClass);
    }
    return bytes;
  }

  TestSocket m_socket;
  bool m_bound = false;
  int m_trafficClass = -1;
};

/// A port of which datagrams come back as unreachable (ICMP), as long as this lives: its socket is connected
/// to another, and hears nobody else.
class ClosedPort {
 public:
  ClosedPort() : m_deaf("127.0.0.1") { m_deaf.hearOnly(addressOf("127.0.0.1", 9)); }
  [[nodiscard]] UdpAddress address() const { return m_deaf.address(); }

 private:
  Receiver m_deaf;
};

/// What one processor sends over the loopback device arrives in order; two have a queue each.
void stayOnThisProcessor() {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(sched_getcpu(), &set);
  ASSERT_EQ(sched_setaffinity(0, sizeof set, &set), 0);
}

bool ipv6Works() {
  return Receiver("::1").bound();
}

/// Sends random trains to three receivers and looks at each datagram that arrives.
void randomTrains(const std::string& address, Segmentation segmentation) {
  stayOnThisProcessor();
  Receiver receivers[] = {Receiver(address), Receiver(address), Receiver(address)};
  const UdpAddress to[] = {receivers[0].address(), receivers[1].address(), receivers[2].address()};
  const TestSocket sockets[] = {TestSocket(Receiver::familyOf(address)),
                                TestSocket(Receiver::familyOf(address))};
  UdpOffload offloads[] = {UdpOffload::probe(sockets[0].fd(), segmentation).value(),
                           UdpOffload::probe(sockets[1].fd(), segmentation).value()};
  TestPackets packets;
  PacketBatch batch(40);
  std::vector<std::string> expected[3];
  const auto count = *rc::gen::inRange<std::size_t>(1, 40);
  std::size_t socket = 0, receiver = 0, size = 1200;
  for (std::size_t i = 0; i < count; ++i) {
    if (*rc::gen::inRange(0, 5) == 0) socket = *rc::gen::inRange<std::size_t>(0, 2);
    if (*rc::gen::inRange(0, 5) == 0) receiver = *rc::gen::inRange<std::size_t>(0, 3);
    if (*rc::gen::inRange(0, 5) == 0) size = *rc::gen::inRange<std::size_t>(1, 1400);
    RC_ASSERT(batch.add(packets.make(offloads[socket], &to[receiver], size)));
    expected[receiver].push_back(packets.bytes(i));
  }
  RC_ASSERT(batch.send() == count);
  for (std::size_t i = 0; i < 3; ++i) {
    RC_ASSERT(receivers[i].take(expected[i].size()) == expected[i]);
    RC_ASSERT(receivers[i].empty());
  }
}

RC_GTEST_PROP(PacketBatchOnLoopback, RandomTrainsArriveWholeAndInOrder, ()) {
  randomTrains("127.0.0.1", Segmentation::IfGranted);
}

RC_GTEST_PROP(PacketBatchOnLoopback, RandomTrainsArriveWholeAndInOrderWithoutSegmentation, ()) {
  randomTrains("127.0.0.1", Segmentation::Off);
}

TEST(PacketBatchOnLoopbackV6, RandomTrainsArriveWholeAndInOrder) {
  if (!ipv6Works()) GTEST_SKIP() << "no IPv6 on the loopback device";
  rc::check([] { randomTrains("::1", Segmentation::IfGranted); });
  rc::check([] { randomTrains("::1", Segmentation::Off); });
}

class ToReceivers : public ::testing::Test {
 protected:
  ToReceivers() { stayOnThisProcessor(); }
  void add(UdpOffload& socket, const UdpAddress* to, std::size_t size,
           std::optional<std::uint8_t> mark = {}) {
    ASSERT_TRUE(m_batch.add(m_packets.make(socket, to, size, mark)));
  }
  [[nodiscard]] std::vector<std::string> bytes(std::initializer_list<std::size_t> numbers) const {
    std::vector<std::string> all;
    for (const std::size_t each : numbers) all.push_back(m_packets.bytes(each));
    return all;
  }
  [[nodiscard]] std::vector<Outcome> outcomes() const {
    std::vector<Outcome> all;
    for (const SendResult& each : m_batch.results()) all.push_back(each.outcome);
    return all;
  }
  TestPackets m_packets;
  PacketBatch m_batch{64};
  Receiver m_one{"127.0.0.1"}, m_other{"127.0.0.1"};
  const UdpAddress m_toOne = m_one.address(), m_toOther = m_other.address();
  TestSocket m_socket{AF_INET};
  UdpOffload m_offload = UdpOffload::probe(m_socket.fd()).value();
};

TEST_F(ToReceivers, AClosedPortInTheMiddleLosesNoDatagramOfTheOthers) {
  const ClosedPort closed;
  const UdpAddress toClosed = closed.address();
  setOption(m_socket.fd(), IPPROTO_IP, IP_RECVERR, 1);  // so that the next send reports it
  for (int i = 0; i < 12; ++i)
    add(m_offload, i % 3 == 0 ? &m_toOne : i % 3 == 1 ? &toClosed : &m_toOther, 500);
  EXPECT_EQ(m_batch.send(), 12u);
  EXPECT_EQ(m_one.take(4), bytes({0, 3, 6, 9}));
  EXPECT_EQ(m_other.take(4), bytes({2, 5, 8, 11}));
  EXPECT_TRUE(m_one.empty() && m_other.empty());
}

TEST_F(ToReceivers, AConnectedSocketIsNotStoppedByItsClosedPort) {
  const ClosedPort closed;
  const TestSocket connected(AF_INET);
  ASSERT_EQ(connect(connected.fd(), closed.address().get(), closed.address().length()), 0);
  UdpOffload toClosed = UdpOffload::probe(connected.fd()).value();
  for (int i = 0; i < 9; ++i) add(i % 3 == 1 ? toClosed : m_offload, i % 3 == 1 ? nullptr : &m_toOne, 500);
  EXPECT_EQ(m_batch.send(), 9u);
  EXPECT_EQ(m_one.take(6), bytes({0, 2, 3, 5, 6, 8}));
}

TEST_F(ToReceivers, OneThatIsTooLargeInTheMiddleStopsNoOther) {
  add(m_offload, &m_toOne, 1000);
  add(m_offload, &m_toOne, 1000);
  add(m_offload, &m_toOne, 65'508);
  add(m_offload, &m_toOne, 65'507);
  add(m_offload, &m_toOne, 0);
  EXPECT_EQ(m_batch.send(), 4u);
  EXPECT_EQ(outcomes(), (std::vector<Outcome>{Outcome::Sent, Outcome::Sent, Outcome::TooLarge, Outcome::Sent,
                                              Outcome::Sent}));
  EXPECT_EQ(m_one.take(4), bytes({0, 1, 3, 4}));
}

TEST_F(ToReceivers, WhatTheKernelDoesNotAllowIsDeniedAndTheOthersGo) {
  const UdpAddress broadcast = addressOf("255.255.255.255", 9);
  add(m_offload, &m_toOne, 100);
  add(m_offload, &broadcast, 100);  // without SO_BROADCAST
  add(m_offload, &m_toOne, 100);
  EXPECT_EQ(m_batch.send(), 2u);
  // EACCES, or no route where there is no other device.
  const Outcome outcome = m_batch.results()[1].outcome;
  EXPECT_TRUE(outcome == Outcome::Denied || outcome == Outcome::Unreachable) << m_batch.results()[1].error;
  EXPECT_EQ(m_one.take(2), bytes({0, 2}));
}

TEST_F(ToReceivers, EachDatagramHasItsTrafficClass) {
  setOption(m_socket.fd(), IPPROTO_IP, IP_TOS, 8 << 2);
  for (const std::optional<std::uint8_t> mark : {std::optional<std::uint8_t>(46 << 2), {}, {34 << 2 | 2}})
    for (int i = 0; i < 2; ++i) add(m_offload, &m_toOne, 300, mark);
  EXPECT_EQ(m_batch.send(), 6u);
  for (const int expected : {46 << 2, 46 << 2, 8 << 2, 8 << 2, 34 << 2 | 2, 34 << 2 | 2}) {
    EXPECT_EQ(m_one.take(1).size(), 1u);
    EXPECT_EQ(m_one.lastTrafficClass(), expected);
  }
  EXPECT_TRUE(m_offload.marks());
}

TEST_F(ToReceivers, AnIpv6SocketMarksForIpv6AndForIpv4) {
  if (!ipv6Works()) GTEST_SKIP() << "no IPv6 on the loopback device";
  const TestSocket socket(AF_INET6);
  setOption(socket.fd(), IPPROTO_IPV6, IPV6_V6ONLY, 0);
  UdpOffload offload = UdpOffload::probe(socket.fd()).value();
  Receiver six("::1");
  const UdpAddress toSix = six.address();
  const UdpAddress toFour = addressOf("::ffff:127.0.0.1", m_one.port());
  for (int i = 0; i < 2; ++i) add(offload, &toSix, 300, 46 << 2);
  for (int i = 0; i < 2; ++i) add(offload, &toFour, 300, 34 << 2);
  EXPECT_EQ(m_batch.send(), 4u);
  EXPECT_EQ(six.take(2), bytes({0, 1}));
  EXPECT_EQ(six.lastTrafficClass(), 46 << 2);
  EXPECT_EQ(m_one.take(2), bytes({2, 3}));
  EXPECT_EQ(m_one.lastTrafficClass(), 34 << 2);
}

/// Runs `test` on a thread in a network namespace of its own, where the loopback device carries `mtu`. Says
/// why that is not possible, or nothing.
std::string inNetworkNamespace(int mtu, const std::function<std::string()>& test) {
  std::string reason;
  std::thread([&] {
    stayOnThisProcessor();
    if (unshare(CLONE_NEWNET) != 0) {
      reason = "a network namespace: " + std::string(strerror(errno));
      return;
    }
    const TestSocket any(AF_INET);
    ifreq request{};
    std::strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
    request.ifr_mtu = mtu;
    bool works = ioctl(any.fd(), SIOCSIFMTU, &request) == 0;
    request.ifr_flags = IFF_UP;
    works = works && ioctl(any.fd(), SIOCSIFFLAGS, &request) == 0;
    reason = works ? test() : "the loopback device: " + std::string(strerror(errno));
  }).join();
  return reason;
}

TEST(PacketBatchInNamespace, TrainsBeyondTheMtuGoOneByOneAndSmallerOnesStayTrains) {
  const std::string missing = inNetworkNamespace(1500, []() -> std::string {
    Receiver receiver("127.0.0.1");
    const UdpAddress to = receiver.address();
    const TestSocket socket(AF_INET);
    UdpOffload offload = UdpOffload::probe(socket.fd()).value();
    if (!offload.segments(1600)) return "UDP_SEGMENT is not granted";
    TestPackets packets;
    PacketBatch batch(8);
    std::vector<std::string> expected;
    for (const std::size_t size : {1600, 1600, 1600, 1472, 1472, 1472}) {
      EXPECT_TRUE(batch.add(packets.make(offload, &to, size)));
      expected.push_back(packets.bytes(packets.size() - 1));
    }
    EXPECT_EQ(batch.send(), 6u);
    EXPECT_EQ(receiver.take(6), expected);
    EXPECT_FALSE(offload.segments(1600));
    EXPECT_TRUE(offload.segments(1472));
    return {};
  });
  if (!missing.empty()) GTEST_SKIP() << missing;
}

TEST(PacketBatchInNamespace, WhereFragmentsAreForbiddenOnlyWhatExceedsTheMtuStays) {
  const std::string missing = inNetworkNamespace(1500, []() -> std::string {
    Receiver receiver("127.0.0.1");
    const UdpAddress to = receiver.address();
    const TestSocket socket(AF_INET);
    setOption(socket.fd(), IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
    UdpOffload offload = UdpOffload::probe(socket.fd()).value();
    TestPackets packets;
    PacketBatch batch(8);
    for (const std::size_t size : {1000, 1472, 1473, 1473, 1000})
      EXPECT_TRUE(batch.add(packets.make(offload, &to, size)));
    EXPECT_EQ(batch.send(), 3u);
    EXPECT_EQ(batch.results()[2].outcome, Outcome::TooLarge);
    EXPECT_EQ(batch.results()[3].outcome, Outcome::TooLarge);
    EXPECT_EQ(receiver.take(3),
              (std::vector<std::string>{packets.bytes(0), packets.bytes(1), packets.bytes(4)}));
    return {};
  });
  if (!missing.empty()) GTEST_SKIP() << missing;
}

/// The bytes of 200 datagrams through a socket buffer of 16 KiB, whose device empties it at 20 Mbit/s.
void throughASmallBuffer(Segmentation segmentation, int& fullBuffers) {
  Receiver receiver("127.0.0.1");
  const UdpAddress to = receiver.address();
  const TestSocket socket(AF_INET);
  setOption(socket.fd(), SOL_SOCKET, SO_SNDBUF, 8192);
  UdpOffload offload = UdpOffload::probe(socket.fd(), segmentation).value();
  TestPackets packets;
  std::deque<OutgoingPacket> waiting;
  for (int i = 0; i < 200; ++i) waiting.push_back(packets.make(offload, &to, 1000));
  PacketBatch batch(32);
  std::size_t taken = 0;
  while (!waiting.empty()) {
    batch.clear();
    for (const OutgoingPacket& each : waiting)
      if (!batch.add(each)) break;
    const std::size_t sent = batch.send();
    for (std::size_t i = 0; i < batch.size(); ++i)
      ASSERT_EQ(batch.results()[i].outcome, i < sent ? Outcome::Sent : Outcome::WouldBlock) << i;
    for (const std::string& each : receiver.take(sent)) ASSERT_EQ(each, packets.bytes(taken++));
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(sent));
    if (sent == batch.size()) continue;
    ++fullBuffers;
    pollfd writable{socket.fd(), POLLOUT, 0};
    ASSERT_EQ(poll(&writable, 1, kPatience), 1);
  }
  EXPECT_EQ(taken, 200u);
  EXPECT_TRUE(receiver.empty());
}

TEST(PacketBatchInNamespace, AFullSendBufferDelaysAndNeitherLosesNorDoubles) {
  int fullBuffers = 0;
  const std::string missing = inNetworkNamespace(65'536, [&]() -> std::string {
    if (std::system("tc qdisc replace dev lo root tbf rate 20mbit burst 4kb limit 1mb 2>/dev/null") != 0)
      return "the token bucket filter (tc)";
    throughASmallBuffer(Segmentation::IfGranted, fullBuffers);
    throughASmallBuffer(Segmentation::Off, fullBuffers);
    return {};
  });
  if (!missing.empty()) GTEST_SKIP() << missing;
  EXPECT_GT(fullBuffers, 0);
}

}  // namespace
}  // namespace tactus::net
