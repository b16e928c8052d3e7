// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/video_player.h"

#include <gtest/gtest.h>

namespace tactus::lab {
namespace {

TEST(TopLevelValue, IsTheRootsAndNotAnItems) {
  const std::string json =
      "{\n    \"items\": [\n        {\n            \"violations\": 7\n        }\n    ],\n"
      "    \"kernel_class\": \"SCHED_FIFO\",\n    \"violations\": 3\n}\n";
  EXPECT_EQ(topLevelValue(json, "violations"), "3");
  EXPECT_EQ(topLevelValue(json, "kernel_class"), "SCHED_FIFO");
  EXPECT_EQ(topLevelValue(json, "nothing"), std::nullopt);
}

}  // namespace
}  // namespace tactus::lab
