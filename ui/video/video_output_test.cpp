// SPDX-License-Identifier: Apache-2.0
#include "ui/video/video_output.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

TEST(VideoOutput, SoftwareRenderersAreRecognised) {
  EXPECT_TRUE(isSoftwareRenderer("llvmpipe (LLVM 15.0.6, 256 bits)"));
  EXPECT_TRUE(isSoftwareRenderer(""));
  EXPECT_FALSE(isSoftwareRenderer("Mesa Intel(R) UHD Graphics 620"));
}

}  // namespace
}  // namespace tactus::ui
