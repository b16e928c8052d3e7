// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/outgoing_queue.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>
#include <thread>
#include <vector>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;

std::vector<std::byte> pattern(std::size_t count, std::size_t from = 0) {
  std::vector<std::byte> bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>((from + i) * 7 % 251);
  return bytes;
}

/// What is taken at once, -1 at the end.
int taken(OutgoingQueue& queue, std::size_t room, Duration until) {
  std::vector<std::byte> into(room);
  const auto count = queue.take(into, until);
  return count ? static_cast<int>(*count) : -1;
}

TEST(OutgoingQueue, OnlyWhatIsDueIsTaken) {
  OutgoingQueue queue(100, 1);
  EXPECT_EQ(taken(queue, 50, 1h), 0);
  ASSERT_TRUE(queue.put(pattern(10), 1s));
  ASSERT_TRUE(queue.put(pattern(20, 10), 2s));
  ASSERT_TRUE(queue.put(pattern(5, 30), 2s));
  EXPECT_EQ(taken(queue, 50, 999ms), 0);
  EXPECT_EQ(taken(queue, 50, 1s), 10);
  EXPECT_EQ(taken(queue, 50, 1s), 0);
  EXPECT_EQ(taken(queue, 7, 3s), 7);
  EXPECT_EQ(taken(queue, 50, 3s), 18);
  EXPECT_EQ(taken(queue, 50, 3s), 0);
}

TEST(OutgoingQueue, WholeUnitsAreTakenAndTheRestAtTheEnd) {
  OutgoingQueue queue(100, 10);
  ASSERT_TRUE(queue.put(pattern(25), 1s));
  EXPECT_EQ(taken(queue, 19, 1s), 10);
  EXPECT_EQ(taken(queue, 19, 1s), 10);
  EXPECT_EQ(taken(queue, 19, 1s), 0);
  queue.end();
  EXPECT_EQ(taken(queue, 19, 1s), 5);
  EXPECT_EQ(taken(queue, 19, 1s), -1);
}

TEST(OutgoingQueue, AnEndIsNotBeforeItsBytesAreDue) {
  OutgoingQueue queue(100, 1);
  ASSERT_TRUE(queue.put(pattern(5), 2s));
  queue.end();
  EXPECT_EQ(taken(queue, 50, 1s), 0);
  EXPECT_EQ(taken(queue, 50, 2s), 5);
  EXPECT_EQ(taken(queue, 50, 2s), -1);
}

TEST(OutgoingQueue, WhatEndsEmptyHasEnded) {
  OutgoingQueue queue(100, 10);
  queue.end();
  EXPECT_EQ(taken(queue, 50, 0s), -1);
}

TEST(OutgoingQueue, WhoPutsMoreThanThereIsRoomForWaits) {
  OutgoingQueue queue(10, 1);
  auto put = std::async(std::launch::async, [&] { return queue.put(pattern(25), 1s); });
  std::vector<std::byte> all;
  std::vector<std::byte> piece(4);
  while (all.size() < 25) {
    const auto count = queue.take(piece, 1s).value_or(0);
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(count));
  }
  EXPECT_TRUE(put.get());
  EXPECT_EQ(all, pattern(25));
}

TEST(OutgoingQueue, WhoWaitsForRoomIsLetGoOnceNobodyTakes) {
  OutgoingQueue queue(10, 1);
  auto put = std::async(std::launch::async, [&] { return queue.put(pattern(11), 1s); });
  queue.abandon();
  EXPECT_FALSE(put.get());
  EXPECT_FALSE(queue.put(pattern(1), 1s));
}

TEST(OutgoingQueue, BytesPassInTheirOrderWhileBothEndsWork) {
  constexpr std::size_t kWhole = 1'000'000;
  OutgoingQueue queue(997, 4);
  std::thread producer([&] {
    for (std::size_t at = 0, size = 1; at < kWhole; size = size % 1301 + 1) {
      const auto piece = pattern(std::min(size, kWhole - at), at);
      if (!queue.put(piece, Duration(static_cast<std::int64_t>(at)))) return;
      at += piece.size();
    }
    queue.end();
  });
  std::vector<std::byte> all;
  std::vector<std::byte> piece(577);
  while (const auto count = queue.take(piece, 1h))
    all.insert(all.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(*count));
  EXPECT_EQ(all, pattern(kWhole));
  producer.join();
}

}  // namespace
}  // namespace tactus::media
