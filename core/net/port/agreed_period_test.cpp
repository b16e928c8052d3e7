// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/agreed_period.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::Duration;

HeardPeriods toldBy(const AgreedPeriod& agreed) {
  return {agreed.settled(), agreed.next()};
}

TEST(AgreedPeriod, IsInForceOnceTheReaderKnowsItAndSettledTwoBeatsLater) {
  AgreedPeriod agreed(20ms);
  EXPECT_TRUE(agreed.isSettled());
  EXPECT_FALSE(agreed.offer(20ms));
  EXPECT_TRUE(agreed.offer(30ms));
  EXPECT_EQ(agreed.inForce(), Duration(20ms));
  EXPECT_FALSE(agreed.confirm(20ms));
  EXPECT_TRUE(agreed.confirm(30ms));
  EXPECT_EQ(agreed.inForce(), Duration(30ms));
  EXPECT_FALSE(agreed.confirm(30ms)) << "once";
  agreed.beat();
  EXPECT_FALSE(agreed.isSettled());
  agreed.beat();
  EXPECT_TRUE(agreed.isSettled());
  EXPECT_EQ(agreed.settled(), Duration(30ms));
}

TEST(AgreedPeriod, AnotherWaitsUntilTheFirstIsSettled) {
  AgreedPeriod agreed(20ms);
  EXPECT_TRUE(agreed.offer(30ms));
  EXPECT_FALSE(agreed.offer(40ms));
  agreed.beat();
  agreed.beat();
  EXPECT_FALSE(agreed.offer(40ms)) << "the reader does not know of 30 ms yet";
  EXPECT_TRUE(agreed.confirm(30ms));
  EXPECT_FALSE(agreed.offer(40ms));
  agreed.beat();
  agreed.beat();
  EXPECT_TRUE(agreed.offer(40ms));
}

TEST(AgreedPeriod, UntilItIsSettledTheLongerIsJudgedAndTheShorterIsEnforced) {
  AgreedPeriod agreed(20ms);
  EXPECT_EQ(toldBy(agreed).judged(), Duration(20ms));
  for (const Duration next : {Duration(30ms), Duration(20ms)}) {
    EXPECT_TRUE(agreed.offer(next));
    EXPECT_EQ(toldBy(agreed).judged(), Duration(30ms));
    EXPECT_EQ(toldBy(agreed).enforced(), Duration(20ms));
    EXPECT_TRUE(agreed.confirm(next));
    EXPECT_EQ(toldBy(agreed).judged(), Duration(30ms));
    EXPECT_EQ(toldBy(agreed).enforced(), Duration(20ms));
    agreed.beat();
    agreed.beat();
    EXPECT_EQ(toldBy(agreed).judged(), next);
    EXPECT_EQ(toldBy(agreed).enforced(), next);
  }
}

}  // namespace
}  // namespace tactus::net
