// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/frequency_history.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace tactus::periodic {
namespace {

double frequency(int least = 0) {
  return *rc::gen::inRange(least, 1001) / 1000.0;
}

RC_GTEST_PROP(FrequencyHistoryProperty, WithoutAChangeItIsTheFilter, ()) {
  const double f = frequency();
  FrequencyFilter filter(f);
  FrequencyHistory history;
  history.setFrequency(f);
  for (std::int64_t job = 0; job < 500; ++job) RC_ASSERT(history.runs(job) == filter.next());
}

RC_GTEST_PROP(FrequencyHistoryProperty, WhatIsDecidedStaysDecided, ()) {
  FrequencyHistory history;
  history.setFrequency(frequency());
  std::vector<bool> first;
  for (int change = 0; change < 20; ++change) {
    const auto jobs = static_cast<std::size_t>(*rc::gen::inRange(0, 30));
    for (std::size_t i = 0; i < jobs; ++i)
      first.push_back(history.runs(static_cast<std::int64_t>(first.size())));
    history.setFrequency(frequency());
  }
  for (std::size_t job = 0; job < first.size(); ++job)
    RC_ASSERT(history.runs(static_cast<std::int64_t>(job)) == first[job]);
}

/// As a decoder meets pictures: each one that others refer to before those that are shown before it.
RC_GTEST_PROP(FrequencyHistoryProperty, ChangesKeepTheWeakestPromiseInAnyOrder, ()) {
  FrequencyHistory history;
  const int group = *rc::gen::inRange(1, 6);
  std::vector<bool> shown(600);
  double least = 1;
  for (int at = 0; at + group <= 600; at += group) {
    if (*rc::gen::inRange(0, 3) == 0) {
      const double f = frequency(100);
      least = std::min(least, static_cast<double>(FrequencyFilter::partsOf(f)) / FrequencyFilter::kOne);
      history.setFrequency(f);
    }
    shown[static_cast<std::size_t>(at + group - 1)] = history.runs(at + group - 1);
    for (int i = 0; i + 1 < group; ++i) shown[static_cast<std::size_t>(at + i)] = history.runs(at + i);
  }
  int row = 0;
  for (const bool runs : shown) {
    row = runs ? 0 : row + 1;
    RC_ASSERT(row < FrequencyFilter(least).promise().k);
  }
}

TEST(FrequencyHistory, ANewFrequencyHoldsFromTheNextJobOn) {
  FrequencyHistory history;
  EXPECT_TRUE(history.runs(100));
  history.setFrequency(0);
  EXPECT_TRUE(history.runs(100));
  EXPECT_TRUE(history.runs(0));
  EXPECT_FALSE(history.runs(101));
  history.setFrequency(1);
  EXPECT_TRUE(history.runs(102));
  EXPECT_FALSE(history.runs(101));
}

TEST(FrequencyHistory, ForgetsTheOldestChangesOnly) {
  FrequencyHistory history;
  const auto changes = static_cast<std::int64_t>(3 * FrequencyHistory::kChanges);
  for (std::int64_t job = 0; job < changes; ++job) {
    history.setFrequency(job % 2 == 0 ? 1 : 0);
    EXPECT_EQ(history.runs(job), job % 2 == 0);
  }
  for (std::int64_t job = changes - static_cast<std::int64_t>(FrequencyHistory::kChanges); job < changes;
       ++job)
    EXPECT_EQ(history.runs(job), job % 2 == 0) << job;
}

TEST(FrequencyHistory, AfterARestartTheLatestFrequencyHoldsForAll) {
  FrequencyHistory history;
  (void)history.runs(1000);
  history.setFrequency(0);
  history.restart();
  EXPECT_FALSE(history.runs(0));
  EXPECT_FALSE(history.runs(1000));
}

}  // namespace
}  // namespace tactus::periodic
