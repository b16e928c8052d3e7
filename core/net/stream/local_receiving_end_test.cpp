// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_receiving_end.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

#include "core/net/stream/local_sending_end.h"
#include "core/net/stream/ordered_end_fixture.h"

namespace tactus::net {
namespace {

using namespace ordered;
using namespace std::chrono_literals;

/// Both ends of a ring, each with a mapping of its own as in two processes.
struct Ends {
  explicit Ends(const StreamContract& contract) {
    LocalRing made = LocalRing::create(LocalSendingEnd::capacityFor(contract)).value();
    LocalRing opened = LocalRing::open(copiesOf(made), made.capacity()).value();
    memory = made.memory();
    from = LocalSendingEnd::create(std::move(made), contract).value();
    to = LocalReceivingEnd::create(std::move(opened), kTestSession, contract).value();
  }
  std::span<std::byte> memory;
  std::unique_ptr<LocalSendingEnd> from;
  std::unique_ptr<LocalReceivingEnd> to;
};

/// A receiving end, and a writer of its ring that may do as it likes.
struct Hostile {
  explicit Hostile(const StreamContract& contract)
      : made(LocalRing::create(LocalSendingEnd::capacityFor(contract)).value()),
        writer(made),
        end(LocalReceivingEnd::create(LocalRing::open(copiesOf(made), made.capacity()).value(), kTestSession,
                                      contract)
                .value()) {}
  void write(const StreamHeader& header, std::size_t length) {
    const auto room = writer.room(kStreamHeaderSize + length);
    ASSERT_FALSE(room.empty());
    encode(header, room.first<kStreamHeaderSize>());
    fillRecord(room.subspan(kStreamHeaderSize), header.number);
    writer.commit(room.size());
  }
  std::size_t take(const std::vector<std::size_t>& lengths) const {
    Reader reader(*end, lengths);
    while (!reader.done() && !end->broken() && waitForAny({reader.wait()})) reader.go();
    return reader.right();
  }
  LocalRing made;
  LocalRingWriter writer;
  std::unique_ptr<LocalReceivingEnd> end;
};

TEST(LocalReceivingEnd, BuffersOfEachSizeComeAsTheyWere) {
  for (const std::size_t length : {1, 125, 1400, 65'537, 1 << 20}) {
    const std::vector<std::size_t> lengths(length < 10'000 ? 3000 : 20, length);
    const Ends ends(contractOf(TransportKind::Local, length));
    EXPECT_EQ(carry(*ends.from, *ends.to, lengths), lengths.size() + 1);
    EXPECT_EQ(ends.to->figures(), (AssemblyFigures{.whole = lengths.size() + 1}));
    EXPECT_EQ(ends.to->wait().descriptor, -1) << "nothing comes after the end";
    EXPECT_EQ(ends.to->wait().until, periodic::TimePoint::max());
  }
}

TEST(LocalReceivingEnd, SenderAndReaderAreThreads) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = 0; i < 20'000; ++i) lengths.push_back(1 + i * 7919 % (i % 100 == 0 ? 20'000 : 1000));
  const Ends ends(contractOf(TransportKind::Local, 20'000));
  std::thread sending([&] {
    Writer writer(*ends.from, lengths);
    for (writer.go(); !writer.done() && waitForAny({writer.wait()});) writer.go();
  });
  Reader reader(*ends.to, lengths);
  for (reader.go(); !reader.done() && waitForAny({reader.wait()});) reader.go();
  sending.join();
  EXPECT_EQ(reader.right(), lengths.size() + 1);
}

TEST(LocalReceivingEnd, ABufferThatWasGivenNoLongerChanges) {
  const Ends ends(contractOf(TransportKind::Local, 100));
  ASSERT_TRUE(sendBuffer(*ends.from, 0, 100));
  const periodic::TimePoint instant{5s};
  const auto buffer = ends.to->next(instant);
  ASSERT_TRUE(buffer);
  std::memset(ends.memory.data() + sizeof(RingHeader), 0xff, 200);
  EXPECT_TRUE(isRecord(buffer->bytes, 0));
  EXPECT_EQ(buffer->arrived, instant);
  EXPECT_FALSE(ends.to->next(instant)) << "one at a time";
}

TEST(LocalReceivingEnd, WaitsOnlyWhereNothingHasCome) {
  const Ends ends(contractOf(TransportKind::Local, 100));
  EXPECT_FALSE(ends.to->next(now()));
  const EndWait empty = ends.to->wait();
  EXPECT_EQ(empty.events, POLLIN);
  EXPECT_FALSE(readable(empty.descriptor, 0));
  ASSERT_TRUE(sendBuffer(*ends.from, 0, 100));
  EXPECT_TRUE(waitForAny({empty}));
  EXPECT_EQ(ends.to->wait().until, EndWait::atOnce().until);
  ASSERT_TRUE(ends.to->next(now()));
  EXPECT_EQ(ends.to->wait().events, POLLIN) << "others may arrive meanwhile";
}

TEST(LocalReceivingEnd, BuffersArriveWhileOneIsInUse) {
  const Ends ends(contractOf(TransportKind::Local, 100));
  const periodic::TimePoint first{1s};
  ASSERT_TRUE(sendBuffer(*ends.from, 0, 100));
  const auto buffer = ends.to->next(first);
  ASSERT_TRUE(buffer);
  EXPECT_EQ(buffer->arrived, first);
  for (std::uint32_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(sendBuffer(*ends.from, i, 100));
    ends.to->receive(first + i * 1s);
  }
  EXPECT_EQ(ends.to->wait().until, periodic::TimePoint::max()) << "W + 1 wait here";
  EXPECT_EQ(ends.to->wait().descriptor, -1);
  EXPECT_TRUE(isRecord(buffer->bytes, 0));
  ends.to->release();
  for (const auto arrived : {first + 1s, first + 2s, first + 9s}) {
    EXPECT_EQ(ends.to->wait().until, EndWait::atOnce().until);
    const auto another = ends.to->next(first + 9s);
    ASSERT_TRUE(another);
    EXPECT_EQ(another->arrived, arrived);
    EXPECT_TRUE(isRecord(another->bytes, another->number));
    ends.to->release();
  }
}

TEST(LocalReceivingEnd, ASenderThatGoesBreaksItAfterWhatCame) {
  Ends ends(contractOf(TransportKind::Local, 100));
  ASSERT_TRUE(sendBuffer(*ends.from, 0, 100));
  ends.from.reset();
  Reader reader(*ends.to, {100});
  for (int i = 0; i < 2; ++i) reader.go();
  EXPECT_EQ(reader.right(), 1u);
  ASSERT_TRUE(ends.to->broken());
  EXPECT_EQ(ends.to->broken()->sentence, "The peer closed the stream before its end: buffer 1 was due.");
}

TEST(LocalReceivingEnd, WhatNoStreamSendsBreaksIt) {
  const auto sentence = [](const StreamHeader& header, std::size_t length) {
    Hostile bench(contractOf(TransportKind::Local, 100));
    bench.write(headerOf(0, 7), 7);
    bench.write(header, length);
    EXPECT_EQ(bench.take({7}), 1u) << "what came before is right";
    return bench.end->broken() ? bench.end->broken()->sentence : "";
  };
  auto foreign = headerOf(1, 50);
  foreign.session = 1;
  EXPECT_EQ(sentence(foreign, 50), "The peer sent what is no buffer of this stream (session).");
  EXPECT_EQ(sentence(headerOf(1, 50), 49), "The peer sent what is no buffer of this stream (size).");
  EXPECT_EQ(sentence(headerOf(1, 101), 101), "The peer sent what is no buffer of this stream (length).");
  EXPECT_EQ(sentence(headerOf(2, 50), 50), "The peer left out buffer 1.");
}

TEST(LocalReceivingEnd, ARecordThatIsShorterThanAHeaderBreaksIt) {
  Hostile bench(contractOf(TransportKind::Local, 100));
  ASSERT_FALSE(bench.writer.room(5).empty());
  bench.writer.commit(5);
  EXPECT_EQ(bench.take({}), 0u);
  EXPECT_EQ(bench.end->broken()->sentence, "The peer sent what is no buffer of this stream (too short).");
}

RC_GTEST_PROP(LocalEndsProperty, ScribblingOverTheRingBreaksItOrChangesBytes, ()) {
  const Ends ends(contractOf(TransportKind::Local, 3000));
  const std::size_t used = 20'000;
  std::uint32_t number = 0;
  std::size_t taken = 0;
  for (int step = 0; step < 60 && !ends.to->broken() && !ends.from->broken(); ++step) {
    if (*rc::gen::element(0, 1) == 0 && sendBuffer(*ends.from, number, 1 + number * 97 % 3000)) ++number;
    if (*rc::gen::element(0, 1, 2, 3) == 0) {
      const auto at = *rc::gen::oneOf(rc::gen::inRange<std::size_t>(64, sizeof(RingHeader) + 100),
                                      rc::gen::inRange<std::size_t>(0, used));
      ends.memory[at] = *rc::gen::element(std::byte{0}, std::byte{1}, std::byte{8}, std::byte{0xff});
    }
    if (const auto buffer = ends.to->next(now())) {
      RC_ASSERT(buffer->bytes.size() <= 3000);
      ++taken;
    }
    ends.to->release();
  }
  RC_ASSERT(ends.to->figures().whole == taken);
  (void)ends.to->wait();
  (void)ends.from->wait();
}

}  // namespace
}  // namespace tactus::net
