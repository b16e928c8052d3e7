// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/write_loop.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <chrono>
#include <stdexcept>

#include "core/net/port/virtual_port_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::Rate;

constexpr std::size_t kLargest = 100;

StreamContract contractOf(std::optional<Rate> rate) {
  StreamContract contract;
  contract.transport = TransportKind::Tcp;
  contract.largestBuffer = kLargest;
  contract.rate = rate;
  return contract;
}

/// Whose handler fills `length` bytes, and halts the port with call `calls`.
struct WriteBench {
  WriteBench(std::optional<Rate> rate, std::size_t places = 2, int flushes = 1)
      : contract(contractOf(rate)), end(port.clock, kLargest, places, flushes) {}

  [[nodiscard]] std::optional<std::size_t> handle() {
    calledAt.push_back(port.clock.passed());
    if (static_cast<int>(calledAt.size()) >= calls) port.halt();
    return inHandler ? inHandler() : std::optional<std::size_t>(10);
  }
  [[nodiscard]] std::vector<std::uint32_t> numbers() const {
    std::vector<std::uint32_t> numbers;
    for (const StreamHeader& each : end.sent) numbers.push_back(each.number);
    return numbers;
  }

  StreamContract contract;
  VirtualPort port{contract, PortType::Write};
  VirtualSendingEnd end;
  int calls = 10;
  std::function<std::optional<std::size_t>()> inHandler = {};
  std::vector<Duration> calledAt = {};
  const WriteHandler handler = [this](std::span<std::byte> room) {
    EXPECT_EQ(room.size(), kLargest);
    return handle();
  };
  WriteLoop loop{contract, 7, handler, end};
};

TEST(WriteLoop, ABufferLeavesEachPeriodWithTheInstantAtWhichItWasMade) {
  WriteBench bench(Rate::perSecond(50));
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  ASSERT_EQ(bench.end.sent.size(), 10u);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const StreamHeader wanted{
        .number = i, .session = 7, .length = 10, .made = PortClock::kBegin.time_since_epoch() + i * 20ms};
    EXPECT_EQ(bench.end.sent[i], wanted) << i;
    EXPECT_EQ(bench.end.emptyAt.at(i), i * 20ms) << "it leaves as it is made";
  }
  EXPECT_EQ(bench.loop.buffers(), 10u);
  EXPECT_EQ(bench.loop.bytes(), 100u);
}

TEST(WriteLoop, AnAmendedRateHoldsFromTheNextBuffer) {
  WriteBench bench(Rate::perSecond(50));
  bench.inHandler = [&] {
    if (bench.calledAt.size() == 5) {
      EXPECT_TRUE(bench.port.task->amend({.lbap = periodic::LbapContract{Rate::perSecond(200)}}).ok());
    }
    return 10;
  };
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  const std::vector<Duration> wanted{0ms, 20ms, 40ms, 60ms, 80ms, 85ms, 90ms, 95ms, 100ms, 105ms};
  EXPECT_EQ(bench.calledAt, wanted);
}

TEST(WriteLoop, AHandlerWithNothingIsCalledInTheNextPeriodAndUsesNoNumber) {
  WriteBench bench(Rate::perSecond(50));
  bench.calls = 3;
  bench.inHandler = [&] { return bench.calledAt.size() == 2 ? 0 : 10; };
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_EQ(bench.calledAt, (std::vector<Duration>{0ms, 20ms, 40ms}));
  EXPECT_EQ(bench.numbers(), (std::vector<std::uint32_t>{0, 1}));
}

TEST(WriteLoop, WithoutARateBuffersLeaveTogetherWhenThereIsNoRoom) {
  WriteBench bench({}, 4);
  bench.calls = 13;
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_EQ(bench.end.sent.size(), 13u);
  EXPECT_EQ(bench.end.flushes, 4) << "after 4, 8 and 12 buffers, and at the halt";
  EXPECT_TRUE(bench.end.isEmpty());
}

TEST(WriteLoop, WithoutARateBuffersThatAreMadeTogetherAreOnePacketOfTheTask) {
  WriteBench bench({}, 4);
  bench.calls = 8;
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_EQ(bench.loop.buffers(), 8u);
  EXPECT_EQ(bench.port.task->counters().completed, 2u) << "there is room for four";
}

TEST(WriteLoop, WithoutARateAPacketOfTheTaskEndsAfterAMillisecond) {
  WriteBench bench({}, 100);
  bench.calls = 9;
  bench.inHandler = [&] {
    bench.port.clock.pass(400us);
    return 10;
  };
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_EQ(bench.loop.buffers(), 9u);
  EXPECT_EQ(bench.port.task->counters().completed, 3u);
}

TEST(WriteLoop, WithoutARateBuffersLeaveWhenTheHandlerHasNothing) {
  WriteBench bench({}, 4);
  bench.calls = 2;
  bench.inHandler = [&] {
    if (bench.calledAt.size() == 1) return 10;
    EXPECT_FALSE(bench.end.isEmpty());
    return 0;
  };
  bench.end.whenWaited = [&] { EXPECT_TRUE(bench.end.isEmpty()); };
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_EQ(bench.end.sent.size(), 1u);
}

TEST(WriteLoop, WhatIsLeftOfABufferLeavesBeforeTheNextIsDue) {
  WriteBench bench(Rate::perSecond(50), 2, 6);  // 1 ms passes before each of five
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  ASSERT_GE(bench.end.emptyAt.size(), 9u);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(bench.end.emptyAt[i], i * 20ms + 5ms) << i;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(bench.calledAt.at(i), i * 20ms) << i;
}

TEST(WriteLoop, AnEndThatIsSlowerThanTheRateHoldsTheHandlerUp) {
  WriteBench bench(Rate::perSecond(500), 2, 6);
  bench.calls = 20;
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_EQ(bench.numbers().back(), 19u);
  EXPECT_GT(bench.calledAt.back(), 19 * 2ms) << "which the rate alone would take";
  EXPECT_EQ(bench.calledAt.at(1), 2ms) << "there was room for it";
}

TEST(WriteLoop, MoreThanTheRoomIsCut) {
  WriteBench bench(Rate::perSecond(50));
  bench.calls = 1;
  bench.inHandler = [] { return kLargest + 1; };
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_EQ(bench.end.sent.at(0).length, kLargest);
  EXPECT_EQ(bench.loop.bytes(), kLargest);
}

TEST(WriteLoop, TheStreamEndsOnceItsEndHasLeft) {
  WriteBench bench(Rate::perSecond(50), 2, 4);
  bench.calls = INT_MAX;
  bench.inHandler = [&] {
    return bench.calledAt.size() == 3 ? std::nullopt : std::optional<std::size_t>(10);
  };
  bench.end.whenWaited = [&] { EXPECT_FALSE(bench.end.isEmpty()) << "nothing to wait for"; };
  const auto ended = bench.port.run(bench.loop);
  ASSERT_TRUE(ended.has_value());
  EXPECT_TRUE(ended->byStream);
  EXPECT_EQ(ended->sentence, "");
  EXPECT_TRUE(bench.end.isEmpty());
  ASSERT_EQ(bench.end.sent.size(), 3u);
  EXPECT_EQ(bench.end.sent[2].number, 2u);
  EXPECT_EQ(bench.end.sent[2].length, 0u);
  EXPECT_TRUE(bench.end.sent[2].end);
  EXPECT_EQ(bench.loop.buffers(), 2u) << "the end is none";
  const auto again = bench.port.runAgain(bench.loop);
  ASSERT_TRUE(again.has_value());
  EXPECT_TRUE(again->byStream);
  EXPECT_EQ(bench.calledAt.size(), 3u) << "no handler is called after the end";
}

TEST(WriteLoop, AnEndThatBreaksBeforeTheStreamsEndHasLeftIsNoEndOfTheStream) {
  WriteBench bench(Rate::perSecond(50), 2, 4);
  bench.inHandler = [] { return std::nullopt; };
  bench.end.breaksAt = 3;
  const auto ended = bench.port.run(bench.loop);
  ASSERT_TRUE(ended.has_value());
  EXPECT_FALSE(ended->byStream);
  EXPECT_EQ(ended->sentence, "It broke.");
}

TEST(WriteLoop, WhatTheHandlerThrowsEndsTheLoopAfterWhatWasFilledHasLeft) {
  WriteBench bench({}, 8);
  bench.inHandler = [&]() -> std::size_t {
    if (bench.calledAt.size() == 3) throw std::runtime_error("no camera");
    if (bench.calledAt.size() == 4) throw 4;
    return 10;
  };
  auto ended = bench.port.run(bench.loop);
  ASSERT_TRUE(ended.has_value());
  EXPECT_FALSE(ended->byStream);
  EXPECT_EQ(ended->sentence, "The handler threw: no camera.");
  EXPECT_TRUE(bench.end.isEmpty());
  EXPECT_EQ(bench.end.flushes, 1);
  ended = bench.port.runAgain(bench.loop);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->sentence, "The handler threw what is no exception.");
  EXPECT_FALSE(bench.port.runAgain(bench.loop).has_value());
  EXPECT_EQ(bench.numbers(), (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(WriteLoop, AHaltEndsTheWaitForThePeriodAndTheNextRunGoesOnWithTheNextNumber) {
  WriteBench bench(Rate::perSecond(50));
  bench.calls = 4;
  bench.port.clock.whenAsleep = [&] {
    if (bench.calledAt.size() == 2) bench.port.halt();
  };
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_EQ(bench.calledAt.size(), 2u);
  bench.port.clock.whenAsleep = {};
  bench.port.clock.pass(10s);
  const Duration again = bench.port.clock.passed();
  EXPECT_FALSE(bench.port.runAgain(bench.loop).has_value());
  EXPECT_EQ(bench.numbers(), (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(bench.calledAt.at(2), again) << "at once, and without catching up";
  EXPECT_EQ(bench.calledAt.at(3), again + 20ms);
}

TEST(WriteLoop, AHaltEndsTheWaitForRoom) {
  WriteBench bench(Rate::perSecond(50), 0);
  bench.end.whenWaited = [&] { bench.port.halt(); };
  EXPECT_FALSE(bench.port.run(bench.loop).has_value());
  EXPECT_TRUE(bench.calledAt.empty());
}

TEST(WriteLoop, AnEndThatIsBrokenSaysSo) {
  WriteBench bench(Rate::perSecond(50));
  bench.end.isBroken = true;
  const auto ended = bench.port.run(bench.loop);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->sentence, "It broke.");
  EXPECT_TRUE(bench.calledAt.empty());
}

RC_GTEST_PROP(WriteLoop, SendsWhatTheHandlerFillsUnderConsecutiveNumbers, ()) {
  const auto lengths = *rc::gen::container<std::vector<std::size_t>>(
      rc::gen::element<std::size_t>(0, 1, 50, kLargest, kLargest + 1, SIZE_MAX));
  const auto rate = *rc::gen::element<std::optional<Rate>>(std::nullopt, Rate::perSecond(50));
  WriteBench bench(rate, *rc::gen::element<std::size_t>(1, 2, 5), *rc::gen::element(1, 3));
  bench.calls = INT_MAX;
  bench.inHandler = [&]() -> std::optional<std::size_t> {
    if (bench.calledAt.size() > lengths.size()) return std::nullopt;
    return lengths[bench.calledAt.size() - 1];
  };
  bench.end.whenWaited = [&] { bench.port.clock.pass(19ms); };
  RC_ASSERT(bench.port.run(bench.loop).has_value());
  std::vector<std::uint32_t> wanted;
  for (const std::size_t each : lengths)
    if (each > 0) wanted.push_back(static_cast<std::uint32_t>(std::min(each, kLargest)));
  wanted.push_back(0);
  RC_ASSERT(bench.end.sent.size() == wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    RC_ASSERT(bench.end.sent[i].number == i);
    RC_ASSERT(bench.end.sent[i].length == wanted[i]);
    RC_ASSERT(bench.end.sent[i].end == (i + 1 == wanted.size()));
  }
}

}  // namespace
}  // namespace tactus::net
