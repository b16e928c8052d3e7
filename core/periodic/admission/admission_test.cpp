// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/admission.h"

#include <gtest/gtest.h>

#include "core/periodic/simulation/uunifast.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

Demand demand(Duration period, Duration processing, int level = 0) {
  Demand made;
  made.period = period;
  made.processing = processing;
  made.level = level;
  return made;
}

TEST(Admission, BoundsAreThoseOfTheLiterature) {
  const std::vector<Demand> two{demand(10ms, 4ms), demand(15ms, 6600us)};  // U = 0.84
  const TestResult liuLayland = test(AdmissionTest::LiuLayland, two);
  EXPECT_FALSE(liuLayland.fits);
  EXPECT_NEAR(liuLayland.limit, 0.8284, 1e-4);
  EXPECT_NEAR(liuLayland.load, 0.84, 1e-12);
  EXPECT_TRUE(test(AdmissionTest::Flat, two).fits);
  EXPECT_TRUE(test(AdmissionTest::Hyperbolic, two).fits == (1.4 * 1.44 <= 2));
}

TEST(Admission, HarmonicNeedsAChainOfDivisors) {
  // 10, 20, 30: each a multiple of the smallest, yet 30 is none of 20. The chain is what makes U <= 1 enough.
  std::vector<Demand> chain{demand(10ms, 5ms), demand(20ms, 5ms), demand(40ms, 10ms)};
  EXPECT_TRUE(test(AdmissionTest::Harmonic, chain).fits);
  std::vector<Demand> multiples{demand(10ms, 5ms), demand(20ms, 5ms), demand(30ms, 7500us)};
  EXPECT_FALSE(test(AdmissionTest::Harmonic, multiples).fits);
}

TEST(Admission, MultiplesOfTheSmallestPeriodAreNotEnough) {
  // The paper's relaxation, taken by its words, would accept U = 1 here.
  std::vector<Demand> set{demand(2ms, 1ms), demand(4ms, 1ms), demand(6ms, 1500us)};
  assignRateMonotonicLevels(set);
  EXPECT_FALSE(test(AdmissionTest::ExactResponse, set).fits);
  EXPECT_LE(utilisation(set), 1.0 + 1e-9);
}

TEST(Admission, HyperbolicIsTighterThanLiuLayland) {
  const std::vector<Demand> set{demand(10ms, 5ms), demand(100ms, 33ms)};  // 1.5 * 1.33 < 2, U = 0.83
  EXPECT_TRUE(test(AdmissionTest::Hyperbolic, set).fits);
  EXPECT_FALSE(test(AdmissionTest::LiuLayland, set).fits);
}

TEST(Admission, ResponseTimesOfATextbookSet) {
  std::vector<Demand> set{demand(7ms, 3ms), demand(12ms, 3ms), demand(20ms, 5ms)};
  assignRateMonotonicLevels(set);
  EXPECT_EQ(worstResponse(set, 0), 3ms);
  EXPECT_EQ(worstResponse(set, 1), 6ms);
  EXPECT_EQ(worstResponse(set, 2), 20ms);  // Joseph and Pandya 1986
}

TEST(Admission, EqualLevelsWaitForOneAnother) {
  std::vector<Demand> set{demand(10ms, 2ms, 1), demand(20ms, 6ms, 1)};
  EXPECT_EQ(worstResponse(set, 0), 8ms);
}

TEST(Admission, DeadlineBeyondThePeriodLooksAtEveryPacketOfTheBusyPeriod) {
  // Lehoczky 1990: the longest response is not the first packet's.
  std::vector<Demand> set{demand(70ms, 26ms, 2), demand(100ms, 62ms, 1)};
  set[1].deadline = 200ms;
  EXPECT_EQ(worstResponse(set, 1), 118ms);
}

TEST(Admission, BurstsJitterBlockingAndCostsLengthenTheResponse) {
  std::vector<Demand> set{demand(10ms, 2ms, 2), demand(40ms, 5ms, 1)};
  ASSERT_EQ(worstResponse(set, 1), 7ms);
  set[0].burst = 3;
  EXPECT_EQ(worstResponse(set, 1), 13ms);  // three packets at once, a fourth at 10 ms
  set[0].burst = 1;
  set[0].jitter = 5ms;
  EXPECT_EQ(worstResponse(set, 1), 9ms);  // the second packet 5 ms after the first
  set[0].jitter = 0ms;
  EXPECT_EQ(worstResponse(set, 1, {0ns, 0ns, 1ms}), 8ms);
  EXPECT_EQ(worstResponse(set, 0, {0ns, 0ns, 1ms}), 3ms);
  EXPECT_EQ(worstResponse(set, 1, {100us, 50us, 0ns}), 7500us);  // two packets pay 250 us each
}

TEST(Admission, ReleaseInterruptsOfTheLessUrgentArePaidByAll) {
  std::vector<Demand> set{demand(10ms, 2ms, 2), demand(1ms, 100us, 1)};
  EXPECT_EQ(worstResponse(set, 0, {0ns, 10us, 0ns}), 2ms + 10us + 3 * 10us);
}

TEST(Admission, OverloadHasNoResponseTime) {
  std::vector<Demand> set{demand(10ms, 7ms, 2), demand(10ms, 7ms, 1)};
  EXPECT_EQ(worstResponse(set, 1), std::nullopt);
  EXPECT_FALSE(test(AdmissionTest::ExactResponse, set).fits);
}

TEST(Admission, ExactTestOnNothingAndOnOne) {
  EXPECT_TRUE(test(AdmissionTest::ExactResponse, {}).fits);
  EXPECT_TRUE(test(AdmissionTest::EdfDemand, {}).fits);
  const std::vector<Demand> one{demand(10ms, 10ms)};
  EXPECT_TRUE(test(AdmissionTest::ExactResponse, one).fits);
  EXPECT_TRUE(test(AdmissionTest::EdfDemand, one).fits);
}

TEST(Admission, EdfDemandSeesShortDeadlines) {
  std::vector<Demand> set{demand(10ms, 4ms), demand(10ms, 4ms)};
  set[0].deadline = set[1].deadline = 8ms;
  EXPECT_TRUE(test(AdmissionTest::EdfDemand, set).fits);
  set[0].deadline = set[1].deadline = 7ms;
  EXPECT_FALSE(test(AdmissionTest::EdfDemand, set).fits);
  EXPECT_TRUE(test(AdmissionTest::EdfUtilisation, {set.data(), 1}).fits);
}

/// The demand criterion by its definition, at every deadline of a bounded window.
bool edfByDefinition(const std::vector<Demand>& set, Duration horizon) {
  for (const auto& checked : set) {
    for (Duration at = checked.deadline; at <= horizon; at += checked.period) {
      Duration asked{0};
      for (const auto& each : set)
        if (at >= each.deadline) asked += ((at - each.deadline) / each.period + 1) * each.processing;
      if (asked > at) return false;
    }
  }
  return true;
}

TEST(Admission, QpaAgreesWithTheDefinition) {
  std::mt19937_64 random(7);
  int accepted = 0;
  for (int i = 0; i < 400; ++i) {
    auto set = uunifast(random, 5, 0.9, 1ms, 20ms);
    for (auto& each : set) {
      const double part = std::uniform_real_distribution<double>(0.5, 1)(random);
      each.deadline =
          std::max(each.processing, Duration(std::llround(static_cast<double>(each.period.count()) * part)));
    }
    const bool fits = test(AdmissionTest::EdfDemand, set).fits;
    // Beyond max(D, sum(U (T - D)) / (1 - U)) <= 20 ms / 0.1 no window can fail.
    EXPECT_EQ(fits, edfByDefinition(set, 220ms)) << i;
    accepted += fits;
  }
  EXPECT_GT(accepted, 20);
  EXPECT_LT(accepted, 380);
}

TEST(Admission, SufficientTestsNeverAcceptWhatExactAnalysisRejects) {
  std::mt19937_64 random(11);
  int hyperbolic = 0;
  int exact = 0;
  for (int i = 0; i < 3000; ++i) {
    auto set = uunifast(random, 2 + i % 7, 0.6 + 0.05 * (i % 8));
    assignRateMonotonicLevels(set);
    const bool fits = test(AdmissionTest::ExactResponse, set).fits;
    exact += fits;
    for (const auto which : {AdmissionTest::LiuLayland, AdmissionTest::Harmonic, AdmissionTest::Hyperbolic}) {
      if (test(which, set).fits) {
        EXPECT_TRUE(fits) << nameOf(which) << ' ' << i;
      }
    }
    hyperbolic += test(AdmissionTest::Hyperbolic, set).fits;
    EXPECT_EQ(test(AdmissionTest::EdfUtilisation, set).fits, test(AdmissionTest::EdfDemand, set).fits);
  }
  EXPECT_GT(exact, hyperbolic);
  EXPECT_GT(hyperbolic, 0);
}

}  // namespace
}  // namespace tactus::periodic
