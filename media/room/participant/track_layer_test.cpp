// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/track_layer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

namespace tactus::media {
namespace {

net::BitRate kilobits(std::int64_t rate) {
  return net::BitRate::perSecond(rate * 1000);
}

OutgoingTrack camera(bool inTwoSizes) {
  OutgoingTrack track = OutgoingTrack::video("camera");
  track.inTwoSizes = inTwoSizes;
  return track;
}

/// Of the two layers of a camera: 800 and 200 kbit/s.
std::vector<LayerShare> divided(std::int64_t rate, std::size_t wanted = 0,
                                std::vector<LayerShare> before = {}) {
  return shareRate(kilobits(rate), layersOf(camera(true)), wanted, before);
}

TEST(TrackLayer, TheSecondIsHalfAsLargeWithAQuarterOfTheRate) {
  const auto layers = layersOf(camera(true));
  ASSERT_EQ(layers.size(), 2U);
  EXPECT_EQ(layers[0].size, (PictureSize{640, 360}));
  EXPECT_EQ(layers[1].size, (PictureSize{320, 180}));
  EXPECT_EQ(layers[0].rate, kilobits(800));
  EXPECT_EQ(layers[1].rate, kilobits(200));
}

TEST(TrackLayer, ThereIsOneOfSoundAndOfWhatIsSentInOneSizeOrTooSmall) {
  EXPECT_EQ(layersOf(camera(false)).size(), 1U);
  EXPECT_EQ(layersOf(OutgoingTrack::audio("microphone")).size(), 1U);
  OutgoingTrack small = camera(true);
  small.width = 32;
  small.height = 18;
  EXPECT_EQ(layersOf(small).size(), 1U);
}

TEST(ShareRate, WhereThereIsEnoughEachHasItsMost) {
  const auto shares = divided(1000);
  EXPECT_TRUE(shares[0].goes);
  EXPECT_TRUE(shares[1].goes);
  EXPECT_EQ(shares[0].rate, kilobits(800));
  EXPECT_EQ(shares[1].rate, kilobits(200));
}

TEST(ShareRate, TheSmallestIsServedFirst) {
  const auto shares = divided(600);
  EXPECT_EQ(shares[0].rate, kilobits(400));
  EXPECT_EQ(shares[1].rate, kilobits(200));
}

TEST(ShareRate, ALayerWithLessThanAQuarterOfItsMostRestsAndBeginsAgainWithThreeEighths) {
  EXPECT_TRUE(divided(400)[0].goes);
  const auto rests = divided(399);
  EXPECT_FALSE(rests[0].goes);
  EXPECT_TRUE(rests[1].goes);
  EXPECT_FALSE(divided(499, 0, rests)[0].goes);
  EXPECT_TRUE(divided(500, 0, rests)[0].goes);
}

TEST(ShareRate, WhileALayerRestsForWantOfRateTheSmallestGrows) {
  EXPECT_EQ(divided(350)[1].rate, kilobits(350));
  EXPECT_EQ(divided(399)[1].rate, kilobits(399));
  EXPECT_EQ(divided(100)[1].rate, kilobits(100));
  EXPECT_TRUE(divided(100)[1].goes);
}

TEST(ShareRate, WhatNobodyWantsDoesNotGo) {
  const auto small = divided(1000, 1);
  EXPECT_FALSE(small[0].goes);
  EXPECT_TRUE(small[1].goes);
  EXPECT_EQ(small[1].rate, kilobits(200));
  const auto none = divided(1000, 2);
  EXPECT_FALSE(none[0].goes);
  EXPECT_FALSE(none[1].goes);
}

TEST(ShareRate, ASingleLayerGoesWithWhateverThereIs) {
  const auto layers = layersOf(camera(false));
  const auto shares = shareRate(kilobits(60), layers, 0, {});
  EXPECT_TRUE(shares[0].goes);
  EXPECT_EQ(shares[0].rate, kilobits(60));
}

RC_GTEST_PROP(ShareRate, WhatGoesTogetherIsNeverMoreThanThereIs, ()) {
  std::vector<LayerShare> before;
  for (int i = 0; i < 20; ++i) {
    const auto rate = *rc::gen::inRange<std::int64_t>(60, 3000);
    before = divided(rate, *rc::gen::inRange<std::size_t>(0, 3), before);
    std::int64_t sum = 0;
    for (const LayerShare& each : before) sum += each.goes ? each.rate.bits() : 0;
    RC_ASSERT(sum <= kilobits(rate).bits());
  }
}

}  // namespace
}  // namespace tactus::media
