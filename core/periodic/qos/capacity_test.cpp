// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/capacity.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

class CapacityTest : public ::testing::Test {
 protected:
  double look(Capacity::Evidence seen, Duration after = 200ms) {
    m_now += after;
    seen.processors = 2;
    if (seen.asked == 0) seen.asked = 2;
    capacity.observe(m_now, seen);
    return capacity.value(2);
  }
  double looks(int count, const Capacity::Evidence& seen) {
    double value = 0;
    for (int i = 0; i < count; ++i) value = look(seen);
    return value;
  }
  static constexpr Capacity::Evidence kShort{.used = 1.2, .missing = 0.2};
  static constexpr Capacity::Evidence kFull{.used = 1.2};

  Capacity capacity{{}};

 private:
  TimePoint m_now{1000s};
};

TEST_F(CapacityTest, IsEverythingUntilSomethingIsKnown) {
  EXPECT_EQ(capacity.value(2), 2);
  EXPECT_EQ(look(kFull), 2);
  EXPECT_EQ(look({.used = 0.5, .idle = 1.5}), 2);
}

TEST_F(CapacityTest, IsWhatIsUsedWhileWorkIsMissingAndNothingIsIdle) {
  EXPECT_EQ(look(kShort), 1.2);
  EXPECT_EQ(look({.used = 1.1, .missing = 0.2}), 1.1);
  EXPECT_EQ(look({.used = 1.3, .missing = 0.2}), 1.3);
}

TEST_F(CapacityTest, MissingWorkBelowTwoPercentOfTheProcessorsIsNoEvidence) {
  EXPECT_EQ(look({.used = 1.2, .missing = 0.04}), 2);
}

TEST_F(CapacityTest, IsWhatIsUsedAndIdleAtOnceWhereMoreIsIdleThanAtTheLastFailure) {
  look(kShort);
  EXPECT_DOUBLE_EQ(look({.used = 1.2, .idle = 0.5}), 1.7);
}

TEST_F(CapacityTest, TriesOneStepAfterASecondAndWaitsLongerAfterEachFailure) {
  look(kShort);
  EXPECT_EQ(looks(4, kFull), 1.2);
  EXPECT_DOUBLE_EQ(look(kFull), 1.32);  // 1 s after the shortage: 6 % of two processors
  EXPECT_EQ(look(kShort), 1.2);         // failed
  EXPECT_EQ(looks(9, kFull), 1.2);
  EXPECT_DOUBLE_EQ(look(kFull), 1.32);  // after 2 s
  look(kShort);
  EXPECT_EQ(looks(19, kFull), 1.2);
  EXPECT_DOUBLE_EQ(look(kFull), 1.32);  // after 4 s
}

TEST_F(CapacityTest, ARaiseThatFailedIsNotTriedAgainAtOnceBecauseSomethingIsIdle) {
  look(kShort);
  EXPECT_DOUBLE_EQ(look({.used = 1.2, .idle = 0.3}), 1.5);
  EXPECT_EQ(look(kShort), 1.2);
  EXPECT_EQ(looks(9, {.used = 1.2, .idle = 0.3}), 1.2);
  EXPECT_DOUBLE_EQ(look({.used = 1.2, .idle = 0.3}), 1.5);
}

TEST_F(CapacityTest, ARaiseThatHoldsEasesTheBackOff) {
  look(kShort);
  looks(5, kFull);
  look(kShort);  // 2 s
  EXPECT_DOUBLE_EQ(looks(10, kFull), 1.32);
  EXPECT_DOUBLE_EQ(looks(9, kFull), 1.32);  // held for 2 s with the next look: 1 s again
  EXPECT_DOUBLE_EQ(looks(2, kFull), 1.44);
}

TEST_F(CapacityTest, WhatIsMissingBeyondWhatIsIdleCounts) {
  EXPECT_EQ(look({.used = 1.2, .idle = 0.1, .missing = 0.12}), 2);
  EXPECT_EQ(look({.used = 1.2, .idle = 0.1, .missing = 0.2}), 1.2);
}

TEST_F(CapacityTest, ATrialIsNoLargerThanWhatIsDoneAheadPaysFor) {
  look(kShort);
  EXPECT_EQ(looks(100, {.used = 1.2, .payable = 0.03}), 1.2);
  EXPECT_DOUBLE_EQ(look({.used = 1.2, .payable = 0.07}), 1.27);
}

TEST_F(CapacityTest, NothingIsTriedBeyondWhatIsAsked) {
  look(kShort);
  EXPECT_EQ(looks(100, {.used = 1.2, .asked = 1.2}), 1.2);
}

TEST_F(CapacityTest, WhileSomebodyBeginsOnlyIdleProcessorsAreEvidence) {
  EXPECT_EQ(look({.used = 1.2, .missing = 0.5, .settled = false}), 2);
  look(kShort);
  EXPECT_EQ(looks(50, {.used = 1.2, .settled = false}), 1.2);
  EXPECT_DOUBLE_EQ(look({.used = 1.2, .idle = 0.5, .settled = false}), 1.7);
}

TEST_F(CapacityTest, IsNeverMoreThanThereIs) {
  EXPECT_EQ(look({.used = 1.9, .idle = 0.5}), 2);
  look(kShort);
  EXPECT_EQ(capacity.value(1), 1);
}

}  // namespace
}  // namespace tactus::periodic
