// SPDX-License-Identifier: Apache-2.0
#include "plugins/sink_attachments.h"

#include <gtest/gtest.h>

namespace tactus::plugins {
namespace {

TEST(SinkAttachments, AreNewToTheFirstFrameOnly) {
  SinkAttachments attachments;
  EXPECT_TRUE(attachments.takeChanges().second);
  EXPECT_FALSE(attachments.takeChanges().second);
}

TEST(SinkAttachments, AChangedOrientationCountsOnce) {
  SinkAttachments attachments;
  (void)attachments.takeChanges();
  attachments.setOrientation({90, false});
  const auto [attached, changed] = attachments.takeChanges();
  EXPECT_TRUE(changed);
  EXPECT_EQ(attached.orientation, (Orientation{90, false}));
  attachments.setOrientation({90, false});
  EXPECT_FALSE(attachments.takeChanges().second) << "it is the same";
}

TEST(SinkAttachments, NewCapsAreAChange) {
  SinkAttachments attachments;
  (void)attachments.takeChanges();
  attachments.capsChanged();
  EXPECT_TRUE(attachments.takeChanges().second);
}

TEST(SinkAttachments, AnExchangedFilterIsGivenBackAndIsNoChangeOfTheFormat) {
  SinkAttachments attachments;
  (void)attachments.takeChanges();
  const auto first = std::make_shared<PictureFilter>();
  const auto second = std::make_shared<PictureFilter>();
  EXPECT_EQ(attachments.setFilter(first), nullptr);
  EXPECT_EQ(attachments.setFilter(second), first);
  EXPECT_EQ(attachments.current().filter, second);
  EXPECT_FALSE(attachments.takeChanges().second);
}

}  // namespace
}  // namespace tactus::plugins
