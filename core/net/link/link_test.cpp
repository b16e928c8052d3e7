// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/link.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/net/link/link_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

/// 12 Mbit/s: 1500 bytes take a millisecond.
constexpr BitRate kRate = BitRate::perSecond(12'000'000);
constexpr ByteContract kWide{kRate, 1'000'000};  // holds nothing back

class LinkTest : public testing::Test, public LinkBench {
 protected:
  LinkTest() : LinkBench(kRate) {}
  /// Keeps the queue of a flow as full as it may be.
  void flood(FlowId flow, std::size_t bytes) {
    while (offer(flow, bytes) == Offered::Waits) {
    }
  }
};

TEST_F(LinkTest, SendsAtItsRate) {
  const FlowId flow = add("file", LinkClass::Bulk, 1, {}, 1s);
  for (int i = 0; i < 10; ++i) ASSERT_EQ(offer(flow, 1500), Offered::Waits);
  const TimePoint begin = now;
  runFor(1s);
  ASSERT_EQ(gone.size(), 10u);
  for (std::size_t i = 0; i < gone.size(); ++i) EXPECT_EQ(gone[i].at, begin + static_cast<int>(i) * 1ms);
}

TEST_F(LinkTest, SendsSmallPacketsInTrainsThatTakeAMillisecondAtMost) {
  link.setRate(now, BitRate::perSecond(1'200'000'000));  // 1500 bytes take 10 us
  const FlowId flow = add("file", LinkClass::Bulk, 1, {}, 1s);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(offer(flow, 1500), Offered::Waits);
  runFor(20ms);
  ASSERT_EQ(gone.size(), 1000u);
  std::map<TimePoint, int> trains;
  for (const Gone& each : gone) ++trains[each.at];
  EXPECT_LE(trains.size(), 1000u / 90);
  for (const auto& [at, packets] : trains) EXPECT_LE(packets * 10us, 1ms);
}

TEST_F(LinkTest, ControlGoesBeforeAudioBeforeStreamsBeforeBulk) {
  const FlowId bulk = add("file", LinkClass::Bulk);
  const FlowId stream = add("film", LinkClass::Stream, 1, kWide);
  const FlowId audio = add("voice", LinkClass::Audio, 1, kWide);
  const FlowId control = add("feedback", LinkClass::Control, 1, kWide);
  for (const FlowId flow : {bulk, stream, audio, control}) ASSERT_EQ(offer(flow, 1500), Offered::Waits);
  runFor(10ms);
  ASSERT_EQ(gone.size(), 4u);
  EXPECT_EQ(gone[0].flow, control);
  EXPECT_EQ(gone[1].flow, audio);
  EXPECT_EQ(gone[2].flow, stream);
  EXPECT_EQ(gone[3].flow, bulk);
}

TEST_F(LinkTest, AudioWaitsForOnePacketOfAFloodAtMost) {
  const FlowId bulk = add("flood", LinkClass::Bulk);
  const FlowId audio = add("voice", LinkClass::Audio, 1, ByteContract{BitRate::perSecond(100'000), 500});
  TimePoint next = now + 10ms;
  runFor(1s, [&] {
    flood(bulk, 1500);
    for (; next <= now; next += 20ms) ASSERT_EQ(offer(audio, 200), Offered::Waits);
  });
  EXPECT_EQ(row(audio).figures.sent, 50u);
  EXPECT_LE(row(audio).figures.waited.maximum, 1ms);
}

TEST_F(LinkTest, WhatIsNextAsItComesGoesAheadOfTheLinkIfItIsSmall) {
  const FlowId bulk = add("flood", LinkClass::Bulk);
  const FlowId audio = add("voice", LinkClass::Audio, 1, kWide);
  link.setRate(now, BitRate::perSecond(6'000'000));  // 1500 bytes take 2 ms
  const TimePoint begin = now;
  for (int i = 0; i < 2; ++i) ASSERT_EQ(offer(bulk, 1500), Offered::Waits);
  runFor(100us);
  EXPECT_EQ(link.wakeAt(), begin + 2ms) << "what waits is looked at when the link is free";
  ASSERT_EQ(offer(audio, 150), Offered::Waits);
  EXPECT_EQ(link.wakeAt(), begin + 2ms + 200us - Link::kAhead);
  runFor(10ms);
  ASSERT_EQ(gone.size(), 3u);
  EXPECT_EQ(gone[1].flow, audio);
  EXPECT_EQ(gone[1].at, begin + 1200us);
  EXPECT_EQ(gone[2].at, begin + 2200us) << "after both";
}

TEST_F(LinkTest, FloodsShareByWeightWhateverTheirPacketsSizes) {
  const FlowId one = add("one", LinkClass::Bulk, 1);
  const FlowId four = add("four", LinkClass::Bulk, 4);
  runFor(5s, [&] {
    flood(one, 1500);
    flood(four, 500);
  });
  const auto a = static_cast<double>(bytesOf(one));
  const auto b = static_cast<double>(bytesOf(four));
  EXPECT_NEAR(b / a, 4, 0.01);
  EXPECT_NEAR((a + b) * 8 / 5 / 12e6, 1, 0.001);
}

TEST_F(LinkTest, AWeightChangesAtOnce) {
  const FlowId one = add("one", LinkClass::Bulk, 1);
  const FlowId two = add("two", LinkClass::Bulk, 1);
  const auto floods = [&] {
    flood(one, 1000);
    flood(two, 1000);
  };
  runFor(1s, floods);
  ASSERT_TRUE(link.change(two, 3, {}).ok());
  const auto before = std::pair(bytesOf(one), bytesOf(two));
  runFor(1s, floods);
  EXPECT_NEAR(
      static_cast<double>(bytesOf(two) - before.second) / static_cast<double>(bytesOf(one) - before.first), 3,
      0.02);
}

TEST_F(LinkTest, AStreamThatSendsMoreThanItsContractTakesNothingFromOthers) {
  const FlowId liar = add("liar", LinkClass::Stream, 100, ByteContract{BitRate::perSecond(3'000'000), 3000});
  const FlowId film = add("film", LinkClass::Stream, 1, ByteContract{BitRate::perSecond(6'000'000), 3000});
  const FlowId bulk = add("file", LinkClass::Bulk);
  TimePoint next = now;
  runFor(4s, [&] {
    flood(liar, 1500);
    flood(bulk, 1500);
    for (; next <= now; next += 2ms) ASSERT_EQ(offer(film, 1500), Offered::Waits);
  });
  EXPECT_NEAR(static_cast<double>(bytesOf(liar)) * 8 / 4, 3e6, 3e4);
  EXPECT_EQ(row(film).figures.late + row(film).figures.full, 0u);
  EXPECT_LE(row(film).figures.waited.maximum, 3ms);
  EXPECT_NEAR(static_cast<double>(bytesOf(bulk)) * 8 / 4, 3e6, 3e4) << "what the contracts leave";
  EXPECT_GT(row(liar).figures.held, 0u);
}

TEST_F(LinkTest, WhatWaitedTooLongIsGivenUp) {
  const FlowId film = add("film", LinkClass::Stream, 1, kWide, 10ms);
  const FlowId file = add("file", LinkClass::Bulk, 1, {}, 5ms);
  for (int i = 0; i < 5; ++i) ASSERT_EQ(offer(film, 1500), Offered::Waits);
  ASSERT_EQ(offer(file, 1500), Offered::Waits);
  runFor(20ms);
  ASSERT_EQ(gone.size(), 6u);
  EXPECT_EQ(std::count_if(gone.begin(), gone.end(), [](const Gone& each) { return each.late; }), 1)
      << "its turn came after 5 ms";
  EXPECT_EQ(row(file).figures.late, 1u);
  EXPECT_EQ(row(file).figures.sent, 0u);
}

TEST_F(LinkTest, AQueueHoldsWhatPassesInTheLongestWait) {
  const FlowId file = add("file", LinkClass::Bulk, 1, {}, 20ms);
  flood(file, 1500);
  EXPECT_EQ(row(file).waiting, 20u);
  EXPECT_EQ(row(file).figures.full, 1u);
  const FlowId film =
      add("film", LinkClass::Stream, 1, ByteContract{BitRate::perSecond(1'200'000), 6000}, 100ms);
  flood(film, 1500);
  EXPECT_EQ(row(film).waitingBytes, 21'000u) << "15000 in 100 ms and a burst of 6000";
}

TEST_F(LinkTest, AnEarlierDeadlineOfAPacketCounts) {
  const FlowId film = add("film", LinkClass::Stream, 1, kWide);
  LinkPacket first, second;
  first.bytes = second.bytes = 1500;
  ASSERT_EQ(link.offer(film, first, now), Offered::Waits);
  ASSERT_EQ(link.offer(film, second, now, now + 500us), Offered::Waits);
  EXPECT_FALSE(link.next(now)->late);
  EXPECT_FALSE(link.next(now)) << "the link is busy";
  EXPECT_EQ(link.wakeAt(), now + 1ms);
  EXPECT_TRUE(link.next(now + 500us)->late) << "whether the link is free or not";
}

TEST_F(LinkTest, ANewRateHoldsForWhatIsOnItsWay) {
  const FlowId file = add("file", LinkClass::Bulk, 1, {}, 1s);
  for (int i = 0; i < 4; ++i) ASSERT_EQ(offer(file, 1500), Offered::Waits);
  const TimePoint begin = now;
  runFor(500us);
  link.setRate(now, BitRate::perSecond(6'000'000));  // the other half of the packet takes a millisecond
  runFor(1s);
  ASSERT_EQ(gone.size(), 4u);
  EXPECT_EQ(gone[1].at, begin + 1500us);
  EXPECT_EQ(gone[2].at, begin + 3500us);
}

TEST_F(LinkTest, ALinkThatIsDownGivesUpWhatWaitsAndComesBack) {
  const FlowId film = add("film", LinkClass::Stream, 1, kWide, 50ms);
  const FlowId file = add("file", LinkClass::Bulk, 1, {}, 20ms);
  link.setRate(now, BitRate());
  ASSERT_EQ(offer(film, 1500), Offered::Waits);
  ASSERT_EQ(offer(file, 1500), Offered::Waits);
  const TimePoint begin = now;
  runFor(100ms);
  ASSERT_EQ(gone.size(), 2u);
  EXPECT_EQ(gone[0].at, begin + 20ms + Link::kTellsLate);
  EXPECT_EQ(gone[1].at, begin + 50ms + Link::kTellsLate);
  EXPECT_TRUE(gone[0].late && gone[1].late);
  link.setRate(now, kRate);
  ASSERT_EQ(offer(film, 1500), Offered::Waits);
  runFor(1ms);
  EXPECT_FALSE(gone.back().late);
}

TEST_F(LinkTest, AnIdleLinkEarnsNoCredit) {
  const FlowId file = add("file", LinkClass::Bulk, 1, {}, 1s);
  ASSERT_EQ(offer(file, 1500), Offered::Waits);
  runFor(10s);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(offer(file, 1500), Offered::Waits);
  const TimePoint begin = now;
  runFor(1s);
  EXPECT_EQ(gone[1].at, begin);
  EXPECT_EQ(gone[2].at, begin + 1ms);
  EXPECT_EQ(gone[3].at, begin + 2ms);
}

TEST_F(LinkTest, ALateThreadLosesNoneOfTheRateAndSendsNoBurst) {
  const FlowId file = add("file", LinkClass::Bulk, 1, {}, 10s);
  for (int i = 0; i < 60; ++i) ASSERT_EQ(offer(file, 1500), Offered::Waits);
  const TimePoint begin = now;
  while (const auto turn = link.next(now)) gone.push_back({file, 1500, now, {}, turn->late});
  for (int i = 1; i < 30; ++i) {  // each time 300 us late
    now = link.wakeAt() + 300us;
    while (const auto turn = link.next(now)) gone.push_back({file, 1500, now, {}, turn->late});
  }
  EXPECT_EQ(gone.back().at, begin + 29ms + 300us);
  now += 1s;  // the thread had no processor
  const std::size_t before = gone.size();
  while (const auto turn = link.next(now)) gone.push_back({file, 1500, now, {}, turn->late});
  EXPECT_LE(gone.size() - before, 2u) << "a millisecond's worth, and the next";
}

TEST_F(LinkTest, RefusesFlowsThatCannotBe) {
  const auto code = [&](const FlowSpec& spec) { return link.add(spec).error().code; };
  EXPECT_EQ(code({.name = "", .linkClass = LinkClass::Bulk}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.name = "a/b", .linkClass = LinkClass::Bulk}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.name = "film", .linkClass = LinkClass::Stream}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.name = "film", .linkClass = LinkClass::Stream, .contract = ByteContract{}}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.name = "file", .linkClass = LinkClass::Bulk, .weight = 0}), ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.name = "file", .linkClass = LinkClass::Bulk, .weight = std::nan("")}),
            ErrorCode::InvalidArgument);
  EXPECT_EQ(code({.name = "file", .linkClass = LinkClass::Bulk, .longestWait = 0s}),
            ErrorCode::InvalidArgument);
  ASSERT_TRUE(link.add({.name = "file", .linkClass = LinkClass::Bulk}).ok());
  EXPECT_EQ(code({.name = "file", .linkClass = LinkClass::Bulk}), ErrorCode::InvalidArgument);
  EXPECT_TRUE(link.add({.name = "file", .linkClass = LinkClass::Audio, .contract = kWide}).ok());
}

TEST_F(LinkTest, AFlowIsRemovedOnceNothingWaits) {
  const FlowId file = add("file", LinkClass::Bulk);
  ASSERT_EQ(offer(file, 1500), Offered::Waits);
  EXPECT_EQ(link.remove(file).error().code, ErrorCode::Refused);
  runFor(10ms);
  EXPECT_TRUE(link.remove(file).ok());
  EXPECT_EQ(link.remove(file).error().code, ErrorCode::NotFound);
  EXPECT_NE(add("file", LinkClass::Bulk), file) << "its place has another handle";
}

TEST_F(LinkTest, APacketThatIsTakenBackMakesRoomForTheNext) {
  const FlowId film = add("film", LinkClass::Stream, 1, ByteContract{BitRate::perSecond(12'000), 0});
  LinkPacket first, second, third;
  for (LinkPacket* each : {&first, &second, &third}) each->bytes = 1500;
  for (LinkPacket* each : {&first, &second}) ASSERT_EQ(link.offer(film, *each, now), Offered::Waits);
  EXPECT_EQ(link.next(now)->packet, &first);
  EXPECT_FALSE(link.next(now + 10ms)) << "the second exceeds the contract";
  link.takeBack(second, now);
  EXPECT_EQ(link.wakeAt(), TimePoint::max());
  ASSERT_EQ(link.offer(film, third, now, now + 10s), Offered::Waits);
  EXPECT_EQ(link.first(film), &third);
  link.takeBack(third, now);
}

}  // namespace
}  // namespace tactus::net
