// SPDX-License-Identifier: Apache-2.0
// A writer's and a reader's loop with their threads and the ends of each transport. Nothing depends on how
// fast a thread answers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <semaphore>
#include <stdexcept>

#include "core/net/port/port_thread_fixture.h"
#include "core/net/port/read_loop.h"
#include "core/net/port/write_loop.h"
#include "core/net/stream/local_receiving_end.h"
#include "core/net/stream/local_sending_end.h"
#include "core/net/stream/ordered_end_fixture.h"
#include "core/net/stream/tcp_receiving_end.h"
#include "core/net/stream/tcp_sending_end.h"
#include "core/net/stream/udp_end_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using ordered::kTestSession;
using periodic::MonotonicClock;
using periodic::Rate;
using periodic::TimePoint;

/// Buffers of a test: fewer are on their way over UDP, which would lose what the kernel does not hold.
constexpr std::size_t kLargest = 500;
constexpr std::ptrdiff_t kMostOnTheWay = 100;

/// Nothing that comes late is given up.
StreamContract patient(TransportKind transport, std::optional<Rate> rate = {}) {
  StreamContract contract;
  contract.transport = transport;
  contract.largestBuffer = kLargest;
  contract.rate = rate;
  contract.workahead = 4;
  contract.reliable = transport != TransportKind::Udp;
  contract.latency = 1h;
  contract.jitter = StreamContract::kLargestJitter * periodOf(contract);
  return contract;
}

std::size_t lengthOf(std::uint32_t number) {
  return 1 + number * 37 % kLargest;
}

/// Both ends, connected.
struct Ends {
  explicit Ends(const StreamContract& contract, LinkTask* link = nullptr) {
    if (contract.transport == TransportKind::Udp) {
      Descriptor to = loopbackSocket();
      sending = UdpSendingEnd::create(loopbackSocket(), addressOf(to), contract, link, "test").value();
      receiving = UdpReceivingEnd::create(std::move(to), kTestSession, contract).value();
    } else if (contract.transport == TransportKind::Tcp) {
      auto pair = ordered::tcpPair();
      sending = TcpSendingEnd::create(std::move(pair.first), contract, link, "test").value();
      receiving = TcpReceivingEnd::create(std::move(pair.second), kTestSession, contract).value();
    } else {
      LocalRing ring = LocalRing::create(LocalSendingEnd::capacityFor(contract)).value();
      LocalRing same = LocalRing::open(copiesOf(ring), std::size_t{64} << 20).value();
      sending = LocalSendingEnd::create(std::move(ring), contract).value();
      receiving = LocalReceivingEnd::create(std::move(same), kTestSession, contract).value();
    }
  }
  std::unique_ptr<SendingEnd> sending;
  std::unique_ptr<ReceivingEnd> receiving;
};

/// A writer of `count` buffers and a reader that checks them.
class Ports {
 public:
  Ports(const StreamContract& contract, std::uint32_t count, LinkTask* link = nullptr)
      : ends(contract, link),
        m_count(count),
        m_udp(contract.transport == TransportKind::Udp),
        write(contract, kTestSession, m_fill, *ends.sending),
        read(contract, m_check, *ends.receiving, MonotonicClock::now()),
        writer(m_scheduler.thread(contract, PortType::Write, writerEnded)),
        reader(m_scheduler.thread(contract, PortType::Read, readerEnded)) {}

  /// Buffers that were right and in their order.
  [[nodiscard]] std::uint32_t right() const { return m_right.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint32_t filled() const { return m_filled.load(std::memory_order_relaxed); }

  Ends ends;
  Happening writerEnded, readerEnded, written, delivered;
  std::function<void()> inWriter = {}, inReader = {};

 private:
  std::optional<std::size_t> fill(std::span<std::byte> room) {
    if (inWriter) inWriter();
    const std::uint32_t number = m_filled.load(std::memory_order_relaxed);
    if (number == m_count) return std::nullopt;
    if (m_udp && !m_credit.try_acquire()) return 0;
    m_filled.store(number + 1, std::memory_order_relaxed);
    const std::size_t length = lengthOf(number);
    fillRecord(room.first(length), number);
    written.happen();
    return length;
  }
  void check(const StreamBuffer& buffer) {
    if (inReader) inReader();
    const std::uint32_t number = m_right.load(std::memory_order_relaxed);
    const bool isRight =
        buffer.number == number && buffer.bytes.size() == lengthOf(number) && isRecord(buffer.bytes, number);
    EXPECT_TRUE(isRight) << buffer.number << " instead of " << number;
    if (isRight) m_right.store(number + 1, std::memory_order_relaxed);
    if (m_udp) m_credit.release();
    delivered.happen();
  }

  const std::uint32_t m_count;
  const bool m_udp;
  std::atomic<std::uint32_t> m_filled{0}, m_right{0};
  std::counting_semaphore<> m_credit{kMostOnTheWay};
  const WriteHandler m_fill = [this](std::span<std::byte> room) { return fill(room); };
  const ReadHandler m_check = [this](const StreamBuffer& buffer) { check(buffer); };
  PortScheduler m_scheduler;

 public:
  WriteLoop write;
  ReadLoop read;
  std::unique_ptr<PortThread> writer, reader;  // declared last: they go first
};

class PortLoops : public testing::TestWithParam<TransportKind> {
 protected:
  static void expectEnd(Ports& ports) {
    ASSERT_TRUE(ports.writerEnded.await());
    ASSERT_TRUE(ports.readerEnded.await());
    const auto writer = ports.writer->takeEnded(), reader = ports.reader->takeEnded();
    ASSERT_TRUE(writer && reader);
    EXPECT_TRUE(writer->byStream) << writer->sentence;
    EXPECT_TRUE(reader->byStream) << reader->sentence;
    EXPECT_EQ(ports.writerEnded.count(), 1u);
    EXPECT_EQ(ports.readerEnded.count(), 1u);
    EXPECT_EQ(ports.write.buffers(), ports.right());
    EXPECT_EQ(ports.read.figures().received, ports.right());
    EXPECT_EQ(ports.read.figures().lost, 0u);
  }
};

INSTANTIATE_TEST_SUITE_P(Over, PortLoops,
                         testing::Values(TransportKind::Udp, TransportKind::Tcp, TransportKind::Local),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

TEST_P(PortLoops, EveryByteOfThousandsOfBuffersArrivesInOrder) {
  Ports ports(patient(GetParam()), 5000);
  ports.reader->go(ports.read);
  ports.writer->go(ports.write);
  expectEnd(ports);
  EXPECT_EQ(ports.right(), 5000u);
}

TEST_P(PortLoops, BuffersWithARateArriveInOrder) {
  Ports ports(patient(GetParam(), Rate::perSecond(2000)), 500);
  const TimePoint begin = MonotonicClock::now();
  ports.reader->go(ports.read);
  ports.writer->go(ports.write);
  expectEnd(ports);
  EXPECT_EQ(ports.right(), 500u);
  EXPECT_GE(MonotonicClock::now() - begin, 496 * 500us) << "in any time t no more than W + t * rate";
}

TEST_P(PortLoops, BuffersArriveThroughALinkWithARateAndWithout) {
  for (const auto rate : {std::optional<Rate>(), std::optional(Rate::perSecond(2000))}) {
    TestLink link(BitRate::perSecond(50'000'000));
    Ports ports(patient(GetParam(), rate), 300, link.get());
    ports.reader->go(ports.read);
    ports.writer->go(ports.write);
    expectEnd(ports);
    EXPECT_EQ(ports.right(), 300u);
  }
}

/// Halts writer and reader in turns, and lets them go on, while `buffers` pass; how often.
void haltBoth(TransportKind kind, std::uint32_t buffers, std::size_t& halts) {
  Ports ports(patient(kind), buffers);
  ports.reader->go(ports.read);
  ports.writer->go(ports.write);
  for (; halts < 300 && ports.writerEnded.count() + ports.readerEnded.count() == 0; ++halts) {
    PortThread& thread = halts % 2 == 0 ? *ports.writer : *ports.reader;
    ASSERT_TRUE(thread.halt(kLongest));
    thread.go(halts % 2 == 0 ? static_cast<PortLoop&>(ports.write) : ports.read);
    const bool goesOn = halts % 10 != 0 || ports.delivered.await(halts);
    ASSERT_TRUE(goesOn);
  }
  ASSERT_TRUE(ports.delivered.await(buffers));
  EXPECT_EQ(ports.right(), buffers);
  EXPECT_EQ(ports.read.figures().lost, 0u);
}

TEST_P(PortLoops, HaltsAndGoesOfBothLoseNothing) {
  std::size_t halts = 0;
  // Without a rate all may have passed before the first halt, where this thread gets no turn.
  for (std::uint32_t buffers = 3000; halts == 0 && buffers < 1'000'000; buffers *= 4)
    ASSERT_NO_FATAL_FAILURE(haltBoth(GetParam(), buffers, halts));
  EXPECT_GT(halts, 0u);
}

TEST_P(PortLoops, AReaderThatWaitsForDataIsHaltedAndDeleted) {
  Ports ports(patient(GetParam(), Rate::perSecond(50)), 1);
  ports.reader->go(ports.read);
  // Once it waits, an hour without data is silence.
  while (!ports.read.isSilent(MonotonicClock::now() + 1h)) std::this_thread::yield();
  EXPECT_TRUE(ports.reader->halt(kLongest));
  EXPECT_FALSE(ports.read.isSilent(MonotonicClock::now() + 1h)) << "nobody waits";
  ports.reader->go(ports.read);
  while (!ports.read.isSilent(MonotonicClock::now() + 1h)) std::this_thread::yield();
  ports.reader.reset();
  EXPECT_EQ(ports.readerEnded.count(), 0u);
}

TEST_P(PortLoops, AHandlerThatBlocksHoldsAHaltUp) {
  Ports ports(patient(GetParam()), 3);
  Happening blocks, let;
  ports.inReader = [&, first = true]() mutable {
    if (!std::exchange(first, false)) return;
    blocks.happen();
    EXPECT_TRUE(let.await());
  };
  ports.reader->go(ports.read);
  ports.writer->go(ports.write);
  ASSERT_TRUE(blocks.await());
  EXPECT_FALSE(ports.reader->halt(0s));
  EXPECT_FALSE(ports.read.isSilent(MonotonicClock::now() + 1h)) << "the handler runs";
  let.happen();
  EXPECT_TRUE(ports.reader->halt(kLongest));
  EXPECT_EQ(ports.right(), 1u);
  ports.reader->go(ports.read);
  expectEnd(ports);
  EXPECT_EQ(ports.right(), 3u);
}

TEST_P(PortLoops, AHandlerThatThrowsEndsItsLoopAndAnotherGoesOn) {
  Ports ports(patient(GetParam()), 100);
  ports.inReader = [&] {
    if (ports.right() == 50 && ports.readerEnded.count() == 0) throw std::runtime_error("no loudspeaker");
  };
  ports.inWriter = [&] {
    if (ports.filled() == 70 && ports.writerEnded.count() == 0) throw 70;
  };
  ports.reader->go(ports.read);
  ports.writer->go(ports.write);
  ASSERT_TRUE(ports.writerEnded.await());
  EXPECT_EQ(ports.writer->takeEnded().value().sentence, "The handler threw what is no exception.");
  ASSERT_TRUE(ports.readerEnded.await());
  EXPECT_EQ(ports.reader->takeEnded().value().sentence, "The handler threw: no loudspeaker.");
  EXPECT_EQ(ports.right(), 50u);
  std::uint32_t next = 51;  // the one that it was given is gone
  Happening all;
  const ReadHandler handler = [&](const StreamBuffer& buffer) {
    EXPECT_EQ(buffer.number, next++);
    if (next == 100) all.happen();
  };
  ReadLoop other(patient(GetParam()), handler, *ports.ends.receiving, MonotonicClock::now());
  ports.reader->go(other);
  ports.writer->go(ports.write);
  EXPECT_TRUE(all.await());
  EXPECT_TRUE(ports.readerEnded.await(2));
  EXPECT_TRUE(ports.reader->takeEnded().value().byStream);
  EXPECT_TRUE(ports.reader->halt(kLongest));
}

TEST_P(PortLoops, ASenderBeyondItsContractIsReadByTheContract) {
  StreamContract contract = patient(GetParam(), Rate::perSecond(500));
  contract.workahead = 2;
  Ends ends(contract);
  constexpr std::uint32_t kCount = 40;
  std::vector<TimePoint> calls;
  Happening done, ended;
  PortScheduler scheduler;
  const ReadHandler handler = [&](const StreamBuffer& buffer) {
    EXPECT_EQ(buffer.number, calls.size());
    calls.push_back(MonotonicClock::now());
    if (calls.size() == kCount) done.happen();
  };
  ReadLoop read(contract, handler, *ends.receiving, MonotonicClock::now());
  const auto reader = scheduler.thread(contract, PortType::Read, ended);
  reader->go(read);
  // Once it waits, all comes at once.
  while (!read.isSilent(MonotonicClock::now() + 1h)) std::this_thread::yield();
  const TimePoint begin = MonotonicClock::now();
  for (std::uint32_t i = 0; i < kCount; ++i) {
    for (ends.sending->flush(); !ordered::sendBuffer(*ends.sending, i, lengthOf(i)); ends.sending->flush())
      ASSERT_TRUE(ordered::waitForAny({ends.sending->wait()}));
    ends.sending->flush();
  }
  for (; !ends.sending->isEmpty(); ends.sending->flush())
    ASSERT_TRUE(ordered::waitForAny({ends.sending->wait()}));
  ASSERT_TRUE(done.await());
  ASSERT_TRUE(reader->halt(kLongest));
  for (std::size_t i = 0; i < calls.size(); ++i)
    EXPECT_GE(calls[i] - begin, (static_cast<int>(i) - 1) * 2ms) << "at most W + t * rate within t";
}

TEST_P(PortLoops, ALivePairIsDeleted) {
  for (int i = 0; i < 20; ++i) {
    Ports ports(patient(GetParam()), UINT32_MAX);
    ports.reader->go(ports.read);
    ports.writer->go(ports.write);
    ASSERT_TRUE(ports.delivered.await(10));
  }
}

class OrderedPortLoops : public PortLoops {};
INSTANTIATE_TEST_SUITE_P(Over, OrderedPortLoops, testing::Values(TransportKind::Tcp, TransportKind::Local),
                         [](const auto& each) { return std::string(nameOf(each.param)); });

TEST_P(OrderedPortLoops, AWriterWhoseReaderTakesNothingIsHaltedAndLosesNothing) {
  StreamContract contract = patient(GetParam());
  contract.largestBuffer = 100'000;
  Ends ends(contract);
  Happening filled, writerEnded, readerEnded;
  std::uint32_t made = 0, right = 0;
  const WriteHandler make = [&](std::span<std::byte> room) -> std::optional<std::size_t> {
    if (made == 300) return std::nullopt;
    fillRecord(room, made++);
    filled.happen();
    return room.size();
  };
  const ReadHandler take = [&](const StreamBuffer& buffer) {
    EXPECT_TRUE(isRecord(buffer.bytes, buffer.number));
    if (buffer.number == right) ++right;
  };
  WriteLoop write(contract, kTestSession, make, *ends.sending);
  ReadLoop read(contract, take, *ends.receiving, MonotonicClock::now());
  PortScheduler scheduler;
  const auto writer = scheduler.thread(contract, PortType::Write, writerEnded);
  const auto reader = scheduler.thread(contract, PortType::Read, readerEnded);
  // What is on its way is bounded: 30 MB are not.
  for (int i = 0; i < 50; ++i) {
    writer->go(write);
    ASSERT_TRUE(filled.await(1));
    ASSERT_TRUE(writer->halt(kLongest));
  }
  EXPECT_LT(made, 300u);
  writer->go(write);
  reader->go(read);
  ASSERT_TRUE(readerEnded.await());
  const auto ended = reader->takeEnded();
  ASSERT_TRUE(ended.has_value());
  EXPECT_TRUE(ended->byStream) << ended->sentence;
  ASSERT_TRUE(writerEnded.await());
  EXPECT_EQ(right, 300u);
  EXPECT_TRUE(reader->halt(kLongest));
  EXPECT_TRUE(writer->halt(kLongest));
}

TEST_P(OrderedPortLoops, APeerThatClosesEndsTheLoopAfterWhatHadCome) {
  Ports ports(patient(GetParam()), UINT32_MAX);
  ports.inWriter = [&] {
    if (ports.filled() == 50) throw 50;
  };
  ports.writer->go(ports.write);
  ASSERT_TRUE(ports.writerEnded.await());
  EXPECT_TRUE(ports.writer->halt(kLongest));
  ports.ends.sending.reset();
  ports.reader->go(ports.read);
  ASSERT_TRUE(ports.readerEnded.await());
  const auto ended = ports.reader->takeEnded();
  ASSERT_TRUE(ended.has_value());
  EXPECT_FALSE(ended->byStream);
  EXPECT_EQ(ended->sentence, "The peer closed the stream before its end: buffer 50 was due.");
  EXPECT_EQ(ports.right(), 50u);
  EXPECT_EQ(ports.readerEnded.count(), 1u);
}

}  // namespace
}  // namespace tactus::net
