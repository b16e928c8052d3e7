// SPDX-License-Identifier: Apache-2.0
#include "ui/video/tile_target.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

TEST(Letterbox, PictureKeepsItsShape) {
  EXPECT_EQ(letterboxed({1280, 720}, {0, 0, 640, 480}), QRectF(0, 60, 640, 360));
  EXPECT_EQ(letterboxed({720, 1280}, {0, 0, 720, 1280}), QRectF(0, 0, 720, 1280));
  EXPECT_EQ(letterboxed({}, {0, 0, 10, 10}), QRectF(0, 0, 10, 10));
}

}  // namespace
}  // namespace tactus::ui
