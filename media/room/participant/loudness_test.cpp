// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/loudness.h"

#include <gtest/gtest.h>

#include <vector>

namespace tactus::media {
namespace {

TEST(Loudness, IsLinearInDecibels) {
  const auto square = [](std::int16_t height) {
    std::vector<std::int16_t> samples;
    for (int i = 0; i < 960; ++i) samples.push_back(i % 2 == 0 ? height : static_cast<std::int16_t>(-height));
    return loudnessOf(samples);
  };
  EXPECT_NEAR(square(32'767), 1, 1e-4);
  EXPECT_NEAR(square(3277), 1 - 20 / 50.0, 1e-3);  // -20 dB
  EXPECT_NEAR(square(328), 1 - 40 / 50.0, 1e-3);   // -40 dB
  EXPECT_EQ(square(60), 0);                        // -55 dB
  EXPECT_EQ(square(0), 0);
}

TEST(Loudness, NoSamplesAreSilence) {
  EXPECT_EQ(loudnessOf({}), 0);
}

}  // namespace
}  // namespace tactus::media
