// SPDX-License-Identifier: Apache-2.0
#include "ui/models/loop_section.h"

#include <gtest/gtest.h>

namespace tactus::ui {
namespace {

TEST(LoopSection, StartThenEndThenNothingIsMarked) {
  LoopSection section;
  EXPECT_EQ(section.mark(3), LoopSection::Marked::Start);
  EXPECT_EQ(section.start(), 3);
  EXPECT_FALSE(section.goesBackAt(100)) << "it has no end yet";
  EXPECT_EQ(section.mark(5), LoopSection::Marked::End);
  EXPECT_FALSE(section.goesBackAt(4.99));
  EXPECT_TRUE(section.goesBackAt(5));
  EXPECT_EQ(section.mark(4), LoopSection::Marked::Nothing);
  EXPECT_EQ(section.start(), -1);
  EXPECT_FALSE(section.goesBackAt(100));
}

TEST(LoopSection, AnEndBeforeTheStartIsMovedBehindIt) {
  LoopSection section;
  section.mark(3);
  section.mark(1);
  EXPECT_DOUBLE_EQ(section.end(), 3.1);
}

}  // namespace
}  // namespace tactus::ui
