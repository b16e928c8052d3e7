// SPDX-License-Identifier: Apache-2.0
// Real sockets. No test depends on how fast anything is.
#include "core/net/stream/tcp_sending_end.h"

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <thread>
#include <vector>

#include "core/net/stream/ordered_end_fixture.h"
#include "core/net/stream/tcp_receiving_end.h"

namespace tactus::net {
namespace {

using namespace ordered;
using namespace std::chrono_literals;

std::unique_ptr<TcpSendingEnd> sendingEnd(Descriptor socket, const StreamContract& contract,
                                          LinkTask* link = nullptr) {
  return TcpSendingEnd::create(std::move(socket), contract, link, "film").value();
}

std::unique_ptr<TcpReceivingEnd> receivingEnd(Descriptor socket, const StreamContract& contract) {
  return TcpReceivingEnd::create(std::move(socket), kTestSession, contract).value();
}

/// Sends until there is no room, though nothing is read; returns the next number.
std::uint32_t fillUp(SendingEnd& end, std::size_t length) {
  std::uint32_t number = 0;
  for (bool more = true; more; end.flush())
    for (more = false; sendBuffer(end, number, length); more = true) ++number;
  return number;
}

TEST(TcpSendingEnd, RefusesWhatCarriesNoStream) {
  auto [here, there] = tcpPair();
  auto contract = contractOf(TransportKind::Tcp, 100);
  const auto sentence = [](Descriptor socket, const StreamContract& wanted) {
    const auto end = TcpSendingEnd::create(std::move(socket), wanted, nullptr, "film");
    return end.ok() ? "" : end.error().sentence;
  };
  EXPECT_EQ(sentence(Descriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)), contract),
            "A stream of buffers needs a stream socket.");
  EXPECT_EQ(sentence(Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)), contract),
            "The socket is not connected: Transport endpoint is not connected.");
  EXPECT_EQ(sentence(copyOf(here.get()), contractOf(TransportKind::Local, 100)),
            "The stream is not over tcp.");
  contract.largestBuffer = 0;
  EXPECT_EQ(sentence(copyOf(here.get()), contract),
            "The largest buffer of a stream has 1 to 16777216 bytes, not 0.");
}

TEST(TcpSendingEnd, SmallBuffersLeaveTogether) {
  auto [here, there] = socketPair(SOCK_STREAM);
  const auto end = sendingEnd(std::move(here), contractOf(TransportKind::Tcp, 125));
  for (std::uint32_t i = 0; i < 10; ++i) ASSERT_TRUE(sendBuffer(*end, i, 125));
  EXPECT_FALSE(end->isEmpty());
  EXPECT_FALSE(readable(there.get(), 0)) << "nothing leaves before flush()";
  end->flush();
  EXPECT_TRUE(end->isEmpty());
  std::array<std::byte, 4096> bytes{};
  EXPECT_EQ(recv(there.get(), bytes.data(), bytes.size(), 0), 10 * 157);
  EXPECT_EQ(end->figures().sent, 10u);
  EXPECT_EQ(end->figures().sentBytes, 1250u);
}

TEST(TcpSendingEnd, WhatHasGatheredLeavesWithoutFlush) {
  auto [here, there] = tcpPair();
  const auto end = sendingEnd(std::move(here), contractOf(TransportKind::Tcp, 40'000));
  ASSERT_TRUE(sendBuffer(*end, 0, 40'000));
  EXPECT_TRUE(readable(there.get()));
}

TEST(TcpSendingEnd, AReaderThatStopsLeavesTheSenderWithoutRoom) {
  auto [here, there] = tcpPair();
  const auto contract = contractOf(TransportKind::Tcp, 50'000);
  const auto end = sendingEnd(std::move(here), contract);
  const std::uint32_t sent = fillUp(*end, 50'000);
  EXPECT_TRUE(end->room().empty());
  EXPECT_EQ(end->wait().events, POLLOUT);
  EXPECT_EQ(end->wait().until, periodic::TimePoint::max());
  EXPECT_FALSE(end->isEmpty());
  EXPECT_FALSE(end->broken());
  const auto reader = receivingEnd(std::move(there), contract);
  Reader rest(*reader, std::vector<std::size_t>(sent, 50'000));
  while (rest.right() < sent && waitForAny({end->wait(), rest.wait()})) {
    end->flush();
    rest.go();
  }
  EXPECT_EQ(rest.right(), sent);
  EXPECT_TRUE(end->isEmpty());
  EXPECT_EQ(end->wait().descriptor, -1) << "there is nothing to wait for";
  EXPECT_EQ(end->figures().sent, sent);
}

TEST(TcpSendingEnd, RoomThatFlushMadeIsNotWaitedFor) {
  auto [here, there] = tcpPair();
  const auto end = sendingEnd(std::move(here), contractOf(TransportKind::Tcp, 20'000));
  std::uint32_t number = 0;
  while (sendBuffer(*end, number, 1000)) ++number;  // it may wait for the socket, or for flush()
  std::vector<std::byte> bytes(100'000);
  for (; !end->isEmpty(); end->flush()) {
    ASSERT_TRUE(readable(there.get()));
    ASSERT_GT(recv(there.get(), bytes.data(), bytes.size(), 0), 0);
  }
  EXPECT_EQ(end->wait().until, EndWait::atOnce().until);
  EXPECT_FALSE(end->room().empty());
  EXPECT_EQ(end->wait().until, periodic::TimePoint::max());
}

TEST(TcpSendingEnd, WhatWaitsTooLongIsLeftOutWhole) {
  auto [here, there] = tcpPair();
  auto contract = contractOf(TransportKind::Tcp, 50'000, false);
  contract.latency = 1ms;
  const auto end = sendingEnd(std::move(here), contract);
  // The connection is full in the middle of a buffer, or between two; then what waits becomes late.
  std::uint32_t number = fillUp(*end, 50'000);
  end->send(headerOf(number++, 0));
  ASSERT_TRUE(waitForAny({{.until = now() + 1ms}}));
  const auto reader = receivingEnd(std::move(there), contract);
  for (bool ended = false; !ended && waitForAny({end->wait(), reader->wait()});) {
    reader->receive(now());
    for (; const auto buffer = reader->next(now()); reader->release()) {
      ended = buffer->end;
      EXPECT_TRUE(ended || isRecord(buffer->bytes, buffer->number));
    }
    end->flush();
  }
  EXPECT_FALSE(reader->broken());
  EXPECT_GT(end->figures().late, 0u);
  EXPECT_EQ(end->figures().late + end->figures().sent, number);
  EXPECT_EQ(reader->figures().lost, end->figures().late);
  EXPECT_EQ(reader->figures().whole, end->figures().sent);
}

TEST(TcpSendingEnd, APeerThatClosesBreaksIt) {
  auto [here, there] = tcpPair();
  const auto end = sendingEnd(std::move(here), contractOf(TransportKind::Tcp, 50'000));
  ASSERT_TRUE(sendBuffer(*end, 0, 50'000));
  there = Descriptor();
  std::uint32_t sent = 1;
  while (!end->broken()) {
    while (sendBuffer(*end, sent, 50'000)) ++sent;
    end->flush();
    ASSERT_TRUE(end->broken() || waitForAny({end->wait()}));
  }
  EXPECT_EQ(end->broken()->sentence, "The peer has closed the connection.");
  EXPECT_TRUE(end->room().empty());
  EXPECT_TRUE(end->isEmpty());
  EXPECT_EQ(end->wait().until, EndWait::atOnce().until) << "there is something to look at";
  EXPECT_EQ(end->figures().sent + end->figures().failed, sent);
}

class TcpOverALink : public testing::Test {
 protected:
  void connect(BitRate rate, const StreamContract& contract) {
    m_link = std::make_unique<TestLink>(rate);
    auto [here, there] = tcpPair();
    m_from = sendingEnd(std::move(here), contract, m_link->get());
    m_to = receivingEnd(std::move(there), contract);
  }
  std::unique_ptr<TestLink> m_link;
  std::unique_ptr<TcpSendingEnd> m_from;
  std::unique_ptr<TcpReceivingEnd> m_to;
};

TEST_F(TcpOverALink, BuffersOfEachSizeComeAsTheyWere) {
  connect(BitRate::perSecond(1'000'000'000), contractOf(TransportKind::Tcp, 1 << 20));
  std::vector<std::size_t> lengths;
  for (int i = 0; i < 20; ++i) lengths.insert(lengths.end(), {1, 125, 1400, 65'537});
  lengths.push_back(1 << 20);
  EXPECT_EQ(carry(*m_from, *m_to, lengths), lengths.size() + 1);
}

TEST_F(TcpOverALink, ThousandsOfBuffersShareTurns) {
  connect(BitRate::perSecond(400'000'000), contractOf(TransportKind::Tcp, 125));
  EXPECT_EQ(carry(*m_from, *m_to, std::vector<std::size_t>(5000, 125)), 5001u);
  const auto flow = m_link->get()->rows().at(0).figures;
  EXPECT_LT(flow.sent, 2500u);
  const std::size_t bytes = 5000 * 157 + 32;
  EXPECT_GE(flow.sentBytes, bytes + bytes / kSegmentPayload * kSegmentHeaders) << "headers count";
}

TEST_F(TcpOverALink, ALinkThatIsDownHoldsAndALaterRateLetsGo) {
  connect(BitRate(), contractOf(TransportKind::Tcp, 10'000));
  ASSERT_TRUE(sendBuffer(*m_from, 0, 10'000));
  m_from->flush();
  EXPECT_FALSE(m_from->isEmpty());
  EXPECT_EQ(m_from->wait().events, POLLIN) << "it waits for its turn, not for the socket";
  EXPECT_FALSE(readable(m_to->wait().descriptor, 0));
  m_link->get()->setRate(BitRate::perSecond(100'000'000));
  while (!m_from->isEmpty()) {
    ASSERT_TRUE(waitForAny({m_from->wait()}));
    m_from->flush();
  }
  Reader reader(*m_to, {10'000});
  while (reader.right() == 0 && waitForAny({reader.wait()})) reader.go();
  EXPECT_EQ(reader.right(), 1u);
  EXPECT_EQ(m_from->figures().late, 0u);
}

TEST_F(TcpOverALink, ALinkThatIsDownMakesBuffersLateAndRoomComesBack) {
  auto contract = contractOf(TransportKind::Tcp, 10'000, false);
  contract.latency = 1ms;
  connect(BitRate(), contract);
  const std::uint32_t sent = fillUp(*m_from, 10'000);
  ASSERT_GT(sent, 0u);
  while (!m_from->isEmpty()) {
    ASSERT_LT(m_from->wait().until, periodic::TimePoint::max());
    ASSERT_TRUE(waitForAny({m_from->wait()}));
    m_from->flush();
  }
  EXPECT_EQ(m_from->figures().late, sent);
  EXPECT_FALSE(m_from->room().empty());
  EXPECT_EQ(m_link->get()->rows().at(0).waiting, 0u) << "no turn is asked for any more";
}

TEST_F(TcpOverALink, ATurnThatIsLateIsAskedForAgain) {
  auto contract = contractOf(TransportKind::Tcp, 10'000);
  contract.rate = periodic::Rate::perSecond(10);
  contract.linkClass = LinkClass::Audio;  // its order is by deadline
  contract.latency = 1ms;
  connect(BitRate::perSecond(100'000'000), contract);
  m_link->get()->setRate(BitRate());
  ASSERT_TRUE(sendBuffer(*m_from, 0, 10'000));
  for (int i = 0; i < 3; ++i) {
    m_from->flush();
    ASSERT_TRUE(waitForAny({m_from->wait()}));
  }
  EXPECT_GE(m_link->get()->rows().at(0).figures.late, 2u);
  EXPECT_EQ(m_from->figures().late, 0u);
  m_link->get()->setRate(BitRate::perSecond(100'000'000));
  m_from->send(headerOf(1, 0));
  Reader reader(*m_to, {10'000});
  for (m_from->flush(); !reader.done() && waitForAny({m_from->wait(), reader.wait()}); m_from->flush())
    reader.go();
  EXPECT_EQ(reader.right(), 2u);
}

TEST_F(TcpOverALink, AnEndGoesWhileItsTurnIsOnItsWay) {
  connect(BitRate(), contractOf(TransportKind::Tcp, 10'000));
  ASSERT_TRUE(sendBuffer(*m_from, 0, 10'000));
  m_from->flush();
  m_from.reset();
  EXPECT_TRUE(m_link->get()->rows().empty());
}

TEST_F(TcpOverALink, ALinkRefusesWhatItCannotCarry) {
  const TestLink link(BitRate::perSecond(1'000'000));
  auto [here, there] = tcpPair();
  auto contract = contractOf(TransportKind::Tcp, 10'000);
  contract.rate = periodic::Rate::perSecond(100);
  const auto end = TcpSendingEnd::create(std::move(here), contract, link.get(), "film");
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().resource, "link");
}

TEST_F(TcpOverALink, TheSenderAndTheReaderAreThreads) {
  connect(BitRate::perSecond(300'000'000), contractOf(TransportKind::Tcp, 5000));
  const std::vector<std::size_t> lengths(2000, 1400);
  std::thread sending([&] {
    Writer writer(*m_from, lengths);
    for (writer.go(); !writer.done() && waitForAny({writer.wait()});) writer.go();
  });
  Reader reader(*m_to, lengths);
  for (reader.go(); !reader.done() && waitForAny({reader.wait()});) reader.go();
  sending.join();
  EXPECT_EQ(reader.right(), 2001u);
}

}  // namespace
}  // namespace tactus::net
