// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_sending_end.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/net/stream/local_receiving_end.h"
#include "core/net/stream/ordered_end_fixture.h"

namespace tactus::net {
namespace {

using namespace ordered;
/// A sending end, and a reader of its ring that may do as it likes.
struct Bench {
  explicit Bench(const StreamContract& contract)
      : made(LocalRing::create(LocalSendingEnd::capacityFor(contract)).value()),
        opened(LocalRing::open(copiesOf(made), made.capacity()).value()),
        reader(opened),
        end(LocalSendingEnd::create(std::move(made), contract).value()) {}
  [[nodiscard]] RingHeader& header() const { return *reinterpret_cast<RingHeader*>(opened.memory().data()); }
  std::uint32_t fillUp(std::size_t length) const {
    std::uint32_t number = 0;
    while (sendBuffer(*end, number, length)) ++number;
    return number;
  }

  LocalRing made, opened;
  LocalRingReader reader;
  std::unique_ptr<LocalSendingEnd> end;
};

TEST(LocalSendingEnd, ABufferIsInTheRingOnceItIsSent) {
  const Bench bench(contractOf(TransportKind::Local, 100));
  EXPECT_EQ(bench.end->room().size(), 100u);
  EXPECT_EQ(bench.end->room().data(), bench.end->room().data());
  ASSERT_TRUE(sendBuffer(*bench.end, 0, 60));
  EXPECT_TRUE(bench.end->isEmpty());
  std::vector<std::byte> record(200);
  ASSERT_EQ(LocalRingReader(bench.opened).take(record), 92u);
  const auto piece = decode(std::span(record).first(92), {kTestSession, 100, 100});
  ASSERT_TRUE(piece.ok());
  EXPECT_EQ(piece.value().header, headerOf(0, 60));
  EXPECT_TRUE(isRecord(piece.value().bytes, 0));
  EXPECT_EQ(bench.end->figures().sent, 1u);
  EXPECT_EQ(bench.end->figures().sentBytes, 60u);
}

TEST(LocalSendingEnd, AsManyBuffersFitAsTheContractSays) {
  const Bench bench(contractOf(TransportKind::Local, 100'000));
  EXPECT_GE(bench.fillUp(100'000), 3u);
}

TEST(LocalSendingEnd, AReaderThatStopsLeavesItWithoutRoom) {
  Bench bench(contractOf(TransportKind::Local, 50'000));
  const std::uint32_t sent = bench.fillUp(50'000);
  const EndWait full = bench.end->wait();
  EXPECT_EQ(full.events, POLLIN);
  EXPECT_FALSE(readable(full.descriptor, 0));
  while (!bench.reader.next().empty()) bench.reader.release();
  EXPECT_TRUE(waitForAny({full}));
  EXPECT_TRUE(sendBuffer(*bench.end, sent, 50'000));
  EXPECT_EQ(bench.end->wait().descriptor, -1);
}

TEST(LocalSendingEnd, RoomThatCameBeforeTheWaitIsNotWaitedFor) {
  Bench bench(contractOf(TransportKind::Local, 50'000));
  (void)bench.fillUp(50'000);
  while (!bench.reader.next().empty()) bench.reader.release();
  EXPECT_EQ(bench.end->wait().until, EndWait::atOnce().until);
}

TEST(LocalSendingEnd, TheEndWaitsForRoomAndNothingFollowsIt) {
  // Two records of the ring's size fill it; the end has no room.
  const auto contract = contractOf(TransportKind::Local, 1000);
  LocalRing made = LocalRing::create(2 * placeOf(kStreamHeaderSize + 1000)).value();
  const LocalRing opened = LocalRing::open(copiesOf(made), made.capacity()).value();
  const std::size_t spare = made.capacity() - 2 * placeOf(kStreamHeaderSize + 1000);
  LocalRingReader reader(opened);
  const auto end = LocalSendingEnd::create(std::move(made), contract).value();
  ASSERT_LT(spare, placeOf(kStreamHeaderSize));
  ASSERT_TRUE(sendBuffer(*end, 0, 1000));
  ASSERT_TRUE(sendBuffer(*end, 1, 1000));
  end->send(headerOf(2, 0));
  EXPECT_FALSE(end->isEmpty());
  EXPECT_TRUE(end->room().empty());
  const EndWait full = end->wait();
  ASSERT_EQ(reader.next().size(), kStreamHeaderSize + 1000);
  reader.release();
  EXPECT_TRUE(waitForAny({full}));
  end->flush();
  EXPECT_TRUE(end->isEmpty());
  EXPECT_TRUE(end->room().empty());
  end->send(headerOf(3, 0));
  EXPECT_EQ(end->figures().failed, 1u) << "nothing follows the end";
  EXPECT_EQ(end->figures().sent, 3u);
  ASSERT_FALSE(reader.next().empty());
  reader.release();
  EXPECT_EQ(reader.next().size(), kStreamHeaderSize);
  reader.release();
  EXPECT_TRUE(reader.next().empty());
  EXPECT_EQ(reader.state(), RingState::Ended);
}

TEST(LocalSendingEnd, APeerThatWritesWhatCannotBeBreaksIt) {
  const Bench bench(contractOf(TransportKind::Local, 50'000));
  (void)bench.fillUp(50'000);
  bench.header().read = 1 << 20;
  EXPECT_TRUE(bench.end->room().empty());
  ASSERT_TRUE(bench.end->broken());
  EXPECT_EQ(bench.end->broken()->sentence, "The peer wrote into the shared memory what no stream writes.");
  bench.end->send(headerOf(9, 0));
  EXPECT_EQ(bench.end->figures().failed, 1u);
  EXPECT_EQ(bench.end->wait().until, EndWait::atOnce().until) << "there is something to look at";
}

TEST(LocalSendingEnd, RefusesAContractThatDoesNotFit) {
  const auto contract = contractOf(TransportKind::Local, 1000);
  const auto code = [](std::size_t capacity, const StreamContract& wanted) {
    return LocalSendingEnd::create(LocalRing::create(capacity).value(), wanted).error().code;
  };
  EXPECT_EQ(code(1024, contract), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(65536, contractOf(TransportKind::Tcp, 1000)), ErrorCode::InvalidArgument);
  EXPECT_EQ(code(65536, contractOf(TransportKind::Local, 0)), ErrorCode::InvalidArgument);
  EXPECT_TRUE(LocalSendingEnd::create(LocalRing::create(1088).value(), contract).ok());
}

}  // namespace
}  // namespace tactus::net
