// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/buffer_assembly.h"

#include <gtest/gtest.h>

#include <chrono>
#include <vector>

#include "core/net/stream/buffer_assembly_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

constexpr TimePoint at(Duration time) {
  return TimePoint(1h) + time;
}

/// An assembly of pieces of 10 bytes and buffers of at most 40, with a patience of 5 ms.
struct Bench {
  explicit Bench(
      AssemblyOptions options = {.largestBuffer = 40, .pieceSize = 10, .window = 8, .patience = 5ms})
      : assembly(BufferAssembly::create(options).value()), pieceSize(options.pieceSize) {}

  Added add(std::uint32_t number, std::size_t piece, std::size_t length = 25, Duration time = 0ms) {
    return assembly.add(SentBuffer(number, length, pieceSize).piece(piece), at(time));
  }
  /// All pieces of it; what became of the last.
  Added addWhole(std::uint32_t number, Duration time = 0ms, std::size_t length = 25) {
    const SentBuffer buffer(number, length, pieceSize);
    for (std::size_t i = 0; i + 1 < buffer.pieces(); ++i) assembly.add(buffer.piece(i), at(time));
    return assembly.add(buffer.piece(buffer.pieces() - 1), at(time));
  }
  /// The numbers that are delivered at `time`.
  std::vector<std::uint32_t> take(Duration time = 0ms) {
    std::vector<std::uint32_t> numbers;
    while (const auto buffer = assembly.next(at(time))) {
      EXPECT_TRUE(sameBytes(buffer->bytes, contentOf(buffer->number, buffer->bytes.size())));
      EXPECT_EQ(buffer->made, Duration(buffer->number));
      numbers.push_back(buffer->number);
      assembly.release();
    }
    return numbers;
  }

  BufferAssembly assembly;
  std::size_t pieceSize;
};

using Numbers = std::vector<std::uint32_t>;

TEST(BufferAssembly, ABufferIsWholeWithItsLastPieceInAnyOrder) {
  Bench bench;
  EXPECT_EQ(bench.add(0, 2, 25), Added::Stored);
  EXPECT_EQ(bench.add(0, 0, 25, 1ms), Added::Stored);
  EXPECT_FALSE(bench.assembly.next(at(1ms)).has_value());
  EXPECT_EQ(bench.assembly.wakeAt(), TimePoint::max());
  EXPECT_EQ(bench.add(0, 1, 25, 2ms), Added::Whole);
  EXPECT_LE(bench.assembly.wakeAt(), at(2ms));
  const auto buffer = bench.assembly.next(at(3ms));
  ASSERT_TRUE(buffer.has_value());
  EXPECT_EQ(buffer->number, 0u);
  EXPECT_EQ(buffer->arrived, at(2ms));
  EXPECT_FALSE(buffer->end);
  EXPECT_TRUE(sameBytes(buffer->bytes, contentOf(0, 25)));
}

TEST(BufferAssembly, ABufferStaysUntilItIsReleased) {
  Bench bench;
  bench.addWhole(0);
  bench.addWhole(1);
  const auto first = bench.assembly.next(at(0ms));
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(bench.assembly.next(at(0ms)).has_value());
  EXPECT_EQ(bench.assembly.wakeAt(), TimePoint::max());
  EXPECT_EQ(bench.add(0, 1), Added::Again);
  for (std::uint32_t number = 2; number < 8; ++number) EXPECT_EQ(bench.addWhole(number), Added::Whole);
  EXPECT_EQ(bench.add(8, 0), Added::Full);
  EXPECT_TRUE(sameBytes(first->bytes, contentOf(0, 25)));
  bench.assembly.release();
  EXPECT_EQ(bench.assembly.figures().whole, 1u);
  bench.assembly.release();
  EXPECT_EQ(bench.assembly.figures().whole, 1u) << "nothing was held";
  EXPECT_EQ(bench.take(), (Numbers{1, 2, 3, 4, 5, 6, 7}));
}

TEST(BufferAssembly, DuplicatesAndLatePiecesAreCountedAndChangeNothing) {
  Bench bench;
  EXPECT_EQ(bench.add(0, 0), Added::Stored);
  EXPECT_EQ(bench.add(0, 0), Added::Again);
  bench.addWhole(0);
  EXPECT_EQ(bench.take(), Numbers{0});
  EXPECT_EQ(bench.add(0, 0), Added::TooLate);
  EXPECT_EQ(bench.add(0xffffffff, 0), Added::TooLate);
  EXPECT_EQ(bench.assembly.expected(), 1u);
  const AssemblyFigures wanted{.whole = 1, .again = 2, .tooLate = 2};
  EXPECT_EQ(bench.assembly.figures(), wanted);
}

TEST(BufferAssembly, AMissingBufferIsGivenUpOnceALaterOneWasWholeForThePatience) {
  Bench bench;
  bench.add(0, 0);
  bench.addWhole(2, 10ms);
  EXPECT_EQ(bench.take(14'999us), Numbers{});
  EXPECT_EQ(bench.assembly.wakeAt(), at(15ms));
  EXPECT_EQ(bench.take(15ms), Numbers{2});
  const AssemblyFigures wanted{.whole = 1, .lost = 2, .incomplete = 1};
  EXPECT_EQ(bench.assembly.figures(), wanted);
  EXPECT_EQ(bench.add(1, 0), Added::TooLate);
}

TEST(BufferAssembly, PatienceEndsWithTheFirstBufferThatBecameWhole) {
  Bench bench;
  bench.addWhole(3, 10ms);
  bench.addWhole(1, 14ms);
  EXPECT_EQ(bench.take(14ms), Numbers{});
  const auto first = bench.assembly.next(at(15ms));
  ASSERT_TRUE(first.has_value());
  EXPECT_EQ(first->number, 1u) << "3 has waited for 0 long enough; 2 is not given up before 1 is delivered";
  EXPECT_EQ(bench.assembly.figures().lost, 1u);
  bench.assembly.release();
  EXPECT_EQ(bench.take(15ms), Numbers{3});
}

TEST(BufferAssembly, AFullWindowGivesUpWhatMisses) {
  Bench bench;
  for (std::uint32_t number = 1; number < 8; ++number) bench.addWhole(number);
  EXPECT_EQ(bench.take(1ms), Numbers{}) << "patience";
  EXPECT_EQ(bench.addWhole(8, 1ms), Added::Whole);
  EXPECT_EQ(bench.take(1ms), (Numbers{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(bench.assembly.figures().lost, 1u);
}

TEST(BufferAssembly, AReliableStreamGivesUpNothing) {
  Bench bench({.largestBuffer = 40, .pieceSize = 10, .window = 4, .patience = 0ms, .reliable = true});
  for (std::uint32_t number = 1; number < 4; ++number) EXPECT_EQ(bench.addWhole(number), Added::Whole);
  EXPECT_EQ(bench.take(1h), Numbers{});
  EXPECT_EQ(bench.assembly.wakeAt(), TimePoint::max());
  EXPECT_EQ(bench.add(4, 0), Added::Full);
  for (std::uint32_t number = 1000; number < 1010; ++number) EXPECT_EQ(bench.add(number, 0), Added::Stray);
  EXPECT_EQ(bench.addWhole(0), Added::Whole);
  EXPECT_EQ(bench.take(), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(bench.addWhole(4), Added::Whole);
  EXPECT_EQ(bench.assembly.figures().lost, 0u);
}

TEST(BufferAssembly, OneNumberFarAwayIsNotBelieved) {
  Bench bench;
  bench.addWhole(0);
  for (const std::uint32_t forged : {1'000'000u, 0x80000000u, 50u, 0x7fffffffu}) {
    EXPECT_EQ(bench.add(forged, 0), Added::Stray);
    EXPECT_EQ(bench.add(forged, 1), Added::Stray) << "another piece of it does not confirm it";
    EXPECT_EQ(bench.add(forged, 2), Added::Stray);
  }
  EXPECT_EQ(bench.take(), Numbers{0});
  bench.addWhole(1);
  EXPECT_EQ(bench.take(), Numbers{1});
  EXPECT_EQ(bench.assembly.figures().lost, 0u);
}

TEST(BufferAssembly, ConsecutiveNumbersFarAwayAreBelieved) {
  Bench bench;
  bench.add(0, 0);
  EXPECT_EQ(bench.addWhole(5000), Added::Stray);
  EXPECT_EQ(bench.addWhole(5001), Added::Stray);
  EXPECT_EQ(bench.add(5000, 0), Added::Stray) << "a piece that was overtaken";
  EXPECT_EQ(bench.addWhole(5002), Added::Whole);
  EXPECT_EQ(bench.take(), Numbers{5002});
  const AssemblyFigures wanted{.whole = 1, .lost = 5002, .incomplete = 1, .stray = 7};
  EXPECT_EQ(bench.assembly.figures(), wanted);
}

TEST(BufferAssembly, APieceThatIsExpectedDeniesAJump) {
  Bench bench;
  EXPECT_EQ(bench.add(5000, 0), Added::Stray);
  EXPECT_EQ(bench.add(5001, 0), Added::Stray);
  EXPECT_EQ(bench.add(0, 0), Added::Stored);
  EXPECT_EQ(bench.add(5002, 0), Added::Stray);
  EXPECT_EQ(bench.addWhole(0), Added::Whole);
  EXPECT_EQ(bench.take(), Numbers{0});
}

TEST(BufferAssembly, WhatIsWholeIsDeliveredBeforeAJump) {
  Bench bench;
  bench.addWhole(1);
  bench.add(5000, 0);
  bench.add(5001, 0);
  EXPECT_EQ(bench.add(5002, 0), Added::Full);
  EXPECT_EQ(bench.take(5ms), Numbers{1});
  EXPECT_EQ(bench.addWhole(5003, 5ms), Added::Whole);
  EXPECT_EQ(bench.take(5ms), Numbers{5003});
  EXPECT_EQ(bench.assembly.figures().lost + bench.assembly.figures().whole, 5004u);
}

TEST(BufferAssembly, ASenderThatBeganAgainIsBelievedAndNothingBetweenIsLost) {
  Bench bench;
  bench.assembly.restart(100'000);
  bench.addWhole(100'000);
  bench.add(100'001, 0);
  bench.take();
  bench.addWhole(0);
  bench.addWhole(1);
  EXPECT_EQ(bench.addWhole(2), Added::Whole);
  EXPECT_EQ(bench.take(), Numbers{2});
  EXPECT_EQ(bench.assembly.figures().lost, 1u);
  EXPECT_EQ(bench.assembly.figures().incomplete, 1u);
}

TEST(BufferAssembly, OneConfirmingNumberJumpsAtOnce) {
  Bench bench({.largestBuffer = 25, .pieceSize = 25, .window = 2, .confirming = 1});
  EXPECT_EQ(bench.addWhole(0), Added::Whole);
  EXPECT_EQ(bench.addWhole(7), Added::Full);
  EXPECT_EQ(bench.take(), Numbers{0});
  EXPECT_EQ(bench.addWhole(7), Added::Whole);
  EXPECT_EQ(bench.take(), Numbers{7});
  EXPECT_EQ(bench.assembly.figures().lost, 6u);
}

TEST(BufferAssembly, NumbersWrap) {
  Bench bench;
  bench.assembly.restart(0xfffffffe);
  bench.addWhole(1);
  bench.addWhole(0xffffffff);
  bench.addWhole(0xfffffffe);
  bench.addWhole(0);
  EXPECT_EQ(bench.take(), (Numbers{0xfffffffe, 0xffffffff, 0, 1}));
  EXPECT_EQ(bench.add(0xffffffff, 0), Added::TooLate);
  EXPECT_EQ(bench.assembly.expected(), 2u);
}

TEST(BufferAssembly, TheEndComesInOrder) {
  Bench bench;
  EXPECT_EQ(bench.addWhole(1, 0ms, 0), Added::Whole);
  EXPECT_EQ(bench.add(1, 0, 0), Added::Again);
  EXPECT_FALSE(bench.assembly.next(at(0ms)).has_value());
  bench.addWhole(0);
  EXPECT_FALSE(bench.assembly.next(at(0ms))->end);
  bench.assembly.release();
  const auto end = bench.assembly.next(at(0ms));
  ASSERT_TRUE(end.has_value());
  EXPECT_TRUE(end->end);
  EXPECT_TRUE(end->bytes.empty());
}

TEST(BufferAssembly, APieceThatContradictsItsBufferIsRefused) {
  Bench bench;
  EXPECT_EQ(bench.add(0, 0, 25), Added::Stored);
  EXPECT_EQ(bench.add(0, 1, 35), Added::Malformed);
  const SentBuffer buffer(0, 25, 10);
  StreamPiece other = buffer.piece(1);
  other.header.made += 1ns;
  EXPECT_EQ(bench.assembly.add(other, at(0ms)), Added::Malformed);
  EXPECT_EQ(bench.add(0, 1), Added::Stored);
  EXPECT_EQ(bench.add(0, 2), Added::Whole);
  EXPECT_EQ(bench.take(), Numbers{0});
  EXPECT_EQ(bench.assembly.figures().malformed, 2u);
}

TEST(BufferAssembly, APieceThatDoesNotFitIsRefusedWhateverTheCallerChecked) {
  Bench bench;
  const std::vector<std::byte> bytes(100);
  const auto added = [&](std::uint32_t length, std::uint32_t offset, std::size_t size) {
    return bench.assembly.add({{.length = length, .offset = offset}, std::span(bytes).first(size)}, at(0ms));
  };
  EXPECT_EQ(added(41, 0, 10), Added::Malformed);
  EXPECT_EQ(added(0, 0, 0), Added::Malformed);
  EXPECT_EQ(added(40, 40, 10), Added::Malformed);
  EXPECT_EQ(added(40, 5, 10), Added::Malformed);
  EXPECT_EQ(added(40, 30, 11), Added::Malformed);
  EXPECT_EQ(added(40, 0xfffffff6, 10), Added::Malformed);
  EXPECT_EQ(bench.assembly.figures().malformed, 6u);
  EXPECT_EQ(added(40, 30, 10), Added::Stored);
}

TEST(BufferAssembly, RestartForgetsWhatIsThere) {
  Bench bench;
  bench.addWhole(0);
  bench.add(1, 0);
  ASSERT_TRUE(bench.assembly.next(at(0ms)).has_value());
  bench.assembly.restart(1);
  EXPECT_EQ(bench.take(), Numbers{});
  EXPECT_EQ(bench.addWhole(1), Added::Whole);
  EXPECT_EQ(bench.take(), Numbers{1});
  EXPECT_EQ(bench.assembly.figures().lost, 0u);
}

TEST(BufferAssembly, RefusesOptionsOutOfRange) {
  const AssemblyOptions good{.largestBuffer = 40};
  EXPECT_TRUE(BufferAssembly::create(good).ok());
  const auto refused = [&](auto change) {
    AssemblyOptions options = good;
    change(options);
    const auto made = BufferAssembly::create(options);
    return !made.ok() && made.error().code == ErrorCode::InvalidArgument;
  };
  EXPECT_TRUE(refused([](AssemblyOptions& o) { o.largestBuffer = 0; }));
  EXPECT_TRUE(refused([](AssemblyOptions& o) { o.largestBuffer = kLargestBuffer + 1; }));
  EXPECT_TRUE(refused([](AssemblyOptions& o) { o.pieceSize = 0; }));
  EXPECT_TRUE(refused([](AssemblyOptions& o) { o.window = 1; }));
  EXPECT_TRUE(refused([](AssemblyOptions& o) { o.window = 257; }));
  EXPECT_TRUE(refused([](AssemblyOptions& o) { o.patience = -1ns; }));
  EXPECT_TRUE(refused([](AssemblyOptions& o) { o.patience = 61min; }));
  EXPECT_TRUE(refused([](AssemblyOptions& o) { o.confirming = 0; }));
}

TEST(BufferAssembly, SaysHowMuchMemoryItTakes) {
  const AssemblyOptions options{.largestBuffer = 1'000'000, .pieceSize = 1400, .window = 10};
  EXPECT_GE(BufferAssembly::bytesOf(options), 10 * (1'000'000u + 715 / 8));
  EXPECT_LE(BufferAssembly::bytesOf(options), 10 * (1'000'000u + 300));
}

}  // namespace
}  // namespace tactus::net
