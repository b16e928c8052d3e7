// SPDX-License-Identifier: Apache-2.0
#include "plugins/orientation.h"

#include <gtest/gtest.h>

namespace tactus::plugins {
namespace {

TEST(OrientationTag, IsTurnedIntoRotationThenMirroring) {
  EXPECT_EQ(orientationOf("rotate-0"), (Orientation{0, false}));
  EXPECT_EQ(orientationOf("rotate-270"), (Orientation{270, false}));
  EXPECT_EQ(orientationOf("flip-rotate-0"), (Orientation{0, true}));
  EXPECT_EQ(orientationOf("flip-rotate-90"), (Orientation{270, true}));
  EXPECT_EQ(orientationOf("flip-rotate-180"), (Orientation{180, true}));
  EXPECT_EQ(orientationOf("nonsense"), (Orientation{}));
}

}  // namespace
}  // namespace tactus::plugins
