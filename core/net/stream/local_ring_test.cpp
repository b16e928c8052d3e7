// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>

#include "core/net/stream/local_ring_fixture.h"
#include "core/net/stream/local_ring_reader.h"
#include "core/net/stream/local_ring_writer.h"
#include "core/net/stream/wake_up.h"

namespace tactus::net {
namespace {

/// Both ends of a ring, each with a mapping of its own as in two processes.
struct Bench {
  explicit Bench(std::size_t capacity)
      : made(LocalRing::create(capacity)), opened(LocalRing::open(copiesOf(made.value()), capacity + 64)) {}
  bool write(std::size_t bytes, std::uint64_t number) {
    const auto room = writer.room(bytes);
    if (room.empty()) return false;
    fillRecord(room, number);
    writer.commit(bytes);
    return true;
  }
  bool read(std::size_t bytes, std::uint64_t number) {
    const auto record = reader.next();
    const bool right = record.size() == bytes && isRecord(record, number);
    reader.release();
    return right;
  }
  [[nodiscard]] RingHeader& header() const {
    return *reinterpret_cast<RingHeader*>(made.value().memory().data());
  }
  [[nodiscard]] std::uint64_t& wordAt(std::size_t offset) const {
    return *reinterpret_cast<std::uint64_t*>(made.value().memory().data() + sizeof(RingHeader) + offset);
  }

  Result<LocalRing> made, opened;
  LocalRingWriter writer{made.value()};
  LocalRingReader reader{opened.value()};
};

TEST(LocalRing, RecordsComeInOrderWithTheirSizes) {
  Bench bench(1024);
  for (std::uint64_t number = 0; number < 200; ++number) {
    ASSERT_TRUE(bench.write(1 + number, number));
    ASSERT_TRUE(bench.write(7, number));
    ASSERT_TRUE(bench.read(1 + number, number));
    ASSERT_TRUE(bench.read(7, number));
    ASSERT_TRUE(bench.reader.next().empty());
    ASSERT_EQ(bench.reader.state(), RingState::Empty);
  }
}

TEST(LocalRing, IsFullUntilARecordIsReleased) {
  Bench bench(64);  // four records of a word
  for (std::uint64_t number = 0; number < 4; ++number) EXPECT_TRUE(bench.write(8, number));
  EXPECT_FALSE(bench.write(8, 4));
  EXPECT_EQ(bench.writer.state(), RingState::Full);
  EXPECT_FALSE(bench.reader.next().empty());
  EXPECT_FALSE(bench.write(8, 4)) << "the reader still has it";
  bench.reader.release();
  EXPECT_TRUE(bench.write(8, 4));
  EXPECT_EQ(bench.writer.state(), RingState::Ok);
  for (std::uint64_t number = 1; number < 5; ++number) EXPECT_TRUE(bench.read(8, number));
}

TEST(LocalRing, ARecordAsLargeAsTheRingFitsWhereverThePositionIs) {
  Bench bench(256);
  const std::size_t largest = bench.writer.largest();
  EXPECT_EQ(largest, 248u);
  for (std::uint64_t number = 0; number < 64; ++number) {
    ASSERT_TRUE(bench.write(8, number));
    ASSERT_TRUE(bench.read(8, number));
    while (!bench.write(largest, number)) {  // a skip is to be read first
      ASSERT_EQ(bench.writer.state(), RingState::Full);
      ASSERT_TRUE(bench.reader.next().empty());
    }
    ASSERT_TRUE(bench.read(largest, number));
  }
  EXPECT_TRUE(bench.writer.room(largest + 1).empty());
  EXPECT_EQ(bench.writer.state(), RingState::TooLarge);
  EXPECT_TRUE(bench.writer.room(0).empty());
  EXPECT_EQ(bench.writer.state(), RingState::TooLarge);
  EXPECT_TRUE(bench.write(largest, 64)) << "a record that is too large harms no other";
}

TEST(LocalRing, RecordsOfSixteenMebibytesPass) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  Bench bench(LocalRing::capacityFor(1, kBytes));
  for (std::uint64_t number = 0; number < 4; ++number) {
    const auto room = bench.writer.room(kBytes - number);
    ASSERT_EQ(room.size(), kBytes - number);
    std::memset(room.data(), static_cast<int>(number), room.size());
    bench.writer.commit(room.size());
    const auto record = bench.reader.next();
    ASSERT_EQ(record.size(), kBytes - number);
    EXPECT_EQ(std::count(record.begin(), record.end(), static_cast<std::byte>(number)), kBytes - number);
    bench.reader.release();
  }
}

TEST(LocalRing, RoomThatIsNotCommittedIsNoRecord) {
  Bench bench(64);
  EXPECT_FALSE(bench.writer.room(40).empty());
  bench.writer.commit(0);
  EXPECT_FALSE(bench.writer.room(40).empty());
  EXPECT_TRUE(bench.reader.next().empty());
  const auto room = bench.writer.room(48);
  fillRecord(room.first(10), 1);
  bench.writer.commit(10);
  EXPECT_TRUE(bench.read(10, 1));
}

TEST(LocalRing, TakeCopiesAndLeavesWhatHasNoPlace) {
  Bench bench(256);
  ASSERT_TRUE(bench.write(20, 1));
  std::vector<std::byte> into(19);
  EXPECT_EQ(bench.reader.take(into), 0u);
  EXPECT_EQ(bench.reader.state(), RingState::TooLarge);
  EXPECT_EQ(bench.reader.next().size(), 20u);
  into.resize(21);
  EXPECT_EQ(bench.reader.take(into), 20u);
  EXPECT_TRUE(isRecord(std::span(into).first(20), 1));
  EXPECT_EQ(bench.reader.take(into), 0u);
  EXPECT_EQ(bench.reader.state(), RingState::Empty);
}

TEST(LocalRing, TheEndComesAfterTheLastRecordEvenIfTheRingIsFull) {
  Bench bench(64);
  ASSERT_TRUE(bench.write(56, 1));
  bench.writer.close();
  EXPECT_TRUE(bench.writer.room(8).empty());
  EXPECT_EQ(bench.writer.state(), RingState::Ended);
  EXPECT_FALSE(bench.writer.prepareWait());
  EXPECT_TRUE(bench.read(56, 1));
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(bench.reader.next().empty());
    EXPECT_EQ(bench.reader.state(), RingState::Ended);
    EXPECT_FALSE(bench.reader.prepareWait());
  }
}

TEST(LocalRing, ARingMayBeMovedUnderItsEnds) {
  Bench bench(64);
  const LocalRing moved(std::move(bench.made).value());
  EXPECT_TRUE(bench.write(8, 1));
  EXPECT_TRUE(bench.read(8, 1));
}

TEST(LocalRing, TheCapacityForRecordsHoldsThemWhereverThePositionIs) {
  for (const std::size_t bytes : {1u, 100u, 1000u}) {
    Bench bench(LocalRing::capacityFor(3, bytes));
    for (std::uint64_t number = 0; number < 100; ++number) {
      for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(bench.write(bytes, number + i));
      for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(bench.read(bytes, number + i));
      ASSERT_TRUE(bench.write(bytes / 3 + 1, number));
      ASSERT_TRUE(bench.read(bytes / 3 + 1, number));
    }
  }
}

TEST(LocalRing, CapacitiesOutOfRangeAreRefused) {
  EXPECT_EQ(LocalRing::create(0).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(LocalRing::create(LocalRing::kLargestCapacity + 1).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(LocalRing::create(SIZE_MAX).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(LocalRing::create(1).value().capacity(), 64u);
}

ErrorCode refusalOf(std::vector<Descriptor> descriptors, std::size_t largest = 128) {
  const auto opened = LocalRing::open(std::move(descriptors), largest);
  return opened.ok() ? ErrorCode::Unavailable : opened.error().code;
}

TEST(LocalRing, DescriptorsThatAreNoRingAreRefused) {
  const LocalRing ring = LocalRing::create(128).value();
  ASSERT_EQ(refusalOf(copiesOf(ring)), ErrorCode::Unavailable) << "these are one";
  EXPECT_EQ(refusalOf(copiesOf(ring), 127), ErrorCode::Corrupt);
  EXPECT_EQ(refusalOf({}), ErrorCode::Corrupt);
  auto tooMany = copiesOf(ring);
  tooMany.push_back(copyOf(ring.descriptors()[1]));
  EXPECT_EQ(refusalOf(std::move(tooMany)), ErrorCode::Corrupt);
  for (const std::size_t one : {1u, 2u}) {
    auto swapped = copiesOf(ring);
    std::swap(swapped[0], swapped[one]);
    EXPECT_EQ(refusalOf(std::move(swapped)), ErrorCode::Corrupt);
    auto twice = copiesOf(ring);
    twice[one] = copyOf(ring.descriptors()[0]);
    EXPECT_EQ(refusalOf(std::move(twice)), ErrorCode::Corrupt);
  }
}

TEST(LocalRing, AHeaderThatIsNotARingsIsRefused) {
  const LocalRing ring = LocalRing::create(128).value();
  auto& header = *reinterpret_cast<RingHeader*>(ring.memory().data());
  const RingHeader right = header;
  const auto refused = [&](const std::function<void()>& spoil) {
    header = right;
    spoil();
    return refusalOf(copiesOf(ring)) == ErrorCode::Corrupt;
  };
  EXPECT_FALSE(refused([] {}));
  EXPECT_TRUE(refused([&] { header.magic ^= 1; }));
  EXPECT_TRUE(refused([&] { header.version = 2; }));
  for (const std::uint64_t capacity : {std::uint64_t{0}, std::uint64_t{64}, std::uint64_t{192}, UINT64_MAX})
    EXPECT_TRUE(refused([&] { header.capacity = capacity; })) << capacity;
  for (const std::size_t bytes : {std::size_t{1}, sizeof(RingHeader)}) {
    auto descriptors = copiesOf(ring);
    const auto memory = SealedMemory::create(bytes);
    std::memcpy(memory.value().bytes().data(), &right, bytes);
    descriptors[0] = copyOf(memory.value().descriptor().get());
    EXPECT_EQ(refusalOf(std::move(descriptors)), ErrorCode::Corrupt) << bytes;
  }
}

/// A ring of 128 bytes with one record of 8 of which the reader has seen nothing, spoiled by its writer.
RingState readerAfter(const std::function<void(Bench&)>& spoil) {
  Bench bench(128);
  EXPECT_TRUE(bench.write(8, 1));
  spoil(bench);
  EXPECT_TRUE(bench.reader.next().empty());
  const RingState state = bench.reader.state();
  bench.header().written = 16;
  bench.wordAt(0) = 8;
  EXPECT_TRUE(bench.reader.next().empty()) << "for good";
  EXPECT_FALSE(bench.reader.prepareWait());
  bench.reader.release();
  EXPECT_EQ(bench.reader.state(), state);
  return state;
}

TEST(LocalRing, AWriterThatWritesNonsenseBreaksTheReadersEnd) {
  for (const std::uint64_t written : {std::uint64_t{136}, std::uint64_t{18}, std::uint64_t{20}, UINT64_MAX})
    EXPECT_EQ(readerAfter([&](Bench& bench) { bench.header().written = written; }), RingState::Broken)
        << written;
  for (const std::uint64_t length :
       {std::uint64_t{0}, std::uint64_t{9}, std::uint64_t{1} << 32, UINT64_MAX - 1, kSkip})
    EXPECT_EQ(readerAfter([&](Bench& bench) { bench.wordAt(0) = length; }), RingState::Broken) << length;
}

TEST(LocalRing, AWriterThatGoesBackOrOnAfterTheEndBreaksTheReadersEnd) {
  for (const std::uint64_t written : {std::uint64_t{0}, std::uint64_t{8}, std::uint64_t{17}}) {
    Bench bench(128);
    ASSERT_TRUE(bench.write(8, 1));
    ASSERT_TRUE(bench.read(8, 1));
    bench.writer.close();
    if (written != 17) {
      bench.header().written = written;
    } else {
      EXPECT_TRUE(bench.reader.next().empty());
      EXPECT_EQ(bench.reader.state(), RingState::Ended);
      bench.header().written = 32;
    }
    EXPECT_TRUE(bench.reader.next().empty());
    EXPECT_EQ(bench.reader.state(), RingState::Broken) << written;
  }
}

TEST(LocalRing, ASkipIsBelievedOnlyIfTheRestOfTheRingWasWritten) {
  Bench bench(128);
  for (std::uint64_t number = 0; number < 5; ++number) ASSERT_TRUE(bench.write(8, number));
  for (std::uint64_t number = 0; number < 4; ++number) ASSERT_TRUE(bench.read(8, number));
  bench.wordAt(64) = kSkip;  // 64 bytes are left, of which 16 were written
  EXPECT_TRUE(bench.reader.next().empty());
  EXPECT_EQ(bench.reader.state(), RingState::Broken);
}

TEST(LocalRing, ASkipOfTheWholeRingIsNotBelieved) {
  Bench bench(128);
  bench.header().written = 128;
  bench.wordAt(0) = kSkip;
  EXPECT_TRUE(bench.reader.next().empty());
  EXPECT_EQ(bench.reader.state(), RingState::Broken);
}

TEST(LocalRing, TheSizeOfARecordIsReadOnce) {
  Bench bench(128);
  ASSERT_TRUE(bench.write(8, 1));
  EXPECT_EQ(bench.reader.next().size(), 8u);
  bench.wordAt(0) = 100;
  EXPECT_EQ(bench.reader.next().size(), 8u);
  std::vector<std::byte> into(8);
  EXPECT_EQ(bench.reader.take(into), 8u);
  EXPECT_TRUE(bench.write(16, 2));
  EXPECT_TRUE(bench.read(16, 2));
}

TEST(LocalRing, AReaderThatWritesNonsenseBreaksTheWritersEnd) {
  for (const std::uint64_t read : {std::uint64_t{8}, std::uint64_t{34}, std::uint64_t{152}, UINT64_MAX}) {
    Bench bench(128);
    ASSERT_TRUE(bench.write(8, 1));
    ASSERT_TRUE(bench.read(8, 1));
    while (bench.write(8, 2)) {
    }
    ASSERT_EQ(bench.writer.state(), RingState::Full);
    bench.header().read = read;
    EXPECT_FALSE(bench.writer.prepareWait());
    EXPECT_EQ(bench.writer.state(), RingState::Broken) << read;
    bench.header().read = 128;
    EXPECT_TRUE(bench.writer.room(8).empty());
    EXPECT_EQ(bench.writer.state(), RingState::Broken) << "for good";
    bench.writer.close();
    EXPECT_EQ(bench.writer.state(), RingState::Broken);
  }
}

TEST(LocalRing, AReaderThatWaitsIsWokenByARecordAndByTheEnd) {
  Bench bench(128);
  EXPECT_FALSE(bench.reader.prepareWait()) << "nobody has looked yet";
  for (std::uint64_t number = 0; number < 3; ++number) {
    ASSERT_TRUE(bench.reader.next().empty());
    ASSERT_TRUE(bench.reader.prepareWait());
    EXPECT_FALSE(readable(bench.reader.descriptor(), 0));
    ASSERT_TRUE(bench.write(8, number));
    EXPECT_TRUE(readable(bench.reader.descriptor(), 0));
    ASSERT_TRUE(bench.read(8, number));
  }
  ASSERT_TRUE(bench.reader.next().empty());
  ASSERT_TRUE(bench.reader.prepareWait());
  bench.writer.close();
  EXPECT_TRUE(readable(bench.reader.descriptor(), 0));
}

TEST(LocalRing, AReaderThatHasSomethingDoesNotWait) {
  Bench bench(128);
  ASSERT_TRUE(bench.reader.next().empty());
  ASSERT_TRUE(bench.write(8, 1));
  EXPECT_FALSE(bench.reader.prepareWait());
  EXPECT_TRUE(bench.read(8, 1));
  ASSERT_TRUE(bench.reader.next().empty());
  bench.writer.close();
  EXPECT_FALSE(bench.reader.prepareWait());
}

TEST(LocalRing, AWriterThatWaitsIsWokenOnceItsRecordHasRoom) {
  Bench bench(128);
  for (std::uint64_t number = 0; number < 8; ++number) ASSERT_TRUE(bench.write(8, number));
  ASSERT_TRUE(bench.writer.room(40).empty());  // wants the place of three records
  ASSERT_TRUE(bench.writer.prepareWait());
  for (std::uint64_t number = 0; number < 2; ++number) ASSERT_TRUE(bench.read(8, number));
  EXPECT_TRUE(bench.writer.room(40).empty());
  ASSERT_TRUE(bench.writer.prepareWait());
  EXPECT_FALSE(readable(bench.writer.descriptor(), 0));
  ASSERT_TRUE(bench.read(8, 2));
  EXPECT_TRUE(readable(bench.writer.descriptor(), 0));
  EXPECT_FALSE(bench.writer.prepareWait()) << "there is room already";
  EXPECT_FALSE(bench.writer.room(40).empty());
}

TEST(LocalRing, AReaderThatIsSlowToWakeIsWokenOnce) {
  Bench bench(128);
  ASSERT_TRUE(bench.reader.next().empty());
  ASSERT_TRUE(bench.reader.prepareWait());
  ASSERT_TRUE(bench.write(8, 1));
  ASSERT_TRUE(readable(bench.reader.descriptor(), 0));
  WakeUp(bench.reader.descriptor()).clear();
  ASSERT_TRUE(bench.write(8, 2));
  EXPECT_FALSE(readable(bench.reader.descriptor(), 0));
}

TEST(LocalRing, NobodyIsWokenWhoDoesNotWait) {
  Bench bench(128);
  for (std::uint64_t number = 0; number < 20; ++number) {
    ASSERT_TRUE(bench.write(8, number));
    ASSERT_TRUE(bench.read(8, number));
  }
  EXPECT_FALSE(readable(bench.reader.descriptor(), 0));
  EXPECT_FALSE(readable(bench.writer.descriptor(), 0));
}

}  // namespace
}  // namespace tactus::net
