// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/workload/lbap.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

TimePoint at(Duration since) {
  return TimePoint(1000s) + since;
}

TEST(LbapRegulator, FirstPacketArrivesLogicallyWhenItArrives) {
  LbapRegulator regulator({Rate::perSecond(10)});
  const Verdict verdict = regulator.arrive(at(7ms));
  EXPECT_EQ(verdict.logicalArrival, at(7ms));
  EXPECT_EQ(verdict.release, at(7ms));
  EXPECT_EQ(verdict.conformance, Conformance::Critical);
}

TEST(LbapRegulator, BurstIsSpacedByThePeriod) {
  LbapRegulator regulator({Rate::perSecond(10)});
  for (int i = 0; i < 5; ++i) {
    const Verdict verdict = regulator.arrive(at(0ms));
    EXPECT_EQ(verdict.logicalArrival, at(i * 100ms));
    EXPECT_EQ(verdict.release, at(i * 100ms));
    EXPECT_EQ(verdict.conformance, i == 0 ? Conformance::Critical : Conformance::Violation);
  }
}

TEST(LbapRegulator, LatePacketMovesTheLogicalArrivalTime) {
  LbapRegulator regulator({Rate::perSecond(10)});
  regulator.arrive(at(0ms));
  EXPECT_EQ(regulator.arrive(at(250ms)).logicalArrival, at(250ms));
  EXPECT_EQ(regulator.arrive(at(260ms)).logicalArrival, at(350ms));
}

TEST(LbapRegulator, WorkaheadOfThreeLetsThreePass) {
  LbapRegulator regulator({Rate::perSecond(10), 3});
  const Duration releases[] = {0ms, 0ms, 0ms, 100ms, 200ms};
  const Conformance conformance[] = {Conformance::Critical, Conformance::Workahead, Conformance::Workahead,
                                     Conformance::Violation, Conformance::Violation};
  for (int i = 0; i < 5; ++i) {
    const Verdict verdict = regulator.arrive(at(0ms));
    EXPECT_EQ(verdict.release, at(releases[i]));
    EXPECT_EQ(verdict.conformance, conformance[i]);
  }
}

TEST(LbapRegulator, OwnSpacingReplacesThePeriod) {
  LbapRegulator regulator({Rate::perSecond(10)});
  regulator.arrive(at(0ms));
  EXPECT_EQ(regulator.arrive(at(0ms), 40ms).logicalArrival, at(40ms));
  EXPECT_EQ(regulator.arrive(at(0ms), -5ms).logicalArrival, at(140ms)) << "nonsense falls back to 1/R";
}

TEST(LbapRegulator, ReanchoringForgetsThePast) {
  LbapRegulator regulator({Rate::perSecond(10)});
  regulator.arrive(at(0ms));
  regulator.reanchor();
  EXPECT_EQ(regulator.arrive(at(1ms)).logicalArrival, at(1ms));
}

TEST(LbapRegulator, ChangedRateHoldsFromTheNextPacket) {
  LbapRegulator regulator({Rate::perSecond(10)});
  regulator.arrive(at(0ms));
  regulator.change({Rate::perSecond(20)});
  EXPECT_EQ(regulator.arrive(at(0ms)).logicalArrival, at(50ms));
}

TEST(LbapRegulator, OversizedPacketIsAViolationThatNeedNotWait) {
  LbapRegulator regulator({Rate::perSecond(10), 1, ByteCount{100}});
  const Verdict verdict = regulator.arrive(at(0ms), {}, ByteCount{101});
  EXPECT_EQ(verdict.conformance, Conformance::Violation);
  EXPECT_EQ(verdict.release, at(0ms));
}

TEST(LbapRegulator, PollChangesNothing) {
  LbapRegulator regulator({Rate::perSecond(10)});
  regulator.arrive(at(0ms));
  EXPECT_EQ(regulator.poll(at(10ms)).release, at(100ms));
  EXPECT_EQ(regulator.poll(at(10ms)).release, at(100ms));
}

RC_GTEST_PROP(LbapProperty, AnyWindowCarriesAtMostWorkaheadPlusRateTimesLength, ()) {
  const auto rate = *rc::gen::inRange(1, 2000);
  const auto workahead = *rc::gen::inRange<std::uint32_t>(1, 20);
  const auto gaps = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 50'000));
  const Rate declared = Rate::perSecond(rate);
  LbapRegulator regulator({declared, workahead});
  TimePoint now = at(0ms);
  std::vector<TimePoint> passed;
  TimePoint lastLogical{};
  for (const int gap : gaps) {
    now += std::chrono::microseconds(gap);
    const Verdict verdict = regulator.arrive(now);
    RC_ASSERT(verdict.logicalArrival > lastLogical);
    lastLogical = verdict.logicalArrival;
    now = std::max(now, verdict.release);  // the caller waits, as enforce() does
    passed.push_back(now);
  }
  for (std::size_t from = 0; from < passed.size(); ++from) {
    for (std::size_t to = from; to < passed.size(); ++to) {
      const double length = inSeconds(passed[to] - passed[from]);
      RC_ASSERT(static_cast<double>(to - from + 1) <=
                workahead + length * rate + 1e-4 * static_cast<double>(to - from + 1));
    }
  }
}

RC_GTEST_PROP(LbapProperty, ReleaseIsNeverBeforeArrivalNorAfterLogicalArrival, ()) {
  const auto workahead = *rc::gen::inRange<std::uint32_t>(1, 50);
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 100'000), rc::gen::inRange(-1000, 100'000)));
  LbapRegulator regulator({Rate::perSecond(30), workahead});
  TimePoint now = at(0ms);
  for (const auto& [gap, spacing] : steps) {
    now += std::chrono::microseconds(gap);
    const Verdict verdict = regulator.arrive(now, std::chrono::microseconds(spacing));
    RC_ASSERT(verdict.release >= now);
    RC_ASSERT(verdict.release <= verdict.logicalArrival);
  }
}

}  // namespace
}  // namespace tactus::periodic
