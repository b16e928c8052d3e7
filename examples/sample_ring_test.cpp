// SPDX-License-Identifier: Apache-2.0
#include "examples/sample_ring.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace tactus::examples {
namespace {

constexpr std::uint32_t kPiece = 1920;
constexpr std::uint32_t kPieces = SampleRing::kSize / kPiece;  // so many fit
using Piece = std::array<std::byte, kPiece>;

Piece pieceOf(int number) {
  Piece piece{};
  for (std::size_t i = 0; i < piece.size(); ++i)
    piece[i] = static_cast<std::byte>(number + static_cast<int>(i / 7));
  return piece;
}

/// The number of the piece that is read; -1: none.
int readFrom(SampleRing& ring) {
  Piece piece{};
  if (!ring.read(piece)) return -1;
  const int number = static_cast<int>(piece[0]);
  EXPECT_EQ(piece, pieceOf(number));
  return number;
}

TEST(SampleRing, BeginsOnceItsReserveAndWhatIsAskedForAreThere) {
  SampleRing ring;
  static_assert(SampleRing::kReserve == 2 * kPiece);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(readFrom(ring), -1);
    ring.write(pieceOf(i));
  }
  for (int i = 0; i < 3; ++i) EXPECT_EQ(readFrom(ring), i);
}

TEST(SampleRing, BeginsAnewAfterItRanDryAndLosesNothing) {
  SampleRing ring;
  for (int i = 0; i < 3; ++i) ring.write(pieceOf(i));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(readFrom(ring), i);
  EXPECT_EQ(readFrom(ring), -1);
  for (int i = 3; i < 6; ++i) {
    EXPECT_EQ(readFrom(ring), -1);
    ring.write(pieceOf(i));
  }
  EXPECT_EQ(readFrom(ring), 3);
}

TEST(SampleRing, ForgetsWhatNobodyReadForLong) {
  SampleRing ring;
  for (int i = 0; i < static_cast<int>(kPieces); ++i) ring.write(pieceOf(i));
  ring.write(pieceOf(100));  // has no room
  EXPECT_EQ(readFrom(ring), -1);
  for (int i = 101; i < 104; ++i) ring.write(pieceOf(i));
  EXPECT_EQ(readFrom(ring), 101);
}

TEST(SampleRing, TakesMoreThanItHoldsForFullAndNotForAnOverrun) {
  SampleRing ring;
  ring.write(std::vector<std::byte>(SampleRing::kSize + 1));
  EXPECT_EQ(readFrom(ring), -1);
  for (int i = 0; i < 3; ++i) ring.write(pieceOf(i));
  EXPECT_EQ(readFrom(ring), 0);
}

TEST(SampleRing, KeepsOrderAcrossItsEndWhileTwoThreadsUseIt) {
  constexpr int kLast = 5000;
  SampleRing ring;
  std::atomic<int> room{static_cast<int>(kPieces)};  // so that nothing is forgotten
  std::thread writer([&] {
    for (int i = 0; i < kLast; ++i) {
      while (room.load() == 0) std::this_thread::yield();
      --room;
      ring.write(pieceOf(i % 256));
    }
  });
  // The last two stay where they are: what is asked for and the reserve must be there after a dry ring.
  for (int i = 0; i < kLast - 2;) {
    const int number = readFrom(ring);
    if (number < 0) {
      std::this_thread::yield();
      continue;
    }
    ASSERT_EQ(number, i % 256);
    ++room;
    ++i;
  }
  writer.join();
}

}  // namespace
}  // namespace tactus::examples
