// SPDX-License-Identifier: Apache-2.0
// Both UDP ends of a stream through the kernel, on the loopback device.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "core/net/link/traffic_class.h"
#include "core/net/stream/udp_end_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using Trains = UdpInbox::Trains;

/// With a link of 1 Gbit/s or without; receiving trains or single datagrams.
struct Way {
  bool link;
  Trains trains;
};

class UdpEnds : public testing::TestWithParam<Way> {
 protected:
  UdpEnds() {
    if (GetParam().link) m_link.emplace(BitRate::perSecond(1'000'000'000));
  }
  void open(const StreamContract& contract) {
    Descriptor socket = loopbackSocket();
    const UdpAddress to = addressOf(socket);
    m_to = receivingEnd(std::move(socket), contract, GetParam().trains);
    m_from = UdpSendingEnd::create(loopbackSocket(), to, contract, m_link ? m_link->get() : nullptr, "test")
                 .value();
  }

  std::optional<TestLink> m_link;
  std::unique_ptr<UdpReceivingEnd> m_to;
  std::unique_ptr<UdpSendingEnd> m_from;
};

INSTANTIATE_TEST_SUITE_P(Ways, UdpEnds,
                         testing::Values(Way{false, Trains::IfGranted}, Way{false, Trains::Off},
                                         Way{true, Trains::IfGranted}, Way{true, Trains::Off}),
                         [](const auto& each) {
                           return std::string(each.param.link ? "WithALink" : "WithoutALink") +
                                  (each.param.trains == Trains::Off ? "DatagramByDatagram" : "InTrains");
                         });

TEST_P(UdpEnds, BuffersOfAllSizesArriveWholeInOrderOnce) {
  open(patientContract(65'537));
  std::vector<std::size_t> lengths;
  for (int i = 0; i < 20; ++i)
    for (const std::size_t length : {1, 125, 1399, 1400, 1401, 2800, 65'537}) lengths.push_back(length);
  const Received received = transfer(*m_from, *m_to, lengths);
  EXPECT_EQ(received.numbers, numbersUpTo(lengths.size()));
  EXPECT_EQ(received.lengths, lengths);
  drain(*m_from);
  EXPECT_EQ(m_from->figures().sent, lengths.size());
  EXPECT_EQ(m_from->figures().late + m_from->figures().failed, 0u);
  EXPECT_EQ(m_to->figures().whole, lengths.size());
  EXPECT_EQ(m_to->figures().lost, 0u);
  EXPECT_EQ(m_to->refused(), 0u);
}

TEST_P(UdpEnds, ThousandsOfSmallBuffersArriveInOrder) {
  open(patientContract(125));
  const std::vector<std::size_t> lengths(3000, 125);
  EXPECT_EQ(transfer(*m_from, *m_to, lengths).numbers, numbersUpTo(lengths.size()));
}

TEST_P(UdpEnds, TheEndOfTheStreamComesLastAndOnce) {
  open(patientContract(2000));
  const Received received = transfer(*m_from, *m_to, {2000, 1, 0});
  EXPECT_TRUE(received.end);
  EXPECT_EQ(received.lengths, (std::vector<std::size_t>{2000, 1, 0}));
  drain(*m_from);
  EXPECT_EQ(m_from->figures().sent, 3u);
}

TEST_P(UdpEnds, WhatTheReceiverHasNoRoomForIsLostAndTheRestArrives) {
  open(patientContract(1000));
  const int small = 1;  // the kernel makes it a little more than two datagrams
  ASSERT_EQ(setsockopt(m_to->wait().descriptor, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
  for (std::uint32_t i = 0; i < 300; ++i)
    while (!sendBuffer(*m_from, i, 1000)) {
      m_from->flush();
      waitFor({m_from->wait()});
    }
  drain(*m_from);
  Received received;
  receiveBuffers(*m_to, received);
  EXPECT_LT(received.numbers.size(), 300u);
  // The last three say how far the numbers are, and arrive one by one.
  const std::size_t before = received.numbers.size();
  for (std::uint32_t i = 300; received.numbers.size() < before + 3 && !HasFatalFailure(); ++i) {
    ASSERT_TRUE(sendBuffer(*m_from, i, 1000));
    drain(*m_from);
    if (i >= 302) waitFor({m_to->wait()});
    receiveBuffers(*m_to, received);
  }
  EXPECT_TRUE(std::is_sorted(received.numbers.begin(), received.numbers.end()));
  EXPECT_EQ(m_to->figures().whole + m_to->figures().lost, received.numbers.back() + 1u);
}

TEST_P(UdpEnds, AStrangersDatagramsChangeNothing) {
  const StreamContract contract = patientContract(3000);
  open(contract);
  sockaddr_in6 name{};
  socklen_t length = sizeof name;
  getsockname(m_to->wait().descriptor, reinterpret_cast<sockaddr*>(&name), &length);
  const auto stranger = UdpSendingEnd::create(
      loopbackSocket(), UdpAddress::from(reinterpret_cast<const sockaddr*>(&name), length).value(), contract,
      nullptr, "stranger");
  const Descriptor noise = loopbackSocket();
  std::minstd_rand random(1);
  Received received;
  std::uint64_t foreign = 0;
  for (std::uint32_t i = 0; i < 100; ++i) {
    std::vector<std::byte> bytes(random() % 1600);
    for (std::byte& each : bytes) each = static_cast<std::byte>(random());
    ASSERT_EQ(
        sendto(noise.get(), bytes.data(), bytes.size(), 0, reinterpret_cast<const sockaddr*>(&name), length),
        static_cast<ssize_t>(bytes.size()));
    // A stream of the same contract with another session.
    ASSERT_EQ(stranger.value()->room().size(), 3000u);
    stranger.value()->send(
        {.number = i, .session = kTestSession + 1, .length = 3000, .offset = 0, .made = 1ns});
    stranger.value()->flush();
    foreign += 4;
    ASSERT_TRUE(sendBuffer(*m_from, i, 3000));
    drain(*m_from);
    while (received.numbers.size() <= i && !HasFatalFailure()) {
      receiveBuffers(*m_to, received);
      if (received.numbers.size() <= i) waitFor({m_to->wait()});
    }
  }
  EXPECT_EQ(received.numbers, numbersUpTo(100));
  EXPECT_EQ(m_to->refused(WireFault::Session), 300u);
  EXPECT_EQ(m_to->refused(), foreign);
  EXPECT_EQ(m_to->figures(), (AssemblyFigures{.whole = 100}));
}

TEST_P(UdpEnds, APortThatTakesNothingLosesNothingThatTheKernelHolds) {
  open(patientContract(125));  // a window of fewer than 100 buffers
  for (std::uint32_t i = 0; i < 100; ++i) ASSERT_TRUE(sendBuffer(*m_from, i, 125));
  drain(*m_from);
  const auto now = periodic::MonotonicClock::now();
  for (int i = 0; i < 10; ++i) m_to->receive(now);
  EXPECT_LE(m_to->wait().until, now) << "there is something to take";
  EXPECT_GT(m_to->came(), 0u);
  ASSERT_TRUE(m_to->next(now).has_value());
  m_to->receive(now);
  EXPECT_EQ(m_to->wait().descriptor, -1);
  EXPECT_EQ(m_to->wait().until, periodic::TimePoint::max()) << "nothing more before release()";
  m_to->release();
  Received received;
  received.numbers.push_back(0);
  while (received.numbers.size() < 100 && !HasFatalFailure()) {
    receiveBuffers(*m_to, received);
    if (received.numbers.size() < 100) waitFor({m_to->wait()});
  }
  EXPECT_EQ(received.numbers, numbersUpTo(100));
  EXPECT_EQ(m_to->figures().lost, 0u);
  EXPECT_EQ(m_to->came(), 100u);
  EXPECT_EQ(m_to->wait().until, periodic::TimePoint::max());
}

/// A reader that waits an hour for an earlier buffer; its window has eight.
class UdpEndsFull : public UdpEnds {
 protected:
  UdpEndsFull() {
    Descriptor socket = loopbackSocket();
    const UdpAddress to = addressOf(socket);
    StreamContract contract = patientContract(100);
    m_from = UdpSendingEnd::create(loopbackSocket(), to, contract, m_link ? m_link->get() : nullptr, "test")
                 .value();
    contract.rate = periodic::Rate::perSecond(1, 3600);
    contract.jitter = 0ns;
    EXPECT_EQ(assemblyOf(contract).window, 8u);
    m_to = receivingEnd(std::move(socket), contract, GetParam().trains);
    // One by one: so none overtakes another.
    for (const std::uint32_t number : {0, 1, 2, 3, 4, 5, 7, 8}) {
      EXPECT_TRUE(sendBuffer(*m_from, number, 100));
      drain(*m_from);
      pollfd arrives{m_to->wait().descriptor, POLLIN, 0};
      EXPECT_EQ(poll(&arrives, 1, 60'000), 1);
      m_to->receive(m_now);
    }
    EXPECT_EQ(m_to->figures().full, 1u) << "buffer 8 waits here";
  }
  const periodic::TimePoint m_now = periodic::MonotonicClock::now();
};

INSTANTIATE_TEST_SUITE_P(Ways, UdpEndsFull,
                         testing::Values(Way{false, Trains::IfGranted}, Way{true, Trains::Off}));

TEST_P(UdpEndsFull, NothingIsToBeDoneBeforeTheBufferInUseIsReleased) {
  ASSERT_TRUE(m_to->next(m_now));
  EXPECT_EQ(m_to->wait().until, periodic::TimePoint::max());
  EXPECT_EQ(m_to->wait().descriptor, -1);
  m_to->release();
  EXPECT_LE(m_to->wait().until, m_now);
}

TEST_P(UdpEndsFull, RoomForWhatWaitsHereIsNotWaitedFor) {
  for (std::uint32_t number = 0; number < 6; ++number) {
    ASSERT_TRUE(m_to->next(m_now));
    m_to->release();
  }
  ASSERT_FALSE(m_to->next(m_now)) << "buffer 6 is missing";
  EXPECT_LE(m_to->wait().until, m_now) << "buffer 8 has room by now";
  m_to->receive(m_now);
  EXPECT_EQ(m_to->wait().events, POLLIN);
  EXPECT_GT(m_to->wait().until, m_now);
  ASSERT_TRUE(sendBuffer(*m_from, 6, 100));
  drain(*m_from);
  Received received;
  for (waitFor({m_to->wait()}); received.numbers.size() < 3 && !HasFatalFailure();)
    receiveBuffers(*m_to, received);
  EXPECT_EQ(received.numbers, (std::vector<std::uint32_t>{6, 7, 8}));
}

TEST_P(UdpEnds, AWriterAndAReaderOnThreadsOfTheirOwn) {
  open(patientContract(4000, 4));
  constexpr std::uint32_t kCount = 2000;
  std::atomic<bool> finished{false};
  std::thread writer([&] {
    for (std::uint32_t i = 0; i <= kCount && !HasFatalFailure();) {
      if (sendBuffer(*m_from, i, i < kCount ? 1 + i * 7 % 4000 : 0)) {
        ++i;
        continue;
      }
      m_from->flush();
      waitFor({m_from->wait()});
    }
    drain(*m_from);
    finished = true;
  });
  // What the reader is too slow for may be lost in the kernel, the end too; what comes is in order.
  Received received;
  for (bool more = true; more && !received.end;) {
    const bool last = finished;
    const std::size_t before = received.numbers.size();
    receiveBuffers(*m_to, received);
    more = !last || received.numbers.size() > before;
    pollfd readable{m_to->wait().descriptor, POLLIN, 0};
    ASSERT_GE(poll(&readable, 1, 10), 0);
  }
  writer.join();
  EXPECT_FALSE(received.numbers.empty());
  EXPECT_TRUE(std::is_sorted(received.numbers.begin(), received.numbers.end()));
  EXPECT_EQ(m_from->figures().sent, kCount + 1u);
}

/// The traffic class of the next datagram on a socket that was asked to tell it.
int trafficClassOf(const Descriptor& socket) {
  std::array<std::byte, 128> control{};
  std::byte byte{};
  iovec part{&byte, 1};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  if (recvmsg(socket.get(), &message, 0) < 0) return -1;
  for (cmsghdr* each = CMSG_FIRSTHDR(&message); each != nullptr; each = CMSG_NXTHDR(&message, each)) {
    int value = *CMSG_DATA(each);
    if (each->cmsg_level == IPPROTO_IP && each->cmsg_type == IP_TOS) return value;
    if (each->cmsg_level != IPPROTO_IPV6 || each->cmsg_type != IPV6_TCLASS) continue;
    std::memcpy(&value, CMSG_DATA(each), sizeof value);
    return value;
  }
  return -1;
}

TEST_P(UdpEnds, DatagramsHaveTheTrafficClassOfTheStream) {
  const Descriptor receiver = loopbackSocket();
  const int on = 1;
  ASSERT_EQ(setsockopt(receiver.get(), IPPROTO_IP, IP_RECVTOS, &on, sizeof on), 0);
  StreamContract contract = patientContract(100);
  contract.rate = periodic::Rate::perSecond(100);
  contract.jitter = 0ns;
  const auto classFor = [&](LinkClass linkClass, bool rate) {
    contract.linkClass = linkClass;
    if (!rate) contract.rate.reset();
    const auto end = UdpSendingEnd::create(loopbackSocket(), addressOf(receiver), contract,
                                           m_link ? m_link->get() : nullptr, "test")
                         .value();
    sendBuffer(*end, 0, 100);
    drain(*end);
    return trafficClassOf(receiver);
  };
  EXPECT_EQ(classFor(LinkClass::Control, true), net::trafficClassOf(Carries::Data, SendPriority::High));
  EXPECT_EQ(classFor(LinkClass::Audio, true), net::trafficClassOf(Carries::Audio, SendPriority::High));
  EXPECT_EQ(classFor(LinkClass::Stream, true),
            net::trafficClassOf(Carries::InteractiveVideo, SendPriority::High));
  EXPECT_EQ(classFor(LinkClass::Stream, false), 0) << "bulk";
}

TEST(UdpEndsV6, BuffersArriveWithTheTrafficClassOfTheStream) {
  Descriptor receiver = loopbackSocketV6(), sender = loopbackSocketV6(), marked = loopbackSocketV6();
  if (!receiver || !sender || !marked) GTEST_SKIP() << "no IPv6 on the loopback device";
  const int on = 1;
  ASSERT_EQ(setsockopt(marked.get(), IPPROTO_IPV6, IPV6_RECVTCLASS, &on, sizeof on), 0);
  StreamContract contract = patientContract(3000);
  contract.rate = periodic::Rate::perSecond(50);
  contract.linkClass = LinkClass::Audio;
  const UdpAddress to = addressOf(receiver), toMarked = addressOf(marked);
  const auto reader = receivingEnd(std::move(receiver), contract);
  const auto writer = UdpSendingEnd::create(std::move(sender), to, contract, nullptr, "test").value();
  EXPECT_EQ(transfer(*writer, *reader, {1, 3000, 1400, 0}).numbers, numbersUpTo(4));
  const auto end = UdpSendingEnd::create(loopbackSocketV6(), toMarked, contract, nullptr, "test").value();
  ASSERT_TRUE(sendBuffer(*end, 0, 1));
  drain(*end);
  EXPECT_EQ(trafficClassOf(marked), net::trafficClassOf(Carries::Audio, SendPriority::High));
}

TEST_P(UdpEnds, WhatCannotBeOpenedIsRefusedWithASentence) {
  LinkTask* link = m_link ? m_link->get() : nullptr;
  const auto sentenceFor = [&](Descriptor socket, std::optional<UdpAddress> to,
                               const StreamContract& contract) {
    const auto made = UdpSendingEnd::create(std::move(socket), to, contract, link, "test");
    return made.ok() ? "" : made.error().sentence;
  };
  const UdpAddress to = addressOf("127.0.0.1", 9);
  StreamContract tcp = patientContract(100);
  tcp.transport = TransportKind::Tcp;
  EXPECT_EQ(sentenceFor(loopbackSocket(), to, tcp), "The contract is for another transport than UDP.");
  EXPECT_EQ(sentenceFor(loopbackSocket(), to, patientContract(0)),
            "The largest buffer of a stream has 1 to 16777216 bytes, not 0.");
  EXPECT_EQ(sentenceFor(loopbackSocket(), {}, patientContract(100)),
            "The socket is not connected, and there is no destination.");
  EXPECT_EQ(sentenceFor(Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), to, patientContract(100)),
            "This is no UDP socket.");
  EXPECT_FALSE(UdpReceivingEnd::create(loopbackSocket(), 1, tcp).ok());
  EXPECT_FALSE(UdpReceivingEnd::create(loopbackSocket(), 1, patientContract(0)).ok());
  EXPECT_FALSE(UdpReceivingEnd::create(Descriptor(), 1, patientContract(100)).ok());
}

TEST_P(UdpEnds, AConnectedSocketNeedsNoDestination) {
  const StreamContract contract = patientContract(3000);
  Descriptor receiver = loopbackSocket(), sender = loopbackSocket();
  const UdpAddress to = addressOf(receiver);
  ASSERT_EQ(connect(sender.get(), to.get(), to.length()), 0);
  m_to = receivingEnd(std::move(receiver), contract, GetParam().trains);
  m_from = UdpSendingEnd::create(std::move(sender), {}, contract, m_link ? m_link->get() : nullptr, "test")
               .value();
  EXPECT_EQ(transfer(*m_from, *m_to, {3000, 1, 1500}).numbers, numbersUpTo(3));
}

TEST_P(UdpEnds, AReceiverThatIsNotThereIsNoFailure) {
  std::optional<Descriptor> gone = loopbackSocket();
  Descriptor sender = loopbackSocket();
  const UdpAddress to = addressOf(*gone);
  ASSERT_EQ(connect(sender.get(), to.get(), to.length()), 0);
  gone.reset();
  m_from = UdpSendingEnd::create(std::move(sender), {}, patientContract(3000),
                                 m_link ? m_link->get() : nullptr, "test")
               .value();
  for (std::uint32_t i = 0; i < 50; ++i) {
    ASSERT_TRUE(sendBuffer(*m_from, i, 3000));
    drain(*m_from);
  }
  EXPECT_FALSE(m_from->broken());
  EXPECT_EQ(m_from->figures().sent + m_from->figures().failed, 50u);
}

TEST_P(UdpEnds, ASocketThatIsNoneAnyMoreBreaksThem) {
  const StreamContract contract = patientContract(3000);
  Descriptor receiver = loopbackSocket(), sender = loopbackSocket();
  const UdpAddress to = addressOf(receiver);
  const int sending = sender.get(), receiving = receiver.get();
  m_to = receivingEnd(std::move(receiver), contract, GetParam().trains);
  m_from = UdpSendingEnd::create(std::move(sender), to, contract, m_link ? m_link->get() : nullptr, "test")
               .value();
  const Descriptor other(::open("/dev/null", O_RDWR | O_CLOEXEC));
  ASSERT_EQ(dup2(other.get(), sending), sending);
  ASSERT_EQ(dup2(other.get(), receiving), receiving);
  EXPECT_FALSE(m_from->broken());
  ASSERT_TRUE(sendBuffer(*m_from, 0, 3000));
  drain(*m_from);
  ASSERT_TRUE(m_from->broken());
  EXPECT_NE(m_from->broken()->sentence.find(strerror(ENOTSOCK)), std::string::npos);
  EXPECT_TRUE(m_from->room().empty());
  EXPECT_EQ(m_from->figures().failed, 1u);
  EXPECT_FALSE(m_to->broken());
  m_to->receive(periodic::MonotonicClock::now());
  EXPECT_TRUE(m_to->broken());
}

}  // namespace
}  // namespace tactus::net
