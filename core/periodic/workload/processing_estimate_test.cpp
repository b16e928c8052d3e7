// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/workload/processing_estimate.h"

#include <gtest/gtest.h>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

TEST(ProcessingEstimate, SaysNothingBeforeItKnows) {
  ProcessingEstimate estimate;
  for (std::uint64_t i = 0; i + 1 < ProcessingEstimate::kTrustworthy; ++i) estimate.record(4ms);
  EXPECT_EQ(estimate.figures(0.9), std::nullopt);
  estimate.record(4ms);
  ASSERT_TRUE(estimate.figures(0.9).has_value());
  EXPECT_NEAR(static_cast<double>(estimate.figures(0.9)->typical.count()), 4e6, 0.1e6);
}

TEST(ProcessingEstimate, QuantileAndWorst) {
  ProcessingEstimate estimate;
  for (int i = 0; i < 200; ++i) estimate.record(i % 20 == 0 ? 30ms : 5ms);  // every twentieth a key frame
  EXPECT_NEAR(static_cast<double>(estimate.figures(0.9)->typical.count()), 5e6, 0.4e6);
  EXPECT_NEAR(static_cast<double>(estimate.figures(0.99)->typical.count()), 30e6, 2e6);
  EXPECT_EQ(estimate.figures(0.9)->worst, 30ms);
}

TEST(ProcessingEstimate, FollowsTheStreamBothWays) {
  ProcessingEstimate estimate;
  for (int i = 0; i < 600; ++i) estimate.record(2ms);
  for (int i = 0; i < 40; ++i) estimate.record(20ms);
  EXPECT_EQ(estimate.figures(0.99)->worst, 20ms);
  for (int i = 0; i < 600; ++i) estimate.record(2ms);
  EXPECT_EQ(estimate.figures(0.99)->worst, 2ms);
}

TEST(ProcessingMemory, SurvivesSaveAndLoad) {
  ProcessingMemory memory;
  memory.learn("h264 1280x720 avdec_h264", {4ms, 9ms, 1000});
  memory.learn("opus", {100us, 200us, 50});
  ProcessingMemory other;
  other.load(memory.save());
  ASSERT_TRUE(other.find("h264 1280x720 avdec_h264").has_value());
  EXPECT_EQ(other.find("h264 1280x720 avdec_h264")->worst, 9ms);
  EXPECT_EQ(other.find("opus")->typical, 100us);
  EXPECT_EQ(other.find("vp9"), std::nullopt);
}

TEST(ProcessingMemory, DamagedTextCostsOnlyItsLines) {
  ProcessingMemory memory;
  memory.load(
      "4\t9\t10\tgood\nrubbish\n9\t4\t1\ttypical above worst\n-1\t2\t3\tnegative\n1\t2\n\n\t\t\t\n1\t2\t3\t\n"
      "99999999999999999999\t1\t1\ttoo large\n0\t5\t1\tno typical\n\xff\xfe\n1\t2\t3\tlast");
  EXPECT_EQ(memory.size(), 3u);
  EXPECT_TRUE(memory.find("good") && memory.find("last") && memory.find("no typical"));
}

TEST(ProcessingMemory, ForgetsTheLeastRecentlyLearned) {
  ProcessingMemory memory;
  for (std::size_t i = 0; i <= ProcessingMemory::kKinds; ++i) memory.learn(std::to_string(i), {1ms, 2ms, 1});
  EXPECT_EQ(memory.size(), ProcessingMemory::kKinds);
  EXPECT_FALSE(memory.find("0").has_value());
  EXPECT_TRUE(memory.find("1").has_value());
}

TEST(ProcessingMemory, NamesThatWouldBreakTheFileAreNotKept) {
  ProcessingMemory memory;
  memory.learn("a\tb", {1ms, 2ms, 1});
  memory.learn("", {1ms, 2ms, 1});
  EXPECT_EQ(memory.size(), 0u);
}

}  // namespace
}  // namespace tactus::periodic
