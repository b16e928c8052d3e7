// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/net/port/virtual_port_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::MonotonicClock;
using periodic::TimePoint;

TEST(LoopWake, ARaisedOneEndsWaitsUntilItIsCleared) {
  const auto wake = LoopWake::create().value();
  EXPECT_FALSE(wake->isRaised());
  wake->raise();
  wake->raise();
  EXPECT_TRUE(wake->isRaised());
  wake->wait({});
  wake->wait({}, TimePoint::max());
  wake->clear();
  EXPECT_FALSE(wake->isRaised());
  const TimePoint until = MonotonicClock::now() + 1ms;
  wake->wait({}, until);
  EXPECT_GE(MonotonicClock::now(), until) << "it lasts again";
}

TEST(LoopWake, AWaitThatLastsForEverIsEndedByAnotherThread) {
  const auto wake = LoopWake::create().value();
  for (int i = 0; i < 100; ++i) {
    std::thread other([&] { wake->raise(); });
    wake->wait({});
    EXPECT_TRUE(wake->isRaised());
    other.join();
    wake->clear();
  }
}

TEST(LoopWake, AnInstantThatHasPassedIsNoWait) {
  const auto wake = LoopWake::create().value();
  wake->wait({.until = TimePoint::min()});
  wake->wait({.until = TimePoint()});
  wake->wait({}, TimePoint::min());
  wake->wait({.until = TimePoint::max()}, MonotonicClock::now());
  EXPECT_FALSE(wake->isRaised());
}

TEST(LoopWake, TheEarlierInstantEndsTheWait) {
  const auto wake = LoopWake::create().value();
  const TimePoint until = MonotonicClock::now() + 1ms;
  wake->wait({.until = until}, until + 24h);
  wake->wait({.until = until + 24h}, until);
  EXPECT_GE(MonotonicClock::now(), until);
}

TEST(LoopWake, WhatAnEndWaitsForEndsTheWait) {
  const auto wake = LoopWake::create().value();
  const Descriptor readable = readableDescriptor();
  wake->wait({readable.get(), POLLIN});
  EXPECT_FALSE(wake->isRaised());
}

}  // namespace
}  // namespace tactus::net
