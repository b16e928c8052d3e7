// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/record_queue.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <vector>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

constexpr TimePoint kNever = TimePoint::max();
constexpr TimePoint kStart{};

StreamHeader headerOf(std::uint32_t number, std::size_t length) {
  return {.number = number, .session = 9, .length = static_cast<std::uint32_t>(length), .end = length == 0};
}

/// Header and bytes of buffer `number`, as they leave.
std::vector<std::byte> recordOf(std::uint32_t number, std::size_t length) {
  std::vector<std::byte> bytes(kStreamHeaderSize + length, static_cast<std::byte>(number));
  encode(headerOf(number, length), std::span(bytes).first<kStreamHeaderSize>());
  return bytes;
}

bool push(RecordQueue& queue, std::uint32_t number, std::size_t length, TimePoint uselessAt = kNever) {
  const auto room = queue.room();
  if (room.size() < length) return false;
  std::memset(room.data(), static_cast<int>(number & 0xff), length);
  return queue.push(headerOf(number, length), uselessAt);
}

/// The next bytes, `most` of them, which have left then.
std::vector<std::byte> leave(RecordQueue& queue, std::size_t most, TimePoint now = kStart) {
  std::array<iovec, 2> parts;
  const std::size_t bytes = queue.parts(most, now, parts);
  std::vector<std::byte> left;
  for (const iovec& each : parts) {
    const auto* from = static_cast<const std::byte*>(each.iov_base);
    left.insert(left.end(), from, from + each.iov_len);
  }
  EXPECT_EQ(left.size(), bytes);
  queue.advance(bytes);
  return left;
}

TEST(RecordQueue, BuffersThatFollowOneAnotherLeaveInOnePart) {
  RecordQueue queue = RecordQueue::create(100, 2).value();
  ASSERT_TRUE(push(queue, 0, 100));
  ASSERT_TRUE(push(queue, 1, 7));
  EXPECT_EQ(queue.waitingBytes(), 132u + 39u);
  std::array<iovec, 2> parts;
  EXPECT_EQ(queue.parts(SIZE_MAX, kStart, parts), 171u);
  EXPECT_EQ(parts[0].iov_len, 171u);
  auto expected = recordOf(0, 100);
  const auto second = recordOf(1, 7);
  expected.insert(expected.end(), second.begin(), second.end());
  EXPECT_EQ(leave(queue, SIZE_MAX), expected);
  EXPECT_EQ(queue.waitingBytes(), 0u);
  EXPECT_EQ(queue.waitingRecords(), 0u);
}

TEST(RecordQueue, WhatLeftIsCountedOnceABufferIsWhole) {
  RecordQueue queue = RecordQueue::create(100, 2).value();
  ASSERT_TRUE(push(queue, 0, 100));
  ASSERT_TRUE(push(queue, 1, 50));
  EXPECT_EQ(queue.advance(131).buffers, 0u);
  const auto left = queue.advance(1 + 82);
  EXPECT_EQ(left.buffers, 2u);
  EXPECT_EQ(left.bytes, 150u);
}

TEST(RecordQueue, RoomStaysWhereItWasWhileOthersLeave) {
  RecordQueue queue = RecordQueue::create(100, 2).value();
  ASSERT_TRUE(push(queue, 0, 100));
  const auto room = queue.room();
  leave(queue, SIZE_MAX);
  EXPECT_EQ(queue.room().data(), room.data());
  ASSERT_TRUE(push(queue, 1, 3));
  EXPECT_EQ(leave(queue, SIZE_MAX), recordOf(1, 3));
}

TEST(RecordQueue, TheEndHasRoomWhenNothingElseHas) {
  RecordQueue queue = RecordQueue::create(100'000, 1).value();
  std::uint32_t number = 0;
  while (push(queue, number, 100'000)) ++number;
  EXPECT_GE(number, 1u);
  EXPECT_TRUE(queue.room().empty());
  EXPECT_TRUE(queue.push(headerOf(number, 0), kNever));
  EXPECT_FALSE(queue.push(headerOf(number, 0), kNever)) << "nothing follows the end";
  for (std::uint32_t i = 0; i < number; ++i) EXPECT_EQ(leave(queue, 100'032), recordOf(i, 100'000));
  EXPECT_EQ(leave(queue, SIZE_MAX), recordOf(number, 0));
  EXPECT_TRUE(queue.room().empty());
}

TEST(RecordQueue, SmallBuffersFillSixtyFourKibibytes) {
  RecordQueue queue = RecordQueue::create(125, 2).value();
  std::uint32_t number = 0;
  while (push(queue, number, 125)) ++number;
  EXPECT_EQ(number, 65'536u / 157u);
}

TEST(RecordQueue, AsManyBuffersWaitAsThereAreRecordsFor) {
  RecordQueue queue = RecordQueue::create(1'000'000, 2).value();
  std::uint32_t number = 0;
  while (push(queue, number, 1)) ++number;
  EXPECT_EQ(number, RecordQueue::kMostRecords);
  EXPECT_TRUE(queue.push(headerOf(number, 0), kNever));
}

TEST(RecordQueue, WhatIsUselessIsGivenUpButNotInTheMiddle) {
  RecordQueue queue = RecordQueue::create(100, 4).value();
  ASSERT_TRUE(push(queue, 0, 100, kStart + 1ms));
  ASSERT_TRUE(push(queue, 1, 100, kStart + 2ms));
  ASSERT_TRUE(push(queue, 2, 100, kStart + 3ms));
  EXPECT_EQ(queue.uselessAt(), kStart + 1ms);
  leave(queue, 1);
  EXPECT_EQ(queue.uselessAt(), kNever);
  EXPECT_EQ(queue.giveUp(kStart + 2ms), 0u);
  EXPECT_EQ(leave(queue, SIZE_MAX, kStart + 2ms).size(), 131u) << "the rest of the first alone";
  EXPECT_EQ(queue.giveUp(kStart + 2ms), 1u);
  EXPECT_EQ(leave(queue, SIZE_MAX, kStart + 2ms), recordOf(2, 100));
}

TEST(RecordQueue, RefusesWhatNoStreamHas) {
  EXPECT_EQ(RecordQueue::create(0, 1).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(RecordQueue::create(kLargestBuffer + 1, 1).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(RecordQueue::create(1, 0).error().code, ErrorCode::InvalidArgument);
}

/// What a queue should do, written naively.
struct Model {
  struct Waiting {
    std::vector<std::byte> bytes;
    TimePoint uselessAt;
    std::size_t begun = 0;
  };
  std::deque<Waiting> waiting = {};
  std::vector<std::byte> left = {};

  void leave(std::size_t bytes) {
    while (bytes > 0) {
      Waiting& first = waiting.front();
      const std::size_t some = std::min(bytes, first.bytes.size() - first.begun);
      const auto from = first.bytes.begin() + static_cast<std::ptrdiff_t>(first.begun);
      left.insert(left.end(), from, from + static_cast<std::ptrdiff_t>(some));
      first.begun += some;
      bytes -= some;
      if (first.begun == first.bytes.size()) waiting.pop_front();
    }
  }
  std::size_t giveUp(TimePoint now) {
    std::size_t count = 0;
    for (; !waiting.empty() && waiting.front().begun == 0 && waiting.front().uselessAt <= now; ++count)
      waiting.pop_front();
    return count;
  }
};

RC_GTEST_PROP(RecordQueueProperty, BytesLeaveInOrderWholeOrNotAtAll, ()) {
  const std::size_t largest = *rc::gen::element<std::size_t>(1, 100, 20'000, 40'000);
  const std::size_t buffers = *rc::gen::element<std::size_t>(1, 2, 5);
  RecordQueue queue = RecordQueue::create(largest, buffers).value();
  Model model;
  std::vector<std::byte> left;
  TimePoint now = kStart;
  std::uint32_t number = 0;
  const int steps = *rc::gen::element(20, 60, 150);
  for (int step = 0; step < steps; ++step) {
    if (queue.waitingRecords() < buffers) RC_ASSERT(!queue.room().empty());
    switch (*rc::gen::element(0, 0, 1, 2)) {
      case 0: {
        const auto length = *rc::gen::element<std::size_t>(1, largest / 2 + 1, largest * 2 / 3 + 1, largest);
        const TimePoint uselessAt = now + *rc::gen::element<periodic::Duration>(1ms, 3ms, 1h);
        if (!push(queue, number, std::min(length, largest), uselessAt)) break;
        model.waiting.push_back({recordOf(number, std::min(length, largest)), uselessAt});
        ++number;
        break;
      }
      case 1: {
        const auto bytes =
            ::tactus::net::leave(queue, *rc::gen::element<std::size_t>(1, 31, 33, 9'000, 1 << 20), now);
        left.insert(left.end(), bytes.begin(), bytes.end());
        model.leave(bytes.size());
        break;
      }
      default:
        now += 1ms;
        RC_ASSERT(queue.giveUp(now) == model.giveUp(now));
    }
    RC_ASSERT(queue.waitingRecords() == model.waiting.size());
  }
  RC_ASSERT(left == model.left);
}

}  // namespace
}  // namespace tactus::net
