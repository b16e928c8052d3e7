// SPDX-License-Identifier: Apache-2.0
#include "ui/models/priority_memory.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

namespace tactus::ui {
namespace {

TEST(PriorityMemory, AFilmsTermsAreKeptAndItsKindsOtherwise) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("deep/priorities.json");
  PriorityMemory memory(path);
  EXPECT_FALSE(memory.recall("file:///a"));
  memory.keep("file:///a", {.priority = media::Priority::High, .leastFrequency = 0.75, .cpus = {0, 2}});
  memory.keep("file:///b", {.priority = media::Priority::Background});
  memory.keepForRole("stream", {.priority = media::Priority::Background, .weight = 3});
  const PriorityMemory again(path);
  const auto kept = again.recall("file:///a");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->priority, media::Priority::High);
  EXPECT_EQ(kept->leastFrequency, 0.75);
  EXPECT_EQ(kept->cpus, (std::vector<int>{0, 2}));
  EXPECT_FALSE(kept->weight);
  EXPECT_FALSE(again.recall("file:///c"));
  EXPECT_EQ(again.recall("rtsp://camera/1")->weight, 3);
  memory.keep("file:///a", {});
  EXPECT_EQ(again.recall("file:///a")->priority, media::Priority::Normal);
}

TEST(PriorityMemory, ADamagedFileCountsAsEmpty) {
  const QTemporaryDir folder;
  QFile file(folder.filePath("priorities.json"));
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write(
      R"({"films": [{"uri": "file:///a", "priority": "loud"}, {"uri": "file:///b", "priority": "high", "f_min": 7}, 3]})");
  file.close();
  PriorityMemory memory(file.fileName());
  EXPECT_FALSE(memory.recall("file:///a"));
  EXPECT_FALSE(memory.recall("file:///b"));
  memory.keep("file:///a", {.priority = media::Priority::High});
  EXPECT_TRUE(memory.recall("file:///a"));
}

}  // namespace
}  // namespace tactus::ui
