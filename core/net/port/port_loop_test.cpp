// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_loop.h"

#include <gtest/gtest.h>

namespace tactus::net {
namespace {

using periodic::TimePoint;

TEST(LoopWake, WaitsNotAtAllForAnInstantThatHasPassedHoweverEarly) {
  const auto wake = LoopWake::create().value();
  wake->wait(EndWait::atOnce());
  wake->wait({.until = TimePoint::min()});
  wake->wait({}, TimePoint::min());
}

TEST(LoopWake, EndsEachWaitWhileItIsRaised) {
  const auto wake = LoopWake::create().value();
  wake->raise();
  EXPECT_TRUE(wake->isRaised());
  wake->wait({});
  wake->wait({});
  wake->clear();
  EXPECT_FALSE(wake->isRaised());
}

}  // namespace
}  // namespace tactus::net
