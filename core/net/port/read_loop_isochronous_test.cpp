// SPDX-License-Identifier: Apache-2.0
// ReadLoop where the handler is called once a period.
#include <gtest/gtest.h>

#include <chrono>

#include "core/net/port/read_loop_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using Call = ReadBench::Call;

// The jitter is one period: the first call is due so long after the first buffer came.
constexpr Duration kFirst = kPeriod;

TEST(IsochronousReadLoop, TheHandlerIsCalledOnceAPeriodWhateverTheNetworkDoes) {
  ReadBench bench(readContract(true));
  for (std::uint32_t i = 0; i < 50; ++i) bench.end.comes(i, i * kPeriod, i * kPeriod + i % 3 * 9ms);
  EXPECT_FALSE(bench.runUntil(kFirst + 49 * kPeriod + 1ms).has_value());
  ASSERT_EQ(bench.calls.size(), 50u);
  for (std::uint32_t i = 0; i < 50; ++i) EXPECT_EQ(bench.calls[i], (Call{i, kFirst + i * kPeriod, false}));
  const auto figures = bench.figures();
  EXPECT_EQ(figures.lost + figures.sender + figures.network + figures.processor, 0u);
}

TEST(IsochronousReadLoop, WhatMissesIsAnEmptyBufferAndWhatIsLateIsDropped) {
  ReadBench bench(readContract(true));
  bench.send(0, 10);
  bench.end.comes(10, 10 * kPeriod, 12 * kPeriod);  // due at 11 periods
  bench.send(12, 20);                               // 11 is lost
  EXPECT_FALSE(bench.runUntil(kFirst + 19 * kPeriod + 1ms).has_value());
  ASSERT_EQ(bench.calls.size(), 20u);
  for (std::uint32_t i = 0; i < 20; ++i)
    EXPECT_EQ(bench.calls[i], (Call{i, kFirst + i * kPeriod, i == 10 || i == 11})) << i;
  EXPECT_EQ(bench.end.released, 19u);
  EXPECT_EQ(bench.figures().received, 19u);
  EXPECT_EQ(bench.figures().lost, 1u);
  EXPECT_EQ(bench.figures().network, 2u) << "the late and the lost one";
  EXPECT_EQ(bench.figures().processor, 0u);
}

TEST(IsochronousReadLoop, WhatIsPassedOverToBecomeEarlierWasNotLost) {
  ReadBench bench(readContract(true));
  bench.end.comes(0, 0ms, 100ms);  // the first one was slow: all others wait for long
  for (std::uint32_t i = 1; i < 300; ++i) bench.end.comes(i, i * kPeriod, std::max(100ms, i * 20ms));
  EXPECT_FALSE(bench.runUntil(300 * kPeriod).has_value());
  EXPECT_LT(bench.calls.size(), 300u);
  EXPECT_EQ(bench.figures().received, bench.end.released);
  EXPECT_EQ(bench.figures().lost, 0u);
  EXPECT_EQ(bench.figures().processor, 0u);
  EXPECT_LT(bench.calls.back().at - bench.calls.back().number * kPeriod, 100ms);
}

TEST(IsochronousReadLoop, ABufferThatWaitedWhenTheLoopWasHaltedIsTheFirstOfTheNextRun) {
  ReadBench bench(readContract(true));
  bench.send(0, 5);
  EXPECT_FALSE(bench.runUntil(4 * kPeriod + 5ms).has_value());
  EXPECT_EQ(bench.calls.size(), 4u) << "number 4 waits";
  bench.port.clock.pass(10s);
  const Duration again = bench.port.clock.passed();
  EXPECT_FALSE(bench.runUntil(again + 1s).has_value());
  ASSERT_GE(bench.calls.size(), 6u);
  EXPECT_EQ(bench.calls[4], (Call{4, again + kFirst, false}));
  EXPECT_EQ(bench.calls[5], (Call{5, again + kFirst + kPeriod, true})) << "not all at once that was due";
  EXPECT_EQ(bench.figures().processor, 0u);
}

TEST(IsochronousReadLoop, AfterAHaltItBeginsWithWhatIsSentNow) {
  ReadBench bench(readContract(true));
  bench.end.keeps = 4;
  bench.send(0, 1000, 3ms);
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  bench.port.clock.pass(5s);
  const Duration again = bench.port.clock.passed();
  bench.calls.clear();
  EXPECT_FALSE(bench.runUntil(again + 6s).has_value());
  const auto figures = bench.figures();
  EXPECT_EQ(figures.lost + figures.network + figures.processor + figures.sender, 0u);
  const Call& last = bench.calls.back();
  EXPECT_FALSE(last.isEmpty);
  EXPECT_LE(last.at, last.number * kPeriod + 3ms + kFirst + kPeriod) << "as soon as the contract promises";
  for (std::size_t i = 1; i < bench.calls.size(); ++i)
    EXPECT_EQ(bench.calls[i].at - bench.calls[i - 1].at, kPeriod) << i;
  for (const Call& each : bench.calls) EXPECT_FALSE(each.isEmpty) << each.number;
}

TEST(IsochronousReadLoop, WhatWaitedBeforeTheFirstRunIsDueOnceAPeriodFromThenOn) {
  ReadBench bench(readContract(true));
  bench.send(0, 10);
  bench.port.clock.pass(5s);
  EXPECT_FALSE(bench.runUntil(5s + kFirst + 9 * kPeriod + 1ms).has_value());
  ASSERT_EQ(bench.calls.size(), 10u);
  for (std::uint32_t i = 0; i < 10; ++i)
    EXPECT_EQ(bench.calls[i], (Call{i, 5s + kFirst + i * kPeriod, false})) << i;
  EXPECT_EQ(bench.figures().processor + bench.figures().network, 0u);
}

TEST(IsochronousReadLoop, ASlowHandlerIsTheProcessorsFaultAndAllInstantsArePassed) {
  ReadBench bench(readContract(true));
  bench.send(0, 60, 3ms);
  bench.inHandler = [&](const StreamBuffer& buffer) {
    if (buffer.number == 20) bench.port.clock.pass(110ms);
  };
  EXPECT_FALSE(bench.runUntil(kFirst + 3ms + 59 * kPeriod + 1ms).has_value());
  ASSERT_EQ(bench.calls.size(), 60u);
  for (std::uint32_t i = 0; i < 60; ++i) {
    EXPECT_EQ(bench.calls[i].number, i);
    const Duration due = kFirst + 3ms + i * kPeriod;
    const bool held = i > 20 && i <= 25;
    EXPECT_EQ(bench.calls[i].at, held ? kFirst + 3ms + 20 * kPeriod + 110ms : due) << i;
  }
  const auto figures = bench.figures();
  EXPECT_GT(figures.processor, 0u);
  EXPECT_EQ(figures.network + figures.sender + figures.lost, 0u);
}

TEST(IsochronousReadLoop, TheStreamEndsWhenItsEndIsDue) {
  ReadBench bench(readContract(true));
  bench.send(0, 5);
  bench.sendEnd(5);
  const auto ended = bench.runUntil(1s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_TRUE(ended->byStream);
  EXPECT_EQ(bench.calls.size(), 5u);
  EXPECT_EQ(bench.port.clock.passed(), kFirst + 5 * kPeriod);
}

TEST(IsochronousReadLoop, AnEndThatBreaksSaysSoAfterAllThatWaitsWasDue) {
  ReadBench bench(readContract(true));
  for (std::uint32_t i = 0; i < 5; ++i) bench.end.comes(i, i * kPeriod, 0ms);
  bench.end.isBroken = true;
  const auto ended = bench.runUntil(1s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->sentence, "It broke.");
  EXPECT_EQ(bench.calls.size(), 5u);
  EXPECT_EQ(bench.port.clock.passed(), kFirst + 4 * kPeriod);
}

TEST(IsochronousReadLoop, AStreamWithoutABufferEndsAtOnce) {
  ReadBench bench(readContract(true));
  bench.sendEnd(0);
  const auto ended = bench.runUntil(1s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_TRUE(ended->byStream);
  EXPECT_TRUE(bench.calls.empty());
}

TEST(IsochronousReadLoop, AHandlerThatThrowsLetsItsBufferGo) {
  ReadBench bench(readContract(true));
  bench.send(0, 5);
  bench.inHandler = [](const StreamBuffer& buffer) {
    if (buffer.number == 2) throw 2;
  };
  EXPECT_TRUE(bench.runUntil(1s).has_value());
  EXPECT_EQ(bench.end.released, 3u);
  EXPECT_FALSE(bench.runUntil(bench.port.clock.passed() + 100ms).has_value());
  ASSERT_GE(bench.calls.size(), 5u);
  EXPECT_EQ(bench.calls[3].number, 3u);
  EXPECT_FALSE(bench.calls[3].isEmpty);
}

TEST(IsochronousReadLoop, TheHandlerIsCalledAtTheRateThatTheSenderGoesBy) {
  ReadBench bench(readContract(true));
  const auto slower = periodic::Rate::perSecond(25);
  bench.send(0, 10);
  for (std::uint32_t i = 10; i < 60; ++i)
    bench.end.comes(i, 9 * kPeriod + (i - 9) * 40ms, 9 * kPeriod + (i - 9) * 40ms);
  bench.inHandler = [&](const StreamBuffer& buffer) {
    if (buffer.number == 8) bench.loop.setRates(slower, slower);
  };
  EXPECT_FALSE(bench.runUntil(10 * kPeriod + 50 * 40ms + 1ms).has_value());
  ASSERT_EQ(bench.calls.size(), 60u);
  for (std::uint32_t i = 10; i < 60; ++i)
    EXPECT_EQ(bench.calls[i], (Call{i, 10 * kPeriod + (i - 9) * 40ms, false}));
  const StreamFigures figures = bench.figures();
  EXPECT_EQ(figures.lost + figures.sender + figures.network + figures.processor, 0u);
  EXPECT_FALSE(bench.loop.judgement(bench.now()).isViolated());
}

}  // namespace
}  // namespace tactus::net
