// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/udp_inbox.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>

#include "core/net/stream/udp_end_fixture.h"

namespace tactus::net {
namespace {

using Trains = UdpInbox::Trains;

class Inbox {
 public:
  explicit Inbox(Trains trains, std::size_t window = 1 << 20) {
    Descriptor socket = loopbackSocket();
    m_to.emplace(addressOf(socket));
    m_inbox.emplace(UdpInbox::create(std::move(socket), window, trains).value());
  }
  UdpInbox* operator->() { return &*m_inbox; }
  /// Sends datagrams in trains where they have one size.
  void send(const std::vector<std::size_t>& sizes) {
    TestPackets packets;
    PacketBatch batch(sizes.size());
    for (const std::size_t size : sizes) ASSERT_TRUE(batch.add(packets.make(m_offload, &*m_to, size)));
    ASSERT_EQ(batch.send(), sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) m_sent.push_back(packets.bytes(i));
  }
  [[nodiscard]] const std::vector<std::string>& sent() const { return m_sent; }
  /// So many datagrams; fewer if a minute passes without one.
  std::vector<std::string> receive(std::size_t count) {
    std::vector<std::string> all;
    while (all.size() < count && !testing::Test::HasFatalFailure()) {
      if (!m_inbox->take()) {
        waitFor({{.descriptor = m_inbox->socket(), .events = POLLIN}});
        continue;
      }
      for (; const auto datagram = m_inbox->current(); m_inbox->advance())
        all.emplace_back(reinterpret_cast<const char*>(datagram->data()), datagram->size());
    }
    return all;
  }

 private:
  Descriptor m_sender = loopbackSocket();
  UdpOffload m_offload = UdpOffload::probe(m_sender.get()).value();
  std::optional<UdpAddress> m_to;
  std::optional<UdpInbox> m_inbox;
  std::vector<std::string> m_sent;
};

class UdpInboxes : public testing::TestWithParam<Trains> {};
INSTANTIATE_TEST_SUITE_P(Trains, UdpInboxes, testing::Values(Trains::IfGranted, Trains::Off),
                         [](const auto& each) {
                           return each.param == Trains::Off ? "DatagramByDatagram" : "InTrains";
                         });

TEST_P(UdpInboxes, ATrainIsCutIntoItsDatagrams) {
  Inbox inbox(GetParam());
  EXPECT_FALSE(inbox->take());
  EXPECT_FALSE(inbox->current());
  inbox.send({1000, 1000, 1000, 7, 1432, 1432, 1, 0, 500});
  EXPECT_EQ(inbox.receive(9), inbox.sent());
  EXPECT_FALSE(inbox->take());
}

TEST_P(UdpInboxes, ADatagramStaysUntilItIsDoneWith) {
  Inbox inbox(GetParam());
  inbox.send({300, 300});
  waitFor({{.descriptor = inbox->socket(), .events = POLLIN}});
  ASSERT_TRUE(inbox->take());
  const std::byte* place = inbox->current()->data();
  EXPECT_TRUE(inbox->take());
  EXPECT_EQ(inbox->current()->data(), place);
  inbox->advance();
  EXPECT_EQ(inbox.receive(1).at(0), inbox.sent()[1]);
}

TEST_P(UdpInboxes, MoreThanOneSystemCallTakesComesWithTheNext) {
  Inbox inbox(GetParam());
  std::vector<std::size_t> sizes;  // each message is one datagram: they grow
  for (std::size_t i = 0; i < UdpInbox::kSingles + 10; ++i) sizes.push_back(100 + i);
  inbox.send(sizes);
  EXPECT_EQ(inbox.receive(sizes.size()), inbox.sent());
  EXPECT_FALSE(inbox->wasFull());
}

TEST_P(UdpInboxes, ErrorsOfEarlierDatagramsAreReadAway) {
  std::optional<Descriptor> gone = loopbackSocket();
  const UdpAddress closed = addressOf(*gone);
  gone.reset();
  Descriptor socket = loopbackSocket();
  const int descriptor = socket.get();
  ASSERT_EQ(connect(descriptor, closed.get(), closed.length()), 0);
  auto inbox = UdpInbox::create(std::move(socket), 1000, GetParam()).value();
  ASSERT_EQ(::send(descriptor, "x", 1, 0), 1);
  waitFor({{.descriptor = descriptor, .events = POLLIN}});  // the error wakes it
  EXPECT_FALSE(inbox.take());
  EXPECT_EQ(inbox.fatalError(), 0);
  pollfd readable{descriptor, POLLIN, 0};
  EXPECT_EQ(poll(&readable, 1, 0), 0);
}

TEST_P(UdpInboxes, TheKernelHoldsAWindowIfItPermits) {
  constexpr std::size_t kWindow = 150'000;  // below what everybody is given
  Inbox inbox(GetParam(), kWindow);
  int held = 0;
  socklen_t length = sizeof held;
  ASSERT_EQ(getsockopt(inbox->socket(), SOL_SOCKET, SO_RCVBUF, &held, &length), 0);
  EXPECT_GE(held, static_cast<int>(kWindow));
}

/// Through the kernel, whatever trains there are.
RC_GTEST_PROP(UdpInboxProperty, RandomDatagramsComeAsTheyWereSent, ()) {
  Inbox inbox(*rc::gen::element(Trains::IfGranted, Trains::Off));
  std::vector<std::size_t> sizes(*rc::gen::element<std::size_t>(1, 5, 30));
  std::size_t size = 100;
  for (std::size_t& each : sizes) {
    if (*rc::gen::element(false, false, true))
      size = *rc::gen::element<std::size_t>(0, 1, 32, 157, 1000, 1432);
    each = size;
  }
  inbox.send(sizes);
  RC_ASSERT(inbox.receive(sizes.size()) == inbox.sent());
  RC_ASSERT(!inbox->take());
}

}  // namespace
}  // namespace tactus::net
