// SPDX-License-Identifier: Apache-2.0
// What the table admits never misses, over random sets of tasks.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <random>

#include "core/periodic/admission/reservation_table.h"
#include "core/periodic/simulation/simulator.h"
#include "core/periodic/simulation/uunifast.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

AdmissionPolicy policy(std::vector<int> cpus = {0}) {
  AdmissionPolicy made;
  made.cpus = std::move(cpus);
  return made;
}

RC_GTEST_PROP(ReservationTableProperty, WhoLeavesPacketsOutAndIsAdmittedNeverMisses, ()) {
  ReservationTable table(policy());
  const int count = *rc::gen::inRange(2, 7);
  for (int i = 0; i < count; ++i) {
    ReservationContract asked;
    asked.rate = Rate::fromPeriod(std::chrono::milliseconds(*rc::gen::inRange(5, 100))).value();
    asked.worst = asked.rate.period() * *rc::gen::inRange(2, 40) / 100;
    asked.service = ServiceClass::Guaranteed;
    asked.frequency = *rc::gen::inRange(10, 101) / 100.0;
    asked.preferred = *rc::gen::inRange(0, 3) == 0;
    asked.worksAhead = *rc::gen::arbitrary<bool>();
    (void)table.create(asked).ok();
  }
  std::vector<SimulatedTask> tasks;
  for (const auto& entry : table.list()) {
    SimulatedTask task;
    task.lbap = {entry.contract.rate, 1};
    task.level = entry.parts[0].level;
    task.processing = [worst = entry.contract.worst](std::int64_t) { return worst; };
    // The k-th packet that runs (filter: floor((j + 1) f) > floor(j f)), the pattern begun anywhere.
    std::vector<std::int64_t> runs;
    const double f = entry.contract.frequency;
    for (std::int64_t j = *rc::gen::inRange(0, 20); runs.size() < 2000; ++j)
      if (std::floor(static_cast<double>(j + 1) * f) > std::floor(static_cast<double>(j) * f))
        runs.push_back(j);
    task.arrival = [period = entry.contract.rate.period(), runs](std::int64_t packet) {
      return period * (runs[static_cast<std::size_t>(packet) % runs.size()] - runs[0]);
    };
    tasks.push_back(task);
  }
  SimulationSettings with;
  with.length = 2s;
  for (const auto misses : simulate(tasks, with).misses) RC_ASSERT(misses == 0u);
}

/// The tasks on one processor, whose packets arrive as early as their workahead allows.
std::vector<SimulatedTask> admittedTo(const ReservationTable& table, int cpu) {
  std::vector<SimulatedTask> tasks;
  for (const auto& entry : table.list()) {
    EXPECT_TRUE(entry.admitted);
    for (const auto& part : entry.parts) {
      if (part.cpu != cpu) continue;
      SimulatedTask task;
      task.lbap = {entry.contract.rate, entry.contract.workahead};
      task.level = part.level;
      task.deadline = entry.contract.deadline;
      task.processing = [worst = entry.contract.worst](std::int64_t) { return worst; };
      const auto early = static_cast<std::int64_t>(entry.contract.workahead - 1);
      task.arrival = [period = entry.contract.rate.period(), early](std::int64_t packet) {
        return period * std::max<std::int64_t>(0, packet - early);
      };
      tasks.push_back(task);
    }
  }
  return tasks;
}

TEST(ReservationTableProperty, WhatIsAdmittedNeverMisses) {
  std::mt19937_64 random(31);
  int admitted = 0;
  int refused = 0;
  for (int round = 0; round < 60; ++round) {
    ReservationTable table(policy({0, 1}));
    std::vector<ReservationId> held;
    for (int step = 0; step < 30; ++step) {
      if (random() % 4 == 0 && !held.empty()) {
        const std::size_t which = random() % held.size();
        table.release(held[which]);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
        continue;
      }
      if (random() % 4 == 0 && !held.empty()) {
        // Whoever needs less keeps its place, and everybody stays in time.
        const ReservationId which = held[random() % held.size()];
        ReservationContract less = table.find(which)->contract;
        if (random() % 2 == 0) less.rate = Rate::fromPeriod(less.rate.period() * 3 / 2).value();
        less.worst = less.worst * 7 / 10;
        EXPECT_TRUE(table.change(which, less).ok());
        continue;
      }
      const auto demand = uunifast(random, 1, 0.05 + 0.3 * static_cast<double>(random() % 100) / 100)[0];
      ReservationContract asked;
      asked.rate = Rate::fromPeriod(demand.period).value();
      asked.worst = demand.processing;
      asked.service = ServiceClass::Guaranteed;
      asked.preferred = random() % 3 == 0;
      asked.worksAhead = random() % 2 == 0;
      asked.workahead = 1 + static_cast<std::uint32_t>(random() % 2);
      asked.deadline = demand.period * static_cast<std::int64_t>(asked.workahead);
      const bool hopeless = table.hopeless(asked);
      const auto made = table.create(asked);
      EXPECT_FALSE(hopeless && made.ok());
      if (made.ok()) held.push_back(made.value());
      (made.ok() ? admitted : refused) += 1;
    }
    for (const int cpu : {0, 1}) {
      EXPECT_LE(table.load(cpu), 0.9 + 1e-9);
      SimulationSettings with;
      with.workahead = WorkaheadMode::Burst;
      with.length = 2s;
      for (const auto misses : simulate(admittedTo(table, cpu), with).misses) EXPECT_EQ(misses, 0u);
    }
  }
  EXPECT_GT(admitted, 400);
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace tactus::periodic
