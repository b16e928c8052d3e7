// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/record_intake.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <vector>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

constexpr std::uint64_t kSession = 77;

std::vector<std::byte> recordOf(std::uint32_t number, std::size_t length) {
  const StreamHeader header{.number = number,
                            .session = kSession,
                            .length = static_cast<std::uint32_t>(length),
                            .end = length == 0};
  std::vector<std::byte> bytes(kStreamHeaderSize + length, static_cast<std::byte>(number * 7 + 1));
  encode(header, std::span(bytes).first<kStreamHeaderSize>());
  return bytes;
}

RecordIntake intakeOf(std::size_t largest, std::size_t window = 2) {
  return RecordIntake::create({.session = kSession, .largestBuffer = largest}, window).value();
}

/// Gives as much of `bytes` as there is room for, at most `most`; returns how much.
std::size_t give(RecordIntake& intake, std::span<const std::byte> bytes, std::size_t most = SIZE_MAX,
                 TimePoint now = {}) {
  const auto room = intake.room();
  const std::size_t given = std::min({bytes.size(), room.size(), most});
  if (given > 0) std::memcpy(room.data(), bytes.data(), given);
  intake.filled(given, now);
  return given;
}

TEST(RecordIntake, ManySmallRecordsComeAtOnce) {
  RecordIntake intake = intakeOf(125);
  std::vector<std::byte> stream;
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto record = recordOf(i, 100 + i);
    stream.insert(stream.end(), record.begin(), record.end());
  }
  EXPECT_EQ(give(intake, stream), stream.size());
  EXPECT_TRUE(intake.room().empty()) << "what came is taken first";
  for (std::uint32_t i = 0; i < 10; ++i) {
    const auto first = intake.first();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->piece.header.number, i);
    EXPECT_EQ(first->piece.bytes.size(), 100 + i);
    EXPECT_EQ(first->piece.bytes[i], static_cast<std::byte>(i * 7 + 1));
    intake.release();
  }
  EXPECT_FALSE(intake.first());
  EXPECT_FALSE(intake.hasBegun());
}

TEST(RecordIntake, OfALargeRecordNoMoreIsReadThanTheHeaderThatFollows) {
  RecordIntake intake = intakeOf(200'000);
  const auto large = recordOf(0, 100'000);
  EXPECT_EQ(give(intake, large, 32), 32u);
  EXPECT_EQ(intake.room().size(), 100'032u);
}

TEST(RecordIntake, OthersComeBehindTheFirstUpToTheWindow) {
  RecordIntake intake = intakeOf(100'000, 3);
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_TRUE(intake.hasRoom());
    const auto record = recordOf(i, 100'000);
    std::span<const std::byte> rest = record;
    while (!rest.empty()) rest = rest.subspan(give(intake, rest, 50'000, TimePoint(1s * i)));
  }
  EXPECT_FALSE(intake.hasRoom());
  EXPECT_TRUE(intake.room().empty());
  for (std::uint32_t i = 0; i < 3; ++i) {
    ASSERT_TRUE(intake.first());
    EXPECT_EQ(intake.first()->piece.header.number, i);
    EXPECT_EQ(intake.first()->arrived, TimePoint(1s * i));
    intake.release();
    EXPECT_TRUE(intake.hasRoom());
  }
}

TEST(RecordIntake, AFaultIsForGoodAndWhatCameBeforeIsRight) {
  RecordIntake intake = intakeOf(100);
  auto stream = recordOf(0, 10);
  const auto wrong = recordOf(1, 101);
  stream.insert(stream.end(), wrong.begin(), wrong.end());
  give(intake, stream);
  EXPECT_EQ(intake.fault(), WireFault::Length);
  EXPECT_TRUE(intake.room().empty());
  ASSERT_TRUE(intake.first());
  EXPECT_EQ(intake.first()->piece.bytes.size(), 10u);
  intake.release();
  EXPECT_FALSE(intake.first());
  EXPECT_TRUE(intake.room().empty());
}

TEST(RecordIntake, ARecordThatHasBegunIsToldAsSuch) {
  RecordIntake intake = intakeOf(100);
  EXPECT_FALSE(intake.hasBegun());
  const auto record = recordOf(0, 10);
  give(intake, record, 1);
  EXPECT_TRUE(intake.hasBegun());
  give(intake, std::span(record).subspan(1));
  EXPECT_FALSE(intake.hasBegun());
}

RC_GTEST_PROP(RecordIntakeProperty, RecordsComeOutAsTheyWereHoweverTheyAreCut, ()) {
  const std::size_t largest = *rc::gen::element<std::size_t>(1, 125, 20'000, 70'000);
  std::vector<std::byte> stream;
  std::vector<std::vector<std::byte>> records;
  const std::uint32_t count = *rc::gen::element(1u, 5u, 40u);
  for (std::uint32_t i = 0; i < count; ++i) {
    records.push_back(recordOf(i, *rc::gen::element<std::size_t>(1, largest / 3 + 1, largest)));
    stream.insert(stream.end(), records.back().begin(), records.back().end());
  }
  RecordIntake intake = intakeOf(largest, *rc::gen::element<std::size_t>(1, 2, 5));
  std::span<const std::byte> rest = stream;
  std::size_t next = 0, end = 0;
  std::vector<std::size_t> fills;  // bytes that had come by then; that is the time, too
  std::optional<WholeRecord> held;
  while (next < records.size()) {
    if (!held) held = intake.first();
    if (held && *rc::gen::arbitrary<bool>()) {
      const std::span expected = std::span(records[next]).subspan(kStreamHeaderSize);
      const auto& bytes = held->piece.bytes;
      RC_ASSERT(held->piece.header.number == next);
      RC_ASSERT(std::equal(bytes.begin(), bytes.end(), expected.begin(), expected.end()));
      end += records[next++].size();
      const std::size_t whole = *std::lower_bound(fills.begin(), fills.end(), end);
      RC_ASSERT(held->arrived.time_since_epoch().count() == static_cast<std::int64_t>(whole));
      intake.release();
      held.reset();
      continue;
    }
    const auto room = intake.room();
    RC_ASSERT(room.empty() != intake.hasRoom());
    RC_ASSERT(!room.empty() || intake.first());
    if (room.empty() || rest.empty()) continue;
    const std::size_t some =
        std::min({rest.size(), room.size(), *rc::gen::element<std::size_t>(1, 31, 33, 5'000, 1 << 20)});
    fills.push_back(stream.size() - rest.size() + some);
    give(intake, rest, some, TimePoint(periodic::Duration(static_cast<std::int64_t>(fills.back()))));
    rest = rest.subspan(some);
  }
  RC_ASSERT(!intake.hasBegun() && !intake.fault());
}

RC_GTEST_PROP(RecordIntakeProperty, AByteThatIsWrongAnywhereIsAFaultOrAnotherRecord, ()) {
  std::vector<std::byte> stream;
  for (std::uint32_t i = 0; i < 20; ++i) {
    const auto record = recordOf(i, 50);
    stream.insert(stream.end(), record.begin(), record.end());
  }
  const auto at = *rc::gen::inRange<std::size_t>(0, stream.size());
  stream[at] ^= static_cast<std::byte>(*rc::gen::inRange(1, 256));
  RecordIntake intake = intakeOf(60);
  std::span<const std::byte> rest = stream;
  std::size_t bytes = 0;
  while (!rest.empty() && !intake.fault()) {
    rest = rest.subspan(give(intake, rest, 100));
    for (; intake.first(); intake.release()) {
      RC_ASSERT(intake.first()->piece.bytes.size() <= 60);
      bytes += kStreamHeaderSize + intake.first()->piece.bytes.size();
    }
  }
  RC_ASSERT(bytes <= stream.size());
  RC_ASSERT(bytes >= at / 82 * 82);  // what came before is right
}

}  // namespace
}  // namespace tactus::net
