// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/elastic.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tactus::periodic {
namespace {

double loadOf(const std::vector<ElasticOperation>& operations, const ElasticPlan& plan) {
  double sum = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) sum += operations[i].load * plan.frequency[i];
  return sum;
}

TEST(Compress, EverythingRunsWhereThereIsRoom) {
  const std::vector<ElasticOperation> two{{0.4, 0.1, 1}, {0.4, 0.1, 1}};
  const auto plan = compress(two, 0.9);
  EXPECT_TRUE(plan.fits);
  EXPECT_EQ(plan.frequency, (std::vector<double>{1, 1}));
}

TEST(Compress, EqualsGiveEqually) {
  const std::vector<ElasticOperation> two{{0.6, 0.1, 1}, {0.6, 0.1, 1}};
  const auto plan = compress(two, 0.9);
  EXPECT_NEAR(plan.frequency[0], 0.75, 1e-9);
  EXPECT_NEAR(plan.frequency[1], 0.75, 1e-9);
}

TEST(Compress, TheMandatoryGiveNothing) {
  const std::vector<ElasticOperation> two{{0.6, 1.0, 1}, {0.6, 0.1, 1}};
  const auto plan = compress(two, 0.9);
  EXPECT_EQ(plan.frequency[0], 1);
  EXPECT_NEAR(plan.frequency[1], 0.5, 1e-9);
}

TEST(Compress, TheHeavierGivesLess) {
  const std::vector<ElasticOperation> two{{0.5, 0, 3}, {0.5, 0, 1}};
  const auto plan = compress(two, 0.8);
  EXPECT_NEAR(1 - plan.frequency[1], 3 * (1 - plan.frequency[0]), 1e-9);
  EXPECT_NEAR(loadOf(two, plan), 0.8, 1e-9);
}

TEST(Compress, WhatCannotFitSaysSo) {
  const std::vector<ElasticOperation> two{{0.6, 0.9, 1}, {0.6, 0.9, 1}};
  const auto plan = compress(two, 0.5);
  EXPECT_FALSE(plan.fits);
  EXPECT_EQ(plan.frequency, (std::vector<double>{0.9, 0.9}));
}

TEST(Compress, NothingAndNonsense) {
  EXPECT_TRUE(compress({}, 0).fits);
  const std::vector<ElasticOperation> odd{{-1, -3, 0}, {0, 7, -1}, {0.5, 0.5, 1e-12}};
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

}  // namespace
}  // namespace tactus::periodic
