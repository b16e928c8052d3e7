// SPDX-License-Identifier: Apache-2.0
#include "media/playback/next_item.h"

#include <gtest/gtest.h>

namespace tactus::media {
namespace {

TEST(NextItem, IsTakenOnce) {
  NextItem next;
  EXPECT_EQ(next.take(), "");
  next.name("a");
  next.name("b");
  EXPECT_EQ(next.take(), "b");
  EXPECT_EQ(next.take(), "");
  EXPECT_EQ(next.arrived(), "");
}

TEST(NextItem, WhatWasHandedOverArrivesOnce) {
  NextItem next;
  next.name("a");
  EXPECT_EQ(next.handOver(), "a");
  EXPECT_EQ(next.take(), "");
  EXPECT_EQ(next.arrived(), "a");
  EXPECT_EQ(next.arrived(), "");
}

TEST(NextItem, WhatWasHandedOverToAStoppedPipelineNeverArrives) {
  NextItem next;
  next.name("a");
  (void)next.handOver();
  next.forget();
  EXPECT_EQ(next.arrived(), "");
}

}  // namespace
}  // namespace tactus::media
