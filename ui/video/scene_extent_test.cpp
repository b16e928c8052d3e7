// SPDX-License-Identifier: Apache-2.0
#include "ui/video/scene_extent.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

TEST(SceneExtent, TheSoftwareImageIsTheWindowWhereTheScaleIsWhole) {
  EXPECT_EQ(softwareImageSize({{640, 480}, {640, 480}, 1}), QSize(640, 480));
  EXPECT_EQ(softwareImageSize({{640, 480}, {320, 240}, 2}), QSize(640, 480));
}

TEST(SceneExtent, TheSoftwareImageReachesTheLastPixelInWholeLogicalOnes) {
  EXPECT_EQ(softwareImageSize({{640, 480}, {427, 320}, 1.5}), QSize(641, 480));   // 427 x 320
  EXPECT_EQ(softwareImageSize({{640, 480}, {346, 259}, 1.85}), QSize(641, 481));  // 346 x 260
  for (int percent = 100; percent <= 300; ++percent) {
    const qreal scale = percent / 100.0;
    for (int pixels = 640; pixels < 660; ++pixels) {
      const int image = softwareImageSize({{pixels, pixels}, {}, scale}).width();
      EXPECT_GE(static_cast<int>(image / scale) * scale, pixels - 1e-9) << scale << ' ' << pixels;
      EXPECT_LT(image, pixels + scale + 2) << scale << ' ' << pixels;
    }
  }
}

}  // namespace
}  // namespace tactus::ui
