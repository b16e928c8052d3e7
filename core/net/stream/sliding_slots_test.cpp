// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/sliding_slots.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

struct Count {
  int value = 0;
};

int sum(const SlidingSlots<Count, 3>& slots, TimePoint now) {
  int all = 0;
  slots.forEach(now, [&](const Count& each) { all += each.value; });
  return all;
}

TEST(SlidingSlots, ForgetWhatIsOlderThanTheWindow) {
  SlidingSlots<Count, 3> slots(100ms);
  const TimePoint start = TimePoint{} + 1000s;
  slots.at(start + 50ms).value += 1;
  slots.at(start + 99ms).value += 1;
  slots.at(start + 100ms).value += 10;
  EXPECT_EQ(sum(slots, start + 299ms), 12);
  EXPECT_EQ(sum(slots, start + 300ms), 10);
  EXPECT_EQ(sum(slots, start + 400ms), 0);
  slots.at(start + 300ms).value += 100;  // takes the place of the first slot
  EXPECT_EQ(sum(slots, start + 300ms), 110);
}

TEST(SlidingSlots, AnInstantBeforeTheWindowDoesNotEraseWhatIsNewer) {
  SlidingSlots<Count, 3> slots(100ms);
  const TimePoint start = TimePoint{} + 1000s;
  slots.at(start + 300ms).value = 5;
  EXPECT_EQ(slots.at(start).value, 5);
  slots.at(start + 200ms).value = 2;
  EXPECT_EQ(sum(slots, start + 300ms), 7);
}

TEST(SlidingSlots, ForgetEverythingWhenTheyAreCleared) {
  SlidingSlots<Count, 3> slots(100ms);
  slots.at(TimePoint{} + 1s).value = 5;
  slots.clear();
  EXPECT_EQ(sum(slots, TimePoint{} + 1s), 0);
  EXPECT_EQ(slots.at(TimePoint{} + 1s).value, 0);
}

}  // namespace
}  // namespace tactus::net
