// SPDX-License-Identifier: Apache-2.0
#include "ui/video/yuv_matrix.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tactus::ui {
namespace {

TEST(YuvMatrix, BlackWhiteAndRedAreWhatTheStandardsSay) {
  const auto rgb = [](ColorMatrix matrix, bool full, float y, float cb, float cr) {
    const QVector4D result = yuvToRgb(matrix, full) * QVector4D(y / 255, cb / 255, cr / 255, 1);
    return std::array{std::lround(result.x() * 255), std::lround(result.y() * 255),
                      std::lround(result.z() * 255)};
  };
  using Rgb = std::array<long, 3>;
  EXPECT_EQ(rgb(ColorMatrix::Bt709, false, 16, 128, 128), (Rgb{0, 0, 0}));
  EXPECT_EQ(rgb(ColorMatrix::Bt709, false, 235, 128, 128), (Rgb{255, 255, 255}));
  EXPECT_EQ(rgb(ColorMatrix::Bt601, true, 255, 128, 128), (Rgb{255, 255, 255}));
  EXPECT_EQ(rgb(ColorMatrix::Bt601, false, 81, 90, 240), (Rgb{254, 0, -1})) << "the shader clamps";
  const Rgb red709 = rgb(ColorMatrix::Bt709, false, 63, 102, 240);
  EXPECT_NEAR(static_cast<double>(red709[0]), 255, 1.0);
  EXPECT_NEAR(static_cast<double>(red709[1]), 0, 1.0);
  EXPECT_NEAR(static_cast<double>(red709[2]), 0, 1.0);
}

}  // namespace
}  // namespace tactus::ui
