// SPDX-License-Identifier: Apache-2.0
// Real sockets. No test depends on how fast anything is.
#include "core/net/stream/tcp_receiving_end.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <numeric>
#include <thread>
#include <vector>

#include "core/net/stream/ordered_end_fixture.h"
#include "core/net/stream/tcp_sending_end.h"

namespace tactus::net {
namespace {

using namespace ordered;
using namespace std::chrono_literals;
using Sockets = std::pair<Descriptor, Descriptor>;

/// A sending and a receiving end of one connection.
struct Ends {
  Ends(Sockets sockets, const StreamContract& contract)
      : from(TcpSendingEnd::create(std::move(sockets.first), contract, nullptr, "film").value()),
        to(TcpReceivingEnd::create(std::move(sockets.second), kTestSession, contract).value()) {}
  std::unique_ptr<TcpSendingEnd> from;
  std::unique_ptr<TcpReceivingEnd> to;
};

/// Bytes of a peer that need not keep to anything.
std::vector<std::byte> recordOf(std::uint32_t number, std::size_t length) {
  std::vector<std::byte> bytes(kStreamHeaderSize + length);
  encode(headerOf(number, length), std::span(bytes).first<kStreamHeaderSize>());
  fillRecord(std::span(bytes).subspan(kStreamHeaderSize), number);
  return bytes;
}

void write(const Descriptor& socket, std::span<const std::byte> bytes) {
  ASSERT_EQ(send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
}

/// Buffers that come until the end, or until the stream breaks.
std::size_t takeAll(TcpReceivingEnd& end, std::vector<std::size_t> lengths) {
  Reader reader(end, std::move(lengths));
  while (!reader.done() && !end.broken() && waitForAny({reader.wait()})) reader.go();
  return reader.right();
}

TEST(TcpReceivingEnd, BuffersOfEachSizeComeAsTheyWere) {
  for (const std::size_t length : {1, 125, 1400, 65'537, 1 << 20}) {
    const std::vector<std::size_t> lengths(length < 10'000 ? 3000 : 20, length);
    Ends tcp(tcpPair(), contractOf(TransportKind::Tcp, length));
    EXPECT_EQ(carry(*tcp.from, *tcp.to, lengths), lengths.size() + 1);
    Ends local(socketPair(SOCK_STREAM), contractOf(TransportKind::Tcp, length));
    EXPECT_EQ(carry(*local.from, *local.to, lengths), lengths.size() + 1);
    EXPECT_EQ(tcp.to->figures(), (AssemblyFigures{.whole = lengths.size() + 1}));
    EXPECT_EQ(tcp.to->wait().descriptor, -1) << "nothing comes after the end";
  }
}

TEST(TcpReceivingEnd, BuffersOfAllSizesMix) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 2000; ++i) lengths.push_back(1 + i * i * 7919 % (i % 50 == 0 ? 300'000 : 3000));
  Ends ends(tcpPair(), contractOf(TransportKind::Tcp, 300'000));
  EXPECT_EQ(carry(*ends.from, *ends.to, lengths), 2001u);
}

TEST(TcpReceivingEnd, ABufferStaysUntilItsReleaseAndOthersArriveMeanwhile) {
  auto [here, there] = socketPair(SOCK_STREAM);
  const auto end =
      TcpReceivingEnd::create(std::move(there), kTestSession, contractOf(TransportKind::Tcp, 100)).value();
  const periodic::TimePoint first{1s};
  write(here, recordOf(0, 100));
  end->receive(first);
  const auto buffer = end->next(first);
  ASSERT_TRUE(buffer);
  EXPECT_FALSE(end->next(first)) << "one at a time";
  for (std::uint32_t i = 1; i <= 3; ++i) {
    EXPECT_EQ(end->wait().events, i < 3 ? POLLIN : 0) << "W + 1 buffers wait here";
    write(here, recordOf(i, 50));
    end->receive(first + i * 1s);
  }
  EXPECT_TRUE(isRecord(buffer->bytes, 0));
  EXPECT_EQ(buffer->arrived, first);
  end->release();
  for (std::uint32_t i = 1; i < 3; ++i) {
    EXPECT_EQ(end->wait().until, EndWait::atOnce().until) << "the next is here";
    const auto another = end->next(first + 9s);
    ASSERT_TRUE(another);
    EXPECT_EQ(another->arrived, first + i * 1s);
    end->release();
  }
  EXPECT_EQ(end->wait().events, POLLIN);
  EXPECT_FALSE(end->next(first + 9s));
}

TEST(TcpReceivingEnd, APeerThatClosesWhileABufferIsInUseBreaksItAfterwards) {
  auto [here, there] = socketPair(SOCK_STREAM);
  const auto end =
      TcpReceivingEnd::create(std::move(there), kTestSession, contractOf(TransportKind::Tcp, 100)).value();
  write(here, recordOf(0, 100));
  here = Descriptor();
  end->receive(now());
  ASSERT_TRUE(end->next(now()));
  end->receive(now());
  EXPECT_FALSE(end->broken());
  EXPECT_EQ(end->wait().descriptor, -1) << "nothing more comes";
  EXPECT_EQ(end->wait().until, periodic::TimePoint::max());
  end->release();
  EXPECT_TRUE(end->broken());
}

TEST(TcpReceivingEnd, APeerThatClosesBreaksItAfterWhatCame) {
  const auto record = recordOf(1, 100);
  for (std::size_t bytes = 0; bytes <= record.size(); ++bytes) {
    auto [here, there] = socketPair(SOCK_STREAM);
    const auto end =
        TcpReceivingEnd::create(std::move(there), kTestSession, contractOf(TransportKind::Tcp, 100)).value();
    write(here, recordOf(0, 7));
    if (bytes > 0) write(here, std::span(record).first(bytes));
    here = Descriptor();
    const bool isWhole = bytes == record.size();
    EXPECT_EQ(takeAll(*end, {7, 100}), isWhole ? 2u : 1u);
    ASSERT_TRUE(end->broken());
    EXPECT_EQ(end->broken()->sentence,
              isWhole      ? "The peer closed the stream before its end: buffer 2 was due."
              : bytes == 0 ? "The peer closed the stream before its end: buffer 1 was due."
                           : "The peer closed the stream inside buffer 1.");
    EXPECT_EQ(end->wait().descriptor, -1);
  }
}

TEST(TcpReceivingEnd, AConnectionThatIsResetBreaksIt) {
  auto [here, there] = tcpPair();
  const auto end =
      TcpReceivingEnd::create(std::move(there), kTestSession, contractOf(TransportKind::Tcp, 100)).value();
  const linger reset{.l_onoff = 1, .l_linger = 0};
  ASSERT_EQ(setsockopt(here.get(), SOL_SOCKET, SO_LINGER, &reset, sizeof reset), 0);
  here = Descriptor();
  EXPECT_EQ(takeAll(*end, {}), 0u);
  ASSERT_TRUE(end->broken());
  EXPECT_EQ(end->broken()->sentence, "The connection failed: Connection reset by peer.");
}

TEST(TcpReceivingEnd, WhatNoStreamSendsBreaksIt) {
  const auto sentence = [](std::vector<std::byte> bytes) -> std::string {
    auto [here, there] = socketPair(SOCK_STREAM);
    const auto end =
        TcpReceivingEnd::create(std::move(there), kTestSession, contractOf(TransportKind::Tcp, 100)).value();
    write(here, recordOf(0, 7));
    write(here, bytes);
    EXPECT_EQ(takeAll(*end, {7}), 1u) << "what came before is right";
    return end->broken() ? end->broken()->sentence : "";
  };
  EXPECT_EQ(sentence(recordOf(2, 100)), "The peer left out buffer 1.");
  EXPECT_EQ(sentence(recordOf(0, 7)), "The peer sent buffer 0 where buffer 1 was due.");
  EXPECT_EQ(sentence(recordOf(1, 101)), "The peer sent what is no buffer of this stream (length).");
  auto foreign = recordOf(1, 100);
  foreign[8] ^= std::byte{1};
  EXPECT_EQ(sentence(foreign), "The peer sent what is no buffer of this stream (session).");
  EXPECT_EQ(sentence(std::vector<std::byte>(40)), "The peer sent what is no buffer of this stream (magic).");
}

TEST(TcpReceivingEnd, AStreamThatIsNotReliableMayLeaveBuffersOut) {
  auto [here, there] = socketPair(SOCK_STREAM);
  const auto end =
      TcpReceivingEnd::create(std::move(there), kTestSession, contractOf(TransportKind::Tcp, 100, false))
          .value();
  write(here, recordOf(3, 7));
  write(here, recordOf(5, 0));
  Reader reader(*end, {});
  while (!reader.done() && waitForAny({reader.wait()})) reader.go();
  EXPECT_FALSE(end->broken());
  EXPECT_EQ(end->figures(), (AssemblyFigures{.whole = 2, .lost = 4}));
}

TEST(TcpReceivingEnd, NothingIsReadAfterTheEnd) {
  auto [here, there] = socketPair(SOCK_STREAM);
  const auto end =
      TcpReceivingEnd::create(std::move(there), kTestSession, contractOf(TransportKind::Tcp, 100)).value();
  write(here, recordOf(0, 0));
  write(here, std::vector<std::byte>(1000, std::byte{0xff}));
  EXPECT_EQ(takeAll(*end, {}), 1u);
  end->receive(now());
  EXPECT_FALSE(end->next(now()));
  EXPECT_FALSE(end->broken());
}

TEST(TcpReceivingEnd, RefusesWhatCarriesNoStream) {
  const auto code = [](Descriptor socket, const StreamContract& contract) {
    return TcpReceivingEnd::create(std::move(socket), kTestSession, contract).error().code;
  };
  EXPECT_EQ(
      code(Descriptor(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)), contractOf(TransportKind::Tcp, 100)),
      ErrorCode::InvalidArgument);
  EXPECT_EQ(code(tcpPair().first, contractOf(TransportKind::Udp, 100, false)), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(tcpPair().first, contractOf(TransportKind::Tcp, 0)), ErrorCode::InvalidArgument);
}

TEST(TcpEnds, SenderAndReaderAreThreads) {
  Ends ends(tcpPair(), contractOf(TransportKind::Tcp, 5000));
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 10'000; ++i) lengths.push_back(1 + i * 7919 % 5000);
  std::thread sending([&] {
    Writer writer(*ends.from, lengths);
    for (writer.go(); !writer.done() && waitForAny({writer.wait()});) writer.go();
  });
  EXPECT_EQ(takeAll(*ends.to, lengths), lengths.size() + 1);
  sending.join();
}

/// Passes bytes from one socket to another, a few at a time.
class CuttingProxy {
 public:
  CuttingProxy(Descriptor from, Descriptor to) : m_from(std::move(from)), m_to(std::move(to)) {}
  /// At most `most`, and `left` in all; then it closes both.
  void pass(std::size_t most) {
    std::array<std::byte, 5000> bytes{};
    most = std::min({most, left, bytes.size()});
    if (m_from && most > 0) {
      const auto came = recv(m_from.get(), bytes.data(), most, MSG_DONTWAIT | MSG_PEEK);
      if (came > 0) {
        const auto took =
            send(m_to.get(), bytes.data(), static_cast<std::size_t>(came), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (took > 0) {
          left -= static_cast<std::size_t>(took);
          (void)!recv(m_from.get(), bytes.data(), static_cast<std::size_t>(took), MSG_DONTWAIT);
        }
      }
    }
    if (left > 0) return;
    m_from = Descriptor();
    m_to = Descriptor();
  }
  std::size_t left = SIZE_MAX;

 private:
  Descriptor m_from, m_to;
};

/// A small buffer, so that both ends meet a full socket.
Sockets narrowPair() {
  auto pair = socketPair(SOCK_STREAM);
  const int bytes = 4096;
  setsockopt(pair.first.get(), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
  return pair;
}

RC_GTEST_PROP(TcpEndsProperty, HoweverBytesAreCutBuffersAreWholeAndAClosedConnectionIsTold, ()) {
  const std::size_t largest = *rc::gen::element<std::size_t>(1, 125, 3000, 20'000);
  std::vector<std::size_t> lengths(*rc::gen::element<std::size_t>(1, 5, 30));
  for (std::size_t& each : lengths) each = *rc::gen::element<std::size_t>(1, largest / 2 + 1, largest);
  const std::size_t all = std::accumulate(lengths.begin(), lengths.end(), std::size_t{0}) +
                          (lengths.size() + 1) * kStreamHeaderSize;
  auto outer = narrowPair();
  auto inner = narrowPair();
  const auto contract = contractOf(TransportKind::Tcp, largest);
  CuttingProxy proxy(std::move(outer.second), std::move(inner.first));
  const bool closes = *rc::gen::arbitrary<bool>();
  if (closes) proxy.left = *rc::gen::inRange<std::size_t>(0, all);
  // How many buffers pass before it closes.
  std::size_t whole = 0;
  for (std::size_t bytes = 0; whole < lengths.size(); ++whole)
    if ((bytes += kStreamHeaderSize + lengths[whole]) > proxy.left) break;
  Ends ends({std::move(outer.first), std::move(inner.second)}, contract);
  Writer writer(*ends.from, lengths);
  Reader reader(*ends.to, lengths);
  const std::size_t most = std::max(all / 1000, *rc::gen::element<std::size_t>(1, 7, 33, 1000, 5000));
  const std::size_t steps = 1000 * (all / most + 1);
  for (std::size_t step = 0; !reader.done() && !ends.to->broken(); ++step) {
    RC_ASSERT(step < steps);
    if (step % 3 == 0) writer.go();
    proxy.pass(1 + step * 7919 % most);
    if (step % 2 == 0) reader.go();
  }
  RC_ASSERT(reader.done() == !closes);
  RC_ASSERT(reader.right() == (closes ? whole : whole + 1));
}

}  // namespace
}  // namespace tactus::net
