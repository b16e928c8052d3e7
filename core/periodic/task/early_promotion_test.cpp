// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/early_promotion.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Due = EarlyPromotion::Due;

constexpr TimePoint kAt{1000s};

TEST(EarlyPromotion, APacketIsPromotedOnceAtItsLogicalArrivalTime) {
  EarlyPromotion early;
  EXPECT_EQ(early.look(kAt).due, Due::Nothing);
  early.arrange(kAt);
  early.lowered();
  EXPECT_EQ(early.look(kAt - 1ns).due, Due::Later);
  EXPECT_EQ(early.look(kAt - 1ns).at, kAt);
  EXPECT_EQ(early.look(kAt).due, Due::Once);
  early.promoted();
  EXPECT_EQ(early.look(kAt).due, Due::Nothing);
  EXPECT_FALSE(early.end()) << "it has its level already";
}

TEST(EarlyPromotion, UntilTheThreadSaysThatItIsLowerItIsPromotedAgainAndAgain) {
  EarlyPromotion early;
  early.arrange(kAt);
  EXPECT_EQ(early.look(kAt + 1ms).due, Due::Again);
  EXPECT_EQ(early.look(kAt + 3ms).due, Due::Again);
  early.lowered();
  EXPECT_EQ(early.look(kAt + 5ms).due, Due::Once);
}

TEST(EarlyPromotion, APacketDoneBeforeItsTimeIsNotPromoted) {
  EarlyPromotion early;
  early.arrange(kAt);
  early.lowered();
  EXPECT_TRUE(early.pending());
  EXPECT_TRUE(early.end()) << "the thread raises itself";
  EXPECT_FALSE(early.pending());
  EXPECT_EQ(early.look(kAt).due, Due::Nothing);
}

TEST(EarlyPromotion, WhoLosesItsClassIsNotPromoted) {
  EarlyPromotion early;
  early.arrange(kAt);
  early.cancel();
  early.lowered();
  EXPECT_EQ(early.look(kAt).due, Due::Nothing);
  EXPECT_FALSE(early.end());
}

/// Each packet is promoted by the dispatcher or ends below, never both, and the end waits for a promotion.
TEST(EarlyPromotion, PromotionAndEndOfAPacketNeverCross) {
  EarlyPromotion early;
  std::atomic<bool> raising{false}, over{false};
  std::thread dispatcher([&] {
    while (!over) {
      if (early.look(kAt).due != Due::Once) continue;
      raising = true;
      raising = false;
      early.promoted();
    }
  });
  int crossed = 0;
  for (int i = 0; i < 20'000; ++i) {
    early.arrange(kAt);
    early.lowered();
    (void)early.end();
    crossed += raising ? 1 : 0;
  }
  over = true;
  dispatcher.join();
  EXPECT_EQ(crossed, 0);
}

}  // namespace
}  // namespace tactus::periodic
