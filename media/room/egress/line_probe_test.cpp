// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/line_probe.h"

#include <gtest/gtest.h>

#include <vector>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using net::BitRate;

constexpr std::size_t kPacket = 1000;  // bytes
constexpr periodic::TimePoint kStart{100s};

BitRate kilobits(std::int64_t rate) {
  return BitRate::perSecond(rate * 1000);
}

/// Sends what is due every 10 ms over a line that carries `carries`, and tells what became of it.
class LineProbeTest : public ::testing::Test {
 protected:
  void run(BitRate asked, BitRate carries, int lostOfTen = 0) {
    probe.begin(kStart, asked);
    periodic::Duration free{0};  // when the line is
    for (auto now = kStart; now < kStart + 200ms; now += 10ms) {
      const bool ends = now >= kStart + LineProbe::kSpan;
      std::size_t left = ends ? kPacket : probe.due(now).value_or(0);
      for (; left > 0; left -= std::min(left, kPacket)) {
        probe.sent(now, kPacket);
        if (!ends) probe.repeated(1);
        const periodic::Duration takes(8'000'000'000LL * static_cast<std::int64_t>(kPacket) / carries.bits());
        free = std::max(free, now - kStart) + takes;
        const bool lost = static_cast<int>(outcomes.size() * 7 % 10) < lostOfTen;
        outcomes.push_back({now, kPacket, lost ? std::nullopt : std::optional(free)});
      }
    }
  }

  /// kbit/s, of the result.
  [[nodiscard]] double carried() const { return static_cast<double>(probe.result()->carried.bits()) / 1000; }
  [[nodiscard]] double sent() const { return static_cast<double>(probe.result()->sent.bits()) / 1000; }

  LineProbe probe;
  std::vector<net::PacketOutcome> outcomes;
};

TEST_F(LineProbeTest, ALineThatCarriesTheRateShowsIt) {
  run(kilobits(1000), kilobits(20'000));
  EXPECT_FALSE(probe.result()) << "nothing is known yet";
  probe.told(kStart + 250ms, outcomes);
  ASSERT_TRUE(probe.result());
  EXPECT_NEAR(carried(), 1000, 100);
  EXPECT_NEAR(sent(), 1000, 100);
  EXPECT_GE(probe.result()->repeated, 17u);
}

TEST_F(LineProbeTest, ALineThatCarriesLessShowsWhatItCarries) {
  run(kilobits(1000), kilobits(400));
  probe.told(kStart + 600ms, outcomes);
  ASSERT_TRUE(probe.result());
  EXPECT_NEAR(carried(), 400, 4);
}

TEST_F(LineProbeTest, WhatALineLosesItDoesNotCarry) {
  run(kilobits(1000), kilobits(20'000), 5);
  probe.told(kStart + 250ms, outcomes);
  ASSERT_TRUE(probe.result());
  EXPECT_LT(carried(), 650);
}

TEST_F(LineProbeTest, WhatIsSentAnywayCountsForIt) {
  probe.begin(kStart, kilobits(800));
  EXPECT_EQ(probe.due(kStart + 100ms), 10'000u);
  probe.sent(kStart + 100ms, 4'000);
  EXPECT_EQ(probe.due(kStart + 100ms), 6'000u);
  probe.sent(kStart + 100ms, 7'000);
  EXPECT_EQ(probe.due(kStart + 100ms), 0u);
  EXPECT_EQ(probe.due(kStart + 149ms), 3'900u);
  EXPECT_EQ(probe.due(kStart + 150ms), std::nullopt);
}

TEST_F(LineProbeTest, WithoutFeedbackItEndsAfterAWhile) {
  run(kilobits(1000), kilobits(20'000));
  probe.told(kStart + 1149ms, {});
  EXPECT_FALSE(probe.result());
  probe.told(kStart + 1150ms, {});
  ASSERT_TRUE(probe.result());
  EXPECT_TRUE(probe.result()->carried.isZero());
}

TEST_F(LineProbeTest, PacketsOfBeforeSayNothing) {
  probe.begin(kStart, kilobits(1000));
  const std::vector<net::PacketOutcome> before{{kStart - 10ms, kPacket, 0ms}, {kStart - 5ms, kPacket, 1ms}};
  probe.told(kStart + 200ms, before);
  EXPECT_FALSE(probe.result());
  const std::vector<net::PacketOutcome> after{{kStart + 150ms, kPacket, 90ms}};
  probe.told(kStart + 300ms, after);
  ASSERT_TRUE(probe.result());
  EXPECT_EQ(probe.result()->repeated, 0u);
  EXPECT_TRUE(probe.result()->carried.isZero());
}

TEST_F(LineProbeTest, ANewOneForgetsTheResultOfTheOneBefore) {
  run(kilobits(1000), kilobits(400));
  probe.told(kStart + 600ms, outcomes);
  ASSERT_TRUE(probe.result());
  probe.begin(kStart + 2s, kilobits(500));
  EXPECT_FALSE(probe.result());
  EXPECT_EQ(probe.due(kStart + 2s), 0u);
}

}  // namespace
}  // namespace tactus::media
