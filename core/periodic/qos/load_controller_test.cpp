// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/load_controller.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

double loadOf(const std::vector<ElasticOperation>& operations, const ElasticPlan& plan) {
  double sum = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) sum += operations[i].load * plan.frequency[i];
  return sum;
}

TEST(Compress, EverythingRunsWhereThereIsRoom) {
  const std::vector<ElasticOperation> two{{1, 0.4, 0.1, 1}, {2, 0.4, 0.1, 1}};
  const auto plan = compress(two, 0.9);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.frequency, (std::vector<double>{1, 1}));
}

TEST(Compress, EqualsGiveEqually) {
  const std::vector<ElasticOperation> two{{1, 0.6, 0.1, 1}, {2, 0.6, 0.1, 1}};
  const auto plan = compress(two, 0.9);
  EXPECT_NEAR(plan.frequency[0], 0.75, 1e-9);
  EXPECT_NEAR(plan.frequency[1], 0.75, 1e-9);
}

TEST(Compress, TheMandatoryGiveNothing) {
  const std::vector<ElasticOperation> two{{1, 0.6, 1.0, 1}, {2, 0.6, 0.1, 1}};
  const auto plan = compress(two, 0.9);
  EXPECT_EQ(plan.frequency[0], 1);
  EXPECT_NEAR(plan.frequency[1], 0.5, 1e-9);
}

TEST(Compress, TheHeavierGivesLess) {
  const std::vector<ElasticOperation> two{{1, 0.5, 0, 3}, {2, 0.5, 0, 1}};
  const auto plan = compress(two, 0.8);
  EXPECT_NEAR(1 - plan.frequency[1], 3 * (1 - plan.frequency[0]), 1e-9);
  EXPECT_NEAR(loadOf(two, plan), 0.8, 1e-9);
}

TEST(Compress, WhatCannotFitSaysSo) {
  const std::vector<ElasticOperation> two{{1, 0.6, 0.9, 1}, {2, 0.6, 0.9, 1}};
  const auto plan = compress(two, 0.5);
  EXPECT_FALSE(plan.fits);
  EXPECT_EQ(plan.frequency, (std::vector<double>{0.9, 0.9}));
}

TEST(Compress, NothingAndNonsense) {
  EXPECT_TRUE(compress({}, 0).fits);
  const std::vector<ElasticOperation> odd{{1, -1, -3, 0}, {2, 0, 7, -1}, {3, 0.5, 0.5, 1e-12}};
  const auto plan = compress(odd, 0.3);
  for (const double f : plan.frequency) EXPECT_TRUE(f >= 0 && f <= 1);
}

RC_GTEST_PROP(CompressProperty, FillsTheRoomExactlyAndKeepsEveryFloor, ()) {
  std::vector<ElasticOperation> operations(static_cast<std::size_t>(*rc::gen::inRange(1, 65)));
  double asked = 0;
  double floor = 0;
  for (auto& each : operations) {
    each.load = *rc::gen::inRange(0, 1000) / 1000.0;
    each.leastFrequency = *rc::gen::inRange(0, 1001) / 1000.0;
    each.weight = *rc::gen::inRange(1, 100) / 10.0;
    asked += each.load;
    floor += each.load * each.leastFrequency;
  }
  const double room = *rc::gen::inRange(0, 40000) / 1000.0;
  const auto plan = compress(operations, room);
  const double given = loadOf(operations, plan);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    RC_ASSERT(plan.frequency[i] >= operations[i].leastFrequency - 1e-9);
    RC_ASSERT(plan.frequency[i] <= 1 + 1e-9);
  }
  if (floor <= room) {
    RC_ASSERT(plan.fits);
    RC_ASSERT(std::abs(given - std::min(asked, room)) < 1e-6);
  } else {
    RC_ASSERT(!plan.fits);
  }
  // Of two with the same floor, the heavier never gets less.
  for (std::size_t i = 0; i < operations.size(); ++i)
    for (std::size_t k = 0; k < operations.size(); ++k)
      if (operations[i].leastFrequency == operations[k].leastFrequency &&
          operations[i].weight > operations[k].weight)
        RC_ASSERT(plan.frequency[i] >= plan.frequency[k] - 1e-9);
}

/// A machine whose room for us changes: what is asked beyond it is late.
class Machine {
 public:
  LoadController::Plan step(double there) {
    m_now += 100ms;
    double asked = 0;
    for (std::size_t i = 0; i < operations.size(); ++i) asked += operations[i].load * m_frequency[i];
    LoadController::Observation seen;
    seen.packets = 30;
    seen.misses = asked > there * 1.001 ? 10 : 0;
    seen.used = std::min(asked, there);
    auto plan = controller.observe(m_now, operations, seen);
    m_frequency = plan.elastic.frequency;
    return plan;
  }
  std::vector<ElasticOperation> operations{{1, 0.5, 1.0, 1}, {2, 0.5, 0.2, 1}, {3, 0.5, 0.2, 1}};
  LoadController controller{{.processors = 1.8}};

 private:
  TimePoint m_now{1000s};
  std::vector<double> m_frequency{1, 1, 1};
};

TEST(LoadController, LeavesEverythingAloneWithoutMisses) {
  Machine machine;
  for (int i = 0; i < 100; ++i) {
    for (const double f : machine.step(1.8).elastic.frequency) EXPECT_EQ(f, 1);
  }
}

TEST(LoadController, GivesWayAtOnceEvenlyAndRecoversWhole) {
  Machine machine;
  for (int i = 0; i < 20; ++i) (void)machine.step(1.8);
  LoadController::Plan plan;
  for (int i = 0; i < 10; ++i) plan = machine.step(0.9);  // one second of overload
  EXPECT_EQ(plan.elastic.frequency[0], 1);
  EXPECT_LT(plan.elastic.frequency[1], 0.5);
  EXPECT_EQ(plan.elastic.frequency[1], plan.elastic.frequency[2]);
  // The overload ends: everything is back within seconds.
  int steps = 0;
  while (machine.step(1.8).elastic.frequency[1] < 1 && steps < 100) ++steps;
  EXPECT_LE(steps, 60);
}

TEST(LoadController, DoesNotOscillateUnderALastingOverload) {
  Machine machine;
  int lowered = 0;
  double before = 1;
  for (int i = 0; i < 600; ++i) {  // a minute
    const double f = machine.step(0.9).elastic.frequency[1];
    lowered += f < before - 1e-6;
    before = f;
  }
  EXPECT_LE(lowered, 12);  // raises that failed come ever more seldom
}

/// Three films, decoded half a second ahead at most, on a machine whose room for them changes: what is asked
/// beyond it is taken from what was done ahead, and late once that is used up.
class MachineWithAStore {
 public:
  void step(double there) {
    m_now += 200ms;
    double asked = 0;
    for (std::size_t i = 0; i < operations.size(); ++i) asked += operations[i].load * m_frequency[i];
    const double wanted = asked + (kFullest - m_ahead) / 0.2 * asked;
    LoadController::Observation seen;
    seen.used = std::min(wanted, there);
    seen.idle = there - seen.used;
    m_ahead = std::min(kFullest, m_ahead + 0.2 * (seen.used / asked - 1));
    late += m_ahead < 0;
    seen.packets = 18;
    seen.misses = m_ahead < 0 ? 6 : 0;
    seen.stored = std::max(0.0, m_ahead) / kFullest;
    seen.planned = asked * known;
    m_ahead = std::max(m_ahead, -0.1);
    m_frequency = controller.observe(m_now, operations, seen).elastic.frequency;
  }
  [[nodiscard]] double stored() const { return m_ahead / kFullest; }
  [[nodiscard]] double least() const { return *std::min_element(m_frequency.begin(), m_frequency.end()); }
  std::vector<ElasticOperation> operations{{1, 0.3, 1.0, 1}, {2, 0.3, 0.2, 1}, {3, 0.3, 0.2, 1}};
  LoadController controller{{.processors = 1.8}};
  double known = 1;  // of what the films take
  int late = 0;      // steps

 private:
  static constexpr double kFullest = 0.5;  // s
  TimePoint m_now{1000s};
  double m_ahead = kFullest;
  std::vector<double> m_frequency{1, 1, 1};
};

TEST(LoadController, WhatCannotBeKeptGivesWayBeforeAnythingIsLate) {
  MachineWithAStore machine;
  for (int i = 0; i < 20; ++i) machine.step(1.8);
  EXPECT_EQ(machine.least(), 1);
  for (int i = 0; i < 100; ++i) {
    machine.step(0.75);  // of 0.9
    EXPECT_GE(machine.least(), 0.5) << i;
  }
  EXPECT_LT(machine.least(), 0.95);
  EXPECT_EQ(machine.late, 0);
  int steps = 0;
  for (; machine.least() < 1 && steps < 100; ++steps) machine.step(1.8);
  EXPECT_LE(steps, 10);
}

TEST(LoadController, APlanThatTakesAllThereIsGivesWayBeforeItsStoreIsLow) {
  MachineWithAStore machine;
  machine.known = 0.97;
  for (int i = 0; i < 20; ++i) machine.step(1.8);
  double least = 1;
  for (int i = 0; i < 600; ++i) {  // two minutes in which 0.88 of 0.9 can be had
    machine.step(0.88);
    least = std::min(least, machine.stored());
  }
  EXPECT_GT(least, 0.6);
  EXPECT_GT(machine.least(), 0.85);
  EXPECT_EQ(machine.late, 0);
}

TEST(LoadController, AStoreThatIsNotFullAndDoesNotSinkIsNoShortage) {
  LoadController controller{{.processors = 1.8}};
  const std::vector<ElasticOperation> operations{{1, 0.3, 1.0, 1}, {2, 0.3, 0.2, 1}};
  TimePoint now{1000s};
  LoadController::Observation seen;
  seen.packets = 12;
  seen.used = seen.planned = 0.6;  // others use all the rest, and give way
  for (int i = 0; i < 400; ++i) {
    seen.stored = std::max(0.6, 1 - 0.002 * i) + (i % 2) * 0.02;
    const auto plan = controller.observe(now += 200ms, operations, seen);
    EXPECT_EQ(plan.elastic.frequency[1], 1) << i;
  }
}

TEST(LoadController, NothingAboveWhatCanBeHadIsTriedAgainAndAgain) {
  MachineWithAStore machine;
  for (int i = 0; i < 20; ++i) machine.step(1.8);
  double before = 1;
  int changes = 0;
  for (int i = 0; i < 150; ++i) {  // half a minute
    machine.step(0.75);
    if (i >= 25) changes += std::abs(machine.least() - before) > 0.02;
    before = machine.least();
  }
  EXPECT_LE(changes, 25);
  EXPECT_EQ(machine.late, 0);
  EXPECT_GT(machine.least(), 0.6);  // of 0.75 that can be had, and what is given up goes evenly
}

TEST(LoadController, FloorsAreKeptWhateverHappens) {
  Machine machine;
  for (int i = 0; i < 100; ++i) {
    const auto plan = machine.step(0.1);
    EXPECT_GE(plan.elastic.frequency[0], 1);
    EXPECT_GE(plan.elastic.frequency[1], 0.2 - 1e-9);
  }
}

}  // namespace
}  // namespace tactus::periodic
