// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_presence.h"

#include <gtest/gtest.h>

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

constexpr TimePoint kStart{1000s};

TEST(DevicePresence, WithoutADaemonNothingIsServedAndNothingStalls) {
  DevicePresence presence;
  presence.beginToPlay(kStart);
  EXPECT_FALSE(presence.served(kStart));
  EXPECT_FALSE(presence.stall());
  EXPECT_FALSE(presence.stalled());
}

TEST(DevicePresence, TheFirstCallbackHasHalfASecond) {
  DevicePresence presence;
  presence.expect(kStart);
  presence.setLinked(true);
  EXPECT_TRUE(presence.served(kStart + 499ms));
  EXPECT_FALSE(presence.served(kStart + 500ms));
}

TEST(DevicePresence, LaterOnesHaveAQuarterOfASecond) {
  DevicePresence presence;
  presence.expect(kStart);
  presence.setLinked(true);
  presence.arrived(kStart + 10ms);
  EXPECT_TRUE(presence.served(kStart + 259ms));
  EXPECT_FALSE(presence.served(kStart + 260ms));
}

TEST(DevicePresence, OnlyTheFirstCallbackAndThatAfterAStallAreNews) {
  DevicePresence presence;
  presence.expect(kStart);
  presence.setLinked(true);
  EXPECT_FALSE(presence.taken());
  EXPECT_TRUE(presence.arrived(kStart));
  EXPECT_TRUE(presence.taken());
  EXPECT_FALSE(presence.arrived(kStart + 20ms));
  EXPECT_TRUE(presence.stall());
  EXPECT_FALSE(presence.stall()) << "a second time it is no news";
  EXPECT_TRUE(presence.stalled());
  EXPECT_TRUE(presence.arrived(kStart + 400ms));
  EXPECT_FALSE(presence.stalled());
}

TEST(DevicePresence, ANewStreamHasTakenNothing) {
  DevicePresence presence;
  presence.expect(kStart);
  presence.setLinked(true);
  presence.arrived(kStart);
  presence.expect(kStart + 1s);
  EXPECT_FALSE(presence.taken());
  EXPECT_TRUE(presence.arrived(kStart + 1s));
}

}  // namespace
}  // namespace tactus::plugins
