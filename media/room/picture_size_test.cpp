// SPDX-License-Identifier: Apache-2.0
#include "media/room/picture_size.h"

#include <gtest/gtest.h>

#include <array>

namespace tactus::media {
namespace {

constexpr std::array<PictureSize, 2> kSizes{{{640, 360}, {320, 180}}};

TEST(PictureSize, HalfOfOneIsEven) {
  EXPECT_EQ(halfOf({640, 360}), (PictureSize{320, 180}));
  EXPECT_EQ(halfOf({854, 482}), (PictureSize{426, 240}));
  EXPECT_EQ(halfOf({2, 2}), (PictureSize{0, 0}));
}

TEST(PictureSize, TheSmallestThatIsEnlargedByAQuarterAtMostDoes) {
  EXPECT_EQ(layerFor({160, 90}, kSizes), 1U);
  EXPECT_EQ(layerFor({320, 180}, kSizes), 1U);
  EXPECT_EQ(layerFor({400, 225}, kSizes), 1U);
  EXPECT_EQ(layerFor({404, 228}, kSizes), 0U);
  EXPECT_EQ(layerFor({1920, 1080}, kSizes), 0U);
}

TEST(PictureSize, PicturesAreFittedIntoTheirPlace) {
  EXPECT_EQ(layerFor({400, 1000}, kSizes), 1U);  // high and narrow: it is the width that counts
  EXPECT_EQ(layerFor({1000, 225}, kSizes), 1U);
}

TEST(PictureSize, OfUnknownSizesTheLargestDoes) {
  EXPECT_EQ(layerFor({}, kSizes), 0U);
  EXPECT_EQ(layerFor({320, 180}, std::array<PictureSize, 2>{}), 0U);
  EXPECT_EQ(layerFor({320, 180}, {}), 0U);
}

}  // namespace
}  // namespace tactus::media
