// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/picture_stamp.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tactus::media {
namespace {

struct Picture {
  Picture(int width, int height, int stride)
      : samples(static_cast<std::size_t>(stride * height), 90), plane{samples, width, height, stride} {}
  std::vector<std::uint8_t> samples;
  LumaPlane plane;
};

RC_GTEST_PROP(PictureStamp, IsReadAsItWasDrawn, ()) {
  const int width = *rc::gen::inRange(128, 700);
  Picture picture(width, *rc::gen::inRange(width / 32 * 6, 480), width + *rc::gen::inRange(0, 64));
  const PictureStamp drawn{*rc::gen::arbitrary<std::uint32_t>(),
                           *rc::gen::arbitrary<std::uint64_t>() & 0xffff'ffff'ffff};
  RC_ASSERT(drawStamp(picture.plane, drawn));
  RC_ASSERT(readStamp(picture.plane) == drawn);
}

RC_GTEST_PROP(PictureStamp, IsReadThroughTheNoiseOfAnEncoder, ()) {
  Picture picture(320, 240, 320);
  const PictureStamp drawn{*rc::gen::arbitrary<std::uint32_t>(), 123'456'789};
  RC_ASSERT(drawStamp(picture.plane, drawn));
  std::minstd_rand noise(*rc::gen::inRange(1U, 1'000'000U));
  for (auto& sample : picture.samples)
    sample = static_cast<std::uint8_t>(std::clamp(sample + static_cast<int>(noise() % 121) - 60, 0, 255));
  RC_ASSERT(readStamp(picture.plane) == drawn);
}

TEST(PictureStamp, APictureWithoutOneHasNone) {
  const Picture grey(320, 240, 320);
  EXPECT_EQ(readStamp(grey.plane), std::nullopt);
}

TEST(PictureStamp, ADamagedOneIsNotRead) {
  Picture picture(320, 240, 320);
  ASSERT_TRUE(drawStamp(picture.plane, {7, 8}));
  for (int y = 0; y < 10; ++y)
    for (int x = 0; x < 10; ++x) {
      auto& sample = picture.samples[static_cast<std::size_t>(y) * 320 + static_cast<std::size_t>(x)];
      sample = static_cast<std::uint8_t>(255 - sample);  // the first block
    }
  EXPECT_EQ(readStamp(picture.plane), std::nullopt);
}

TEST(PictureStamp, ASmallPictureHasNoRoom) {
  Picture narrow(127, 120, 128);
  EXPECT_FALSE(drawStamp(narrow.plane, {1, 2}));
  Picture low(320, 59, 320);
  EXPECT_FALSE(drawStamp(low.plane, {1, 2}));
  EXPECT_EQ(readStamp(low.plane), std::nullopt);
}

}  // namespace
}  // namespace tactus::media
