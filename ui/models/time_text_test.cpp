// SPDX-License-Identifier: Apache-2.0
#include "ui/models/time_text.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

TEST(TimeText, TimesReadAsPeopleWriteThem) {
  EXPECT_EQ(timeText(0), "00:00");
  EXPECT_EQ(timeText(75.9), "01:15");
  EXPECT_EQ(timeText(3671), "1:01:11");
  EXPECT_EQ(timeText(-5), "00:00");
}

}  // namespace
}  // namespace tactus::ui
