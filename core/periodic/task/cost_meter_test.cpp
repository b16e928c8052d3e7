// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/cost_meter.h"

#include <gtest/gtest.h>

#include "core/periodic/task/admission_retry.h"
#include "core/periodic/task/overrun_notice.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kBegin{1000s};

TEST(CostMeter, APacketOfSeveralThreadsCostsItsShareOfTheirTime) {
  CostMeter meter;
  meter.restart(100, 1s);
  EXPECT_EQ(meter.ofPackets(103, 1030ms).packets, 0u) << "four packets at least";
  const auto measured = meter.ofPackets(105, 1050ms);
  EXPECT_EQ(measured.packets, 5u);
  EXPECT_EQ(measured.each, 10ms);
  EXPECT_EQ(meter.ofPackets(305, 1250ms).packets, 64u) << "one value does not fill the window";
}

TEST(CostMeter, AReadersPeriodCountsAsAPacket) {
  CostMeter meter;
  EXPECT_EQ(meter.ofPeriods(kBegin, 50ms, 100ms).packets, 0u);
  EXPECT_EQ(meter.ofPeriods(kBegin + 49ms, 50ms, 101ms).packets, 0u);
  const auto measured = meter.ofPeriods(kBegin + 500ms, 50ms, 120ms);
  EXPECT_EQ(measured.packets, 10u);
  EXPECT_EQ(measured.each, 2ms);
  EXPECT_EQ(meter.ofPeriods(kBegin + 60s, 50ms, 30s).packets, 0u) << "not looked at for long";
}

TEST(CostMeter, AReservationFollowsBeyondFifteenPercent) {
  EXPECT_FALSE(drifted(10ms, 11500us));
  EXPECT_TRUE(drifted(10ms, 11501us));
  EXPECT_TRUE(drifted(10ms, 8499us));
  EXPECT_FALSE(drifted(100us, 150us)) << "50 us are not worth an admission";
  EXPECT_TRUE(drifted(100us, 151us));
}

TEST(AdmissionRetry, WaitsDoubleFromHalfASecondToFour) {
  AdmissionRetry retry;
  TimePoint now = kBegin;
  EXPECT_TRUE(retry.due(now));
  for (const Duration wait : {500ms, 1000ms, 2000ms, 4000ms, 4000ms}) {
    retry.asked(now);
    EXPECT_FALSE(retry.due(now + wait - 1ns));
    EXPECT_TRUE(retry.due(now += wait));
  }
  retry.admitted();
  retry.asked(now);
  EXPECT_TRUE(retry.due(now + 500ms));
}

TEST(OverrunNotice, TellsOfMoreThanTenOnceAMinute) {
  OverrunNotice notice;
  EXPECT_FALSE(notice.tell(kBegin, 10));
  EXPECT_TRUE(notice.tell(kBegin, 11));
  EXPECT_FALSE(notice.tell(kBegin + 59s, 100));
  EXPECT_TRUE(notice.tell(kBegin + 60s, 100));
  EXPECT_FALSE(notice.tell(kBegin + 180s, 110)) << "ten more are few";
}

}  // namespace
}  // namespace tactus::periodic
