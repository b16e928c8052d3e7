// SPDX-License-Identifier: Apache-2.0
#include "plugins/device_delay.h"

#include <gtest/gtest.h>

namespace tactus::plugins {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::TimePoint;

constexpr TimePoint kStart{1000s};

Duration nothing() {
  return Duration{0};
}

TEST(DeviceDelay, BeforeTheFirstTurnItIsWhatWaits) {
  const DeviceDelay delay;
  EXPECT_EQ(delay.total(kStart, [] { return Duration(7ms); }), 7ms);
}

TEST(DeviceDelay, IsTheRingAndTheRestOfTheTurnAndTheDevice) {
  DeviceDelay delay;
  delay.beginTurn();
  delay.endTurn(kStart, 20ms, 5ms);
  EXPECT_EQ(delay.total(kStart, [] { return Duration(40ms); }), 65ms);
  EXPECT_EQ(delay.total(kStart + 8ms, [] { return Duration(40ms); }), 57ms);
}

TEST(DeviceDelay, NeverFallsBelowTheDevicesOwnDelayWhenATurnIsLate) {
  DeviceDelay delay;
  delay.beginTurn();
  delay.endTurn(kStart, 20ms, 5ms);
  EXPECT_EQ(delay.total(kStart + 90ms, nothing), 5ms);
}

TEST(DeviceDelay, IsAtMostOneTurnAheadOfTheDevice) {
  DeviceDelay delay;
  delay.beginTurn();
  delay.endTurn(kStart, 20ms, 5ms);
  EXPECT_EQ(delay.total(kStart - 10ms, nothing), 25ms) << "read with an instant from before the turn";
}

TEST(DeviceDelay, ATurnMovesTimeFromTheRingToTheDevice) {
  DeviceDelay delay;
  Duration ring = 60ms;
  const auto waiting = [&ring] { return ring; };
  delay.beginTurn();
  delay.endTurn(kStart, 0ms, 5ms);
  EXPECT_EQ(delay.total(kStart, waiting), 65ms);
  delay.beginTurn();
  ring -= 20ms;
  delay.endTurn(kStart, 20ms, 5ms);
  EXPECT_EQ(delay.total(kStart, waiting), 65ms);
}

TEST(DeviceDelay, AReaderWithinAStoppedTurnIsAnsweredAllTheSame) {
  DeviceDelay delay;
  delay.beginTurn();
  EXPECT_EQ(delay.total(kStart, [] { return Duration(3ms); }), 3ms);
}

TEST(DeviceDelay, AReaderOverlappedByATurnReadsAgain) {
  DeviceDelay delay;
  delay.beginTurn();
  delay.endTurn(kStart, 0ms, 5ms);
  int readings = 0;
  const Duration total = delay.total(kStart, [&] {
    if (++readings > 1) return Duration(40ms);
    delay.beginTurn();
    delay.endTurn(kStart, 20ms, 5ms);
    return Duration(60ms);  // from before the turn: together with what the turn wrote it would be 85 ms
  });
  EXPECT_EQ(total, 65ms);
  EXPECT_EQ(readings, 2);
}

TEST(DeviceDelay, NothingIsLeftOfADeviceThatIsGone) {
  DeviceDelay delay;
  delay.beginTurn();
  delay.endTurn(kStart, 20ms, 5ms);
  delay.reset();
  EXPECT_EQ(delay.total(kStart, nothing), 0ms);
}

}  // namespace
}  // namespace tactus::plugins
