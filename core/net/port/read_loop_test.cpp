// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/read_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <numeric>
#include <stdexcept>

#include "core/net/port/read_loop_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using Call = ReadBench::Call;

std::vector<std::uint32_t> numbersFrom(std::uint32_t first, std::uint32_t last) {
  std::vector<std::uint32_t> numbers(last - first);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

StreamContract contractWithoutRate() {
  StreamContract contract = readContract();
  contract.rate.reset();
  return contract;
}

TEST(ReadLoop, ABufferIsHandledAsItComes) {
  ReadBench bench(readContract());
  bench.send(0, 10, 3ms);
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  ASSERT_EQ(bench.calls.size(), 10u);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(bench.calls[i], (Call{i, i * kPeriod + 3ms, false})) << i;
  EXPECT_EQ(bench.end.released, 10u);
  const auto figures = bench.figures();
  EXPECT_EQ(figures.received, 10u);
  EXPECT_EQ(figures.bytes, periodic::ByteCount{1000});
  EXPECT_EQ(figures.lost + figures.late + figures.sender + figures.network + figures.processor, 0u);
}

TEST(ReadLoop, ASenderBeyondItsContractWaitsAndNobodyElseIsToBlame) {
  StreamContract contract = readContract();
  contract.workahead = 3;
  ReadBench bench(contract);
  for (std::uint32_t i = 0; i < 20; ++i) bench.end.comes(i, 10ms, 10ms);
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  ASSERT_EQ(bench.calls.size(), 20u);
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(bench.calls[i].at, 10ms + std::max(0, i - 2) * kPeriod) << "W = 3 at once, then one a period";
  EXPECT_EQ(bench.figures().processor, 0u);
  EXPECT_EQ(bench.figures().network, 0u);
}

TEST(ReadLoop, ABufferThatWaitedWhenTheLoopWasHaltedIsHandledByTheNextRun) {
  ReadBench bench(readContract());
  for (std::uint32_t i = 0; i < 3; ++i) bench.end.comes(i, 10ms, 10ms);
  bench.port.clock.whenAsleep = [&] { bench.port.halt(); };
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 1));
  bench.port.clock.whenAsleep = {};
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 3));
  EXPECT_EQ(bench.end.released, 3u);
}

TEST(ReadLoop, WhatAHandlerDelaysIsTheProcessorsFaultAndTheStreamCatchesUp) {
  ReadBench bench(readContract());
  bench.send(0, 100, 3ms);
  bench.inHandler = [&](const StreamBuffer& buffer) {
    if (buffer.number == 49) bench.port.clock.pass(210ms);
  };
  EXPECT_FALSE(bench.runUntil(3s).has_value());
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 100));
  const Duration slow = 49 * kPeriod + 3ms + 210ms;
  for (int i = 50; i < 60; ++i) EXPECT_EQ(bench.calls[i].at, slow) << i;
  for (int i = 60; i < 100; ++i) EXPECT_EQ(bench.calls[i].at, i * kPeriod + 3ms) << i;
  const auto figures = bench.figures();
  EXPECT_EQ(figures.processor, 9u) << "those that were more than the jitter of 20 ms late";
  EXPECT_EQ(figures.network + figures.sender + figures.lost, 0u);
}

TEST(ReadLoop, WhatTheNetworkDelaysIsTheNetworksFault) {
  ReadBench bench(readContract());
  bench.send(0, 50, 3ms);
  for (std::uint32_t i = 50; i < 53; ++i) bench.end.comes(i, i * kPeriod, 53 * kPeriod + 10ms);
  EXPECT_FALSE(bench.runUntil(3s).has_value());
  EXPECT_EQ(bench.figures().network, 3u);
  EXPECT_EQ(bench.figures().processor + bench.figures().sender, 0u);
}

TEST(ReadLoop, NumbersThatAreMissingAreLost) {
  ReadBench bench(readContract());
  bench.send(0, 10);
  bench.send(13, 20);
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  EXPECT_EQ(bench.calls.size(), 17u);
  EXPECT_EQ(bench.figures().lost, 3u);
}

TEST(ReadLoop, WhatWaitsForABufferThatIsLostIsNotTheProcessorsFault) {
  StreamContract contract = readContract();
  contract.transport = TransportKind::Udp;
  contract.jitter = 5 * kPeriod;
  contract.workahead = 8;
  ReadBench bench(contract);
  bench.end.patience = 5 * kPeriod + 1ms;  // the loop looks a little later
  for (std::uint32_t i = 0; i < 60; ++i)
    if (i % 10 != 4) bench.end.comes(i, i * kPeriod, i * kPeriod);
  EXPECT_FALSE(bench.runUntil(70 * kPeriod).has_value());
  EXPECT_EQ(bench.figures().received, 54u);
  EXPECT_EQ(bench.figures().lost, 6u);
  EXPECT_EQ(bench.figures().network, 6u);
  EXPECT_EQ(bench.figures().processor, 0u);
  EXPECT_EQ(bench.figures().sender, 0u);
}

TEST(ReadLoop, AHaltIsNobodysFaultAndWhatIsMissingAtItsEndWasNotLost) {
  ReadBench bench(readContract());
  bench.end.keeps = 8;
  bench.send(0, 1000, 3ms);
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  const std::size_t before = bench.calls.size();
  EXPECT_FALSE(bench.loop.isSilent(bench.now() + 10s));
  EXPECT_EQ(bench.loop.fault(bench.now() + 1s), StreamFault::None);
  bench.port.clock.pass(5s);
  EXPECT_FALSE(bench.runUntil(8s).has_value());
  EXPECT_EQ(bench.calls.at(before).number, before) << "what waited comes first";
  EXPECT_EQ(bench.calls.at(before + 8).number, 300u) << "then what was sent since";
  EXPECT_EQ(bench.calls.back().at, bench.calls.back().number * kPeriod + 3ms) << "it has caught up";
  const auto figures = bench.figures();
  EXPECT_EQ(figures.lost + figures.sender + figures.network + figures.processor, 0u);
}

TEST(ReadLoop, WhatIsLostAfterAHaltIsCounted) {
  ReadBench bench(readContract());
  bench.send(0, 10);
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  bench.send(60, 70);
  bench.send(72, 80);
  EXPECT_FALSE(bench.runUntil(3s).has_value());
  EXPECT_EQ(bench.figures().lost, 2u);
}

/// Instants at which the loop was silent, and whose fault it was then.
std::vector<Duration> silence(ReadBench& bench, Duration until, std::vector<StreamFault>* faults = nullptr) {
  std::vector<Duration> silent;
  bench.port.clock.whenRead = [&, inside = false]() mutable {
    if (std::exchange(inside, true)) return;
    if (bench.loop.isSilent(bench.now())) {
      silent.push_back(bench.port.clock.passed());
      if (faults != nullptr) faults->push_back(bench.loop.fault(bench.now()));
    }
    inside = false;
  };
  EXPECT_FALSE(bench.runUntil(until).has_value());
  bench.port.clock.whenRead = {};
  return silent;
}

TEST(ReadLoop, IsSilentAfterThreePeriodsAndTheJitterWithoutData) {
  ReadBench bench(readContract());
  bench.send(0, 10);
  const auto silent = silence(bench, 1s);
  ASSERT_FALSE(silent.empty());
  EXPECT_EQ(silent.front(), 9 * kPeriod + 81ms);
}

TEST(ReadLoop, ANetworkThatDeliversPartsOfBuffersAloneIsAtFault) {
  ReadBench bench(readContract());
  bench.send(0, 10);
  for (int i = 0; i < 30; ++i) bench.end.partComes(180ms + i * 50ms);
  bench.loop.heartbeat(SenderState::Live, 0, bench.now());
  bench.loop.heartbeat(SenderState::Live, 40, bench.now());
  std::vector<StreamFault> faults;
  const auto silent = silence(bench, 1s, &faults);
  ASSERT_FALSE(silent.empty());
  EXPECT_EQ(silent.front(), 9 * kPeriod + 81ms);
  EXPECT_THAT(faults, ::testing::Each(StreamFault::Network));
}

TEST(ReadLoop, NothingIsSilentWhileAHandlerRunsOrBuffersWait) {
  StreamContract contract = readContract();
  ReadBench bench(contract);
  for (std::uint32_t i = 0; i < 20; ++i) bench.end.comes(i, 10ms, 10ms);  // for 400 ms
  bench.inHandler = [&](const StreamBuffer& buffer) {
    if (buffer.number == 19) bench.port.clock.pass(1s);
  };
  const auto silent = silence(bench, 2s);
  ASSERT_FALSE(silent.empty());
  EXPECT_GT(silent.front(), 1390ms);
}

TEST(ReadLoop, TheStreamEndsAfterAllThatCame) {
  ReadBench bench(readContract());
  bench.send(0, 5);
  bench.sendEnd(5);
  auto ended = bench.runUntil(1s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_TRUE(ended->byStream);
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 5));
  ended = bench.runUntil(2s);
  ASSERT_TRUE(ended.has_value()) << "a stream that has ended goes on ending";
  EXPECT_TRUE(ended->byStream);
}

TEST(ReadLoop, AnEndThatBreaksSaysSoAfterAllThatCame) {
  ReadBench bench(readContract());
  for (std::uint32_t i = 0; i < 5; ++i) bench.end.comes(i, 0ms, 0ms);
  bench.end.isBroken = true;
  const auto ended = bench.runUntil(1s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_FALSE(ended->byStream);
  EXPECT_EQ(ended->sentence, "It broke.");
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 5));
}

TEST(ReadLoop, WhatTheHandlerThrowsEndsTheLoopAndTheNextRunGoesOnWithTheNextBuffer) {
  ReadBench bench(readContract());
  bench.send(0, 5);
  bench.inHandler = [](const StreamBuffer& buffer) {
    if (buffer.number == 1) throw std::runtime_error("no loudspeaker");
    if (buffer.number == 3) throw 3;
  };
  auto ended = bench.runUntil(1s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_FALSE(ended->byStream);
  EXPECT_EQ(ended->sentence, "The handler threw: no loudspeaker.");
  ended = bench.runUntil(1s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_EQ(ended->sentence, "The handler threw what is no exception.");
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 5));
  EXPECT_EQ(bench.end.released, 5u);
  EXPECT_EQ(bench.port.task->counters().completed, 3u) << "the packets of the others were given up";
}

TEST(ReadLoop, WithoutARateNothingWaits) {
  ReadBench bench(contractWithoutRate());
  for (std::uint32_t i = 0; i < 1000; ++i) bench.end.comes(i, 10ms, 10ms);
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 1000));
  EXPECT_LE(bench.calls.back().at, 11ms);
  EXPECT_EQ(bench.port.task->counters().completed, 1u) << "what is delivered together is one packet";
}

TEST(ReadLoop, WithoutARateAPacketOfTheTaskEndsAfterAMillisecond) {
  ReadBench bench(contractWithoutRate());
  for (std::uint32_t i = 0; i < 9; ++i) bench.end.comes(i, 10ms, 10ms);
  bench.inHandler = [&](const StreamBuffer&) { bench.port.clock.pass(400us); };
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 9));
  EXPECT_EQ(bench.port.task->counters().completed, 3u);
}

TEST(ReadLoop, WithoutARateAHaltEndsATurnAndTheNextRunGoesOnWithTheNextBuffer) {
  ReadBench bench(contractWithoutRate());
  for (std::uint32_t i = 0; i < 9; ++i) bench.end.comes(i, 10ms, 10ms);
  bench.end.comes(9, 10ms, 10ms, true);
  bench.inHandler = [&](const StreamBuffer& buffer) {
    if (buffer.number == 4) bench.port.halt();
  };
  EXPECT_FALSE(bench.runUntil(1s).has_value());
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 5));
  const auto ended = bench.runUntil(1s);
  ASSERT_TRUE(ended.has_value());
  EXPECT_TRUE(ended->byStream);
  EXPECT_EQ(bench.numbers(), numbersFrom(0, 9));
}

}  // namespace
}  // namespace tactus::net
