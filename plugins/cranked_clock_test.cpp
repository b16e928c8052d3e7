// SPDX-License-Identifier: Apache-2.0
#include "plugins/cranked_clock.h"

#include <gtest/gtest.h>

#include <thread>

namespace tactus::plugins::testing {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

/// Waits on the clock for an instant; what it shows then.
periodic::Duration waitOn(const CrankedClock& time, periodic::Duration instant) {
  GstClockID const id =
      gst_clock_new_single_shot_id(time.clock().get(), static_cast<GstClockTime>(instant.count()));
  gst_clock_id_wait(id, nullptr);
  gst_clock_id_unref(id);
  return time.reading();
}

TEST(CrankedClock, IsAtOnceWhereItIsWaitedFor) {
  const CrankedClock time;
  EXPECT_EQ(time.reading(), 0s);
  EXPECT_EQ(waitOn(time, 1h), 1h);
  EXPECT_EQ(waitOn(time, 1s), 1h) << "it never goes back";
  EXPECT_EQ(waitOn(time, 2h), 2h);
}

TEST(CrankedClock, HeldItGoesNoFurther) {
  CrankedClock time;
  time.holdAt(1h);
  EXPECT_EQ(waitOn(time, 1h), 1h);
  std::thread later([&] { EXPECT_EQ(waitOn(time, 2h), 2h); });
  EXPECT_TRUE(time.isHeld());
  EXPECT_EQ(waitOn(time, 30min), 1h);
  time.letGo();
  later.join();
}

TEST(CrankedClock, ASleepEndsThoughTheClockStands) {
  CrankedClock time;
  const periodic::Interrupt none;
  EXPECT_EQ(time.sleepUntil(TimePoint(1h), none), periodic::Wake::OnTime);
  EXPECT_EQ(time.reading(), 0s);
  periodic::Interrupt raised;
  raised.raise();
  EXPECT_EQ(time.sleepUntil(TimePoint(1h), raised), periodic::Wake::Interrupted);
}

}  // namespace
}  // namespace tactus::plugins::testing
