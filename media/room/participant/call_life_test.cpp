// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/call_life.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;
using enum TransportState;
constexpr periodic::TimePoint kStart{};

CallLife live() {
  CallLife life;
  life.answered(kStart);
  life.update(kStart, Connected, 1, "");
  return life;
}

TEST(CallLife, AnOfferMayWaitForItsAnswer) {
  CallLife life;
  life.update(kStart + 1h, Connecting, 0, "");
  EXPECT_EQ(life.state(), CallState::Offered);
}

TEST(CallLife, WhatDoesNotConnectEndsAfterTenSeconds) {
  CallLife life;
  life.answered(kStart);
  life.update(kStart + 9999ms, Connecting, 0, "");
  EXPECT_EQ(life.state(), CallState::Connecting);
  life.update(kStart + 10s, Connecting, 0, "");
  EXPECT_EQ(life.state(), CallState::Ended);
  EXPECT_EQ(life.why(), "No connection came about: the other end does not answer at any of its addresses.");
}

TEST(CallLife, ItLivesAsLongAsSomethingComes) {
  CallLife life = live();
  for (int i = 1; i < 10; ++i) life.update(kStart + i * 12s, Connected, 1 + static_cast<unsigned>(i), "");
  EXPECT_EQ(life.state(), CallState::Live);
  life.update(kStart + 9 * 12s + 12001ms, Connected, 10, "");
  EXPECT_EQ(life.state(), CallState::Ended);
  EXPECT_EQ(life.why(), "The connection is lost: nothing comes from the other end any more.");
}

TEST(CallLife, TheFirstReasonStays) {
  CallLife life = live();
  life.update(kStart, Closed, 1, "");
  life.update(kStart, Lost, 1, "The camera does not work: it was unplugged.");
  EXPECT_EQ(life.why(), "The other end has closed the connection.");
}

TEST(CallLife, AFaultEndsEvenAnOffer) {
  CallLife life;
  life.update(kStart, Connecting, 0, "The camera does not work: it was unplugged.");
  EXPECT_EQ(life.state(), CallState::Ended);
  EXPECT_EQ(life.why(), "The camera does not work: it was unplugged.");
}

}  // namespace
}  // namespace tactus::media
