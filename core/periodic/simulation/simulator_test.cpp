// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/simulation/simulator.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/periodic/simulation/uunifast.h"
#include "core/periodic/workload/lbap_composition.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

SimulatedTask periodic(Duration period, Duration processing, int level) {
  SimulatedTask task;
  task.lbap = {Rate::fromPeriod(period).value()};
  task.level = level;
  task.processing = [processing](std::int64_t) { return processing; };
  return task;
}

std::vector<SimulatedTask> tasksOf(const std::vector<Demand>& demands) {
  std::vector<SimulatedTask> tasks;
  for (const auto& each : demands) {
    tasks.push_back(periodic(each.period, each.processing, each.level));
    tasks.back().deadline = each.deadline;
  }
  return tasks;
}

SimulationSettings settings(Duration length) {
  SimulationSettings made;
  made.length = length;
  return made;
}

std::uint64_t sum(const std::vector<std::uint64_t>& counts) {
  std::uint64_t all = 0;
  for (const auto count : counts) all += count;
  return all;
}

Duration worstSeen(const Simulation& run, std::size_t task) {
  Duration worst{0};
  for (const auto& packet : run.packets)
    if (packet.task == task) worst = std::max(worst, packet.end - packet.logicalArrival);
  return worst;
}

TEST(Simulator, PreemptsByLevel) {
  const auto run = simulate({periodic(10ms, 3ms, 2), periodic(50ms, 20ms, 1)}, settings(100ms));
  EXPECT_EQ(sum(run.misses), 0u);
  EXPECT_EQ(worstSeen(run, 0), 3ms);
  EXPECT_EQ(worstSeen(run, 1), 29ms);  // three packets of the first come between
}

TEST(Simulator, HogsGetWhatTheTasksLeave) {
  auto with = settings(1s);
  with.hogs = 3;
  const auto run = simulate({periodic(10ms, 3ms, 1)}, with);
  EXPECT_EQ(sum(run.misses), 0u);
  EXPECT_EQ(run.hogTime, 700ms);
}

TEST(Simulator, BestEffortTasksTakeTurnsWithHogs) {
  auto task = periodic(100ms, 40ms, 1);
  task.service = ServiceClass::BestEffort;
  auto with = settings(2s);
  with.hogs = 3;
  const auto run = simulate({task}, with);
  EXPECT_GT(run.misses[0], 0u);  // 40 ms at a quarter of the processor take 160
}

TEST(Simulator, UnfinishedPacketsCountAsMisses) {
  const auto run = simulate({periodic(10ms, 6ms, 2), periodic(10ms, 6ms, 1)}, settings(1s));
  EXPECT_EQ(run.misses[0], 0u);
  EXPECT_GT(run.misses[1], 90u);
}

TEST(SimulatorProperty, WhatExactAnalysisAcceptsNeverMisses) {
  std::mt19937_64 random(1);
  int accepted = 0;
  for (int i = 0; i < 600; ++i) {
    auto set = uunifast(random, 2 + i % 9, 0.7 + 0.04 * (i % 8));
    // Some deadlines shorter, some longer than the period.
    for (auto& each : set) {
      const double factor = std::uniform_real_distribution<double>(0.7, 1.5)(random);
      each.deadline = Duration(std::llround(static_cast<double>(each.period.count()) * factor));
    }
    assignRateMonotonicLevels(set);
    if (!test(AdmissionTest::ExactResponse, set).fits) continue;
    ++accepted;
    const auto tasks = tasksOf(set);
    const auto run = simulate(tasks, settings(3s));
    ASSERT_EQ(sum(run.misses), 0u) << i;
    for (std::size_t k = 0; k < set.size(); ++k) EXPECT_LE(worstSeen(run, k), *worstResponse(set, k)) << i;
  }
  EXPECT_GT(accepted, 150);
}

TEST(SimulatorProperty, TheWorstResponseHappensAtTheCriticalInstant) {
  std::mt19937_64 random(2);
  int rejected = 0;
  for (int i = 0; i < 600; ++i) {
    auto set = uunifast(random, 3 + i % 6, 0.86 + 0.03 * (i % 5));
    assignRateMonotonicLevels(set);
    const auto verdict = test(AdmissionTest::ExactResponse, set);
    const auto run = simulate(tasksOf(set), settings(1s));  // all released at once: the critical instant
    if (!verdict.fits) {
      ++rejected;
      EXPECT_GT(sum(run.misses), 0u) << i;
      continue;
    }
    for (std::size_t k = 0; k < set.size(); ++k) EXPECT_EQ(worstSeen(run, k), *worstResponse(set, k)) << i;
  }
  EXPECT_GT(rejected, 60);
}

TEST(SimulatorProperty, BurstsAndJitterStayWithinTheAnalysis) {
  std::mt19937_64 random(3);
  int accepted = 0;
  for (int i = 0; i < 300; ++i) {
    auto set = uunifast(random, 4, 0.6);
    auto tasks = tasksOf(set);
    for (std::size_t k = 0; k < set.size(); ++k) {
      set[k].burst = 1 + static_cast<std::uint32_t>(random() % 3);
      set[k].deadline = tasks[k].deadline = set[k].period * 3;
    }
    assignRateMonotonicLevels(set);
    for (std::size_t k = 0; k < set.size(); ++k) {
      tasks[k].level = set[k].level;
      tasks[k].lbap.workahead = set[k].burst;
      // The source delivers in bursts, as early as the contract lets it and somewhat late at times.
      const auto early = static_cast<std::int64_t>(set[k].burst - 1);
      const Duration period = set[k].period;
      const Duration shift = Duration(static_cast<std::int64_t>(random() % 5'000'000));
      tasks[k].arrival = [=](std::int64_t packet) {
        return shift + period * std::max<std::int64_t>(0, packet - early);
      };
    }
    if (!test(AdmissionTest::ExactResponse, set).fits) continue;
    ++accepted;
    auto with = settings(2s);
    with.workahead = WorkaheadMode::Burst;
    EXPECT_EQ(sum(simulate(tasks, with).misses), 0u) << i;
  }
  EXPECT_GT(accepted, 100);
}

TEST(SimulatorProperty, EdfMeetsEveryDeadlineThatTheDemandCriterionPromises) {
  std::mt19937_64 random(4);
  int accepted = 0;
  for (int i = 0; i < 300; ++i) {
    auto set = uunifast(random, 5, 0.95);
    for (auto& each : set)
      each.deadline =
          std::max(each.processing,
                   Duration(each.period.count() * static_cast<std::int64_t>(70 + random() % 31) / 100));
    if (!test(AdmissionTest::EdfDemand, set).fits) continue;
    ++accepted;
    const auto tasks = tasksOf(set);
    auto with = settings(2s);
    with.earliestDeadlineFirst = true;
    EXPECT_EQ(sum(simulate(tasks, with).misses), 0u) << i;
  }
  EXPECT_GT(accepted, 30);
}

TEST(SimulatorProperty, WorkaheadNeverDelaysACriticalPacket) {
  std::mt19937_64 random(5);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    auto set = uunifast(random, 4, 0.8);
    assignRateMonotonicLevels(set);
    auto tasks = tasksOf(set);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      const Duration period = set[k].period;
      tasks[k].lbap.workahead = 4;
      tasks[k].arrival = [period](std::int64_t packet) {
        return period * std::max<std::int64_t>(0, packet - 3);
      };
    }
    auto with = settings(2s);
    const auto waiting = simulate(tasks, with);
    with.workahead = WorkaheadMode::Band;
    const auto early = simulate(tasks, with);
    // Every packet ends no later than it would if workahead packets were left alone.
    std::vector<std::vector<TimePoint>> ends(tasks.size());
    for (const auto& packet : early.packets) {
      auto& own = ends[packet.task];
      own.resize(std::max(own.size(), static_cast<std::size_t>(packet.packet) + 1), TimePoint::max());
      own[static_cast<std::size_t>(packet.packet)] = packet.end;
    }
    for (const auto& packet : waiting.packets) {
      const auto& own = ends[packet.task];
      ASSERT_LT(static_cast<std::size_t>(packet.packet), own.size());
      EXPECT_LE(own[static_cast<std::size_t>(packet.packet)], packet.end) << i;
      compared += own[static_cast<std::size_t>(packet.packet)] < packet.end;
    }
    EXPECT_LE(sum(early.misses), sum(waiting.misses));
  }
  EXPECT_GT(compared, 1000);  // and the workahead was worth something
}

TEST(SimulatorProperty, WorkaheadIsBelowOrdinaryPriority) {
  auto task = periodic(100ms, 30ms, 1);
  task.lbap.workahead = 4;
  task.arrival = [](std::int64_t packet) { return 100ms * std::max<std::int64_t>(0, packet - 3); };
  auto with = settings(2s);
  with.workahead = WorkaheadMode::Band;
  with.hogs = 1;
  for (const auto& packet : simulate({task}, with).packets) {
    EXPECT_GE(packet.begin, packet.logicalArrival);
    EXPECT_EQ(packet.end - packet.logicalArrival, 30ms);
  }
}

TEST(SimulatorProperty, DemotionIsolatesTheVictims) {
  std::mt19937_64 random(6);
  int tried = 0;
  std::uint64_t withoutDemotion = 0;
  for (int i = 0; i < 300; ++i) {
    auto set = uunifast(random, 4, 0.75);
    assignRateMonotonicLevels(set);
    if (!test(AdmissionTest::ExactResponse, set).fits) continue;
    ++tried;
    auto tasks = tasksOf(set);
    const std::size_t culprit = random() % tasks.size();
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      tasks[k].declared = set[k].processing;
      tasks[k].service = k % 2 == 0 ? ServiceClass::Guaranteed : ServiceClass::Statistical;
    }
    tasks[culprit].processing = [c = set[culprit].processing](std::int64_t) { return 10 * c; };
    auto with = settings(2s);
    with.hogs = 2;
    const auto run = simulate(tasks, with);
    for (std::size_t k = 0; k < tasks.size(); ++k)
      EXPECT_TRUE(k == culprit || run.misses[k] == 0) << i << ' ' << k;
    for (auto& task : tasks) task.declared = Duration{0};
    const auto unsupervised = simulate(tasks, with);
    for (std::size_t k = 0; k < tasks.size(); ++k)
      if (k != culprit) withoutDemotion += unsupervised.misses[k];
  }
  EXPECT_GT(tried, 100);
  EXPECT_GT(withoutDemotion, 1000u);  // the property is not idle
}

TEST(SimulatorProperty, PacketsOfAStreamLeaveInOrder) {
  std::mt19937_64 random(8);
  auto set = uunifast(random, 5, 1.1);
  assignRateMonotonicLevels(set);
  auto tasks = tasksOf(set);
  for (std::size_t k = 0; k < tasks.size(); ++k) tasks[k].declared = set[k].processing / 2;
  std::vector<std::int64_t> next(tasks.size(), 0);
  for (const auto& packet : simulate(tasks, settings(2s)).packets)
    EXPECT_EQ(packet.packet, next[packet.task]++);
}

/// Whether any window of the instants carries more than W + tR.
bool conforms(const std::vector<TimePoint>& instants, const LbapContract& lbap) {
  const Duration period = lbap.rate.period();
  for (std::size_t i = 0; i < instants.size(); ++i) {
    for (std::size_t j = i; j < instants.size(); ++j) {
      const auto packets = static_cast<std::int64_t>(j - i + 1);
      if ((packets - static_cast<std::int64_t>(lbap.workahead)) * period.count() >
          (instants[j] - instants[i]).count())
        return false;
    }
  }
  return true;
}

TEST(SimulatorProperty, OutputsAreTheLbapsThatCompositionSays) {
  std::mt19937_64 random(9);
  int accepted = 0;
  int tighter = 0;
  for (int i = 0; i < 120; ++i) {
    auto set = uunifast(random, 4, 0.8);
    assignRateMonotonicLevels(set);
    if (!test(AdmissionTest::ExactResponse, set).fits) continue;
    ++accepted;
    auto tasks = tasksOf(set);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      // Processing times vary up to the worst case, sources burst beyond their contract: both are regulated.
      tasks[k].processing = [c = set[k].processing, seed = random()](std::int64_t packet) {
        std::mt19937_64 own(seed + static_cast<std::uint64_t>(packet));
        return Duration(1 + static_cast<std::int64_t>(own() % static_cast<std::uint64_t>(c.count())));
      };
      tasks[k].arrival = [period = set[k].period](std::int64_t packet) { return period * (packet / 5 * 5); };
    }
    const auto run = simulate(tasks, settings(2s));
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      std::vector<TimePoint> leaves;
      for (const auto& packet : run.packets)
        if (packet.task == k) leaves.push_back(packet.end);
      const LbapContract output = outputOf(tasks[k].lbap, {Duration{0}, *worstResponse(set, k)});
      EXPECT_TRUE(conforms(leaves, output)) << i << ' ' << k;
      tighter += conforms(leaves, tasks[k].lbap);
    }
  }
  EXPECT_GT(accepted, 40);
  EXPECT_LT(tighter, accepted * 4);  // the input's own W would not do
}

TEST(LbapComposition, BufferHoldsWhatArrivesWithinTheDelay) {
  const LbapContract input{Rate::perSecond(10), 3, ByteCount{1000}};
  EXPECT_EQ(outputOf(input, {20ms, 170ms}).workahead, 5u);  // 150 ms at 10 a second: two more
  EXPECT_EQ(outputOf(input, {200ms, 100ms}).workahead, 3u);
  EXPECT_EQ(packetsHeld(input, 250ms), 6u);
  EXPECT_EQ(bufferFor(input, 250ms), ByteCount{6000});
  EXPECT_EQ(bufferFor({Rate::perSecond(10)}, 250ms), ByteCount{UINT64_MAX});
}

}  // namespace
}  // namespace tactus::periodic
