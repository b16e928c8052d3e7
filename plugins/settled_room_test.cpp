// SPDX-License-Identifier: Apache-2.0
#include "plugins/settled_room.h"

#include <gtest/gtest.h>

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

constexpr TimePoint kStart{1000s};
constexpr PictureRoom kSmall{320, 240}, kLarge{640, 480}, kLarger{800, 600};

TEST(SettledRoom, ANewRoomCountsAfter150Milliseconds) {
  SettledRoom room;
  room.adopt(kSmall);
  EXPECT_FALSE(room.differs(kLarge, kStart));
  EXPECT_FALSE(room.differs(kLarge, kStart + 149ms));
  EXPECT_TRUE(room.differs(kLarge, kStart + 150ms));
}

TEST(SettledRoom, EachChangeBeginsTheWaitAnew) {
  SettledRoom room;
  room.adopt(kSmall);
  EXPECT_FALSE(room.differs(kLarge, kStart));
  EXPECT_FALSE(room.differs(kLarger, kStart + 100ms));
  EXPECT_FALSE(room.differs(kLarger, kStart + 200ms));
  EXPECT_TRUE(room.differs(kLarger, kStart + 250ms));
}

TEST(SettledRoom, ARoomThatReturnsIsNoChange) {
  SettledRoom room;
  room.adopt(kSmall);
  EXPECT_FALSE(room.differs(kLarge, kStart));
  EXPECT_FALSE(room.differs(kSmall, kStart + 100ms));
  EXPECT_FALSE(room.differs(kLarge, kStart + 200ms));
  EXPECT_FALSE(room.differs(kLarge, kStart + 349ms));
  EXPECT_TRUE(room.differs(kLarge, kStart + 350ms));
}

TEST(SettledRoom, AnAdoptedRoomIsInForceAtOnce) {
  SettledRoom room;
  room.adopt(kSmall);
  EXPECT_FALSE(room.differs(kLarge, kStart));
  room.adopt(kLarge);
  EXPECT_FALSE(room.differs(kLarge, kStart + 1s));
}

}  // namespace
}  // namespace tactus::plugins
