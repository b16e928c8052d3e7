// SPDX-License-Identifier: Apache-2.0
#include "ui/models/recent_files.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

namespace tactus::ui {
namespace {

TEST(RecentFiles, NewestComesFirstAndPositionsSurvive) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("deep/recent.json");
  {
    RecentFiles files(path);
    files.add("file:///a");
    files.add("file:///b");
    files.setPosition("file:///a", 12.5);
    files.add("file:///a");
  }
  const RecentFiles again(path);
  EXPECT_EQ(again.items(), (QStringList{"file:///a", "file:///b"}));
  EXPECT_DOUBLE_EQ(again.position("file:///a"), 12.5);
  EXPECT_DOUBLE_EQ(again.position("file:///unknown"), 0);
}

TEST(RecentFiles, NoMoreThanTwentyAreKept) {
  const QTemporaryDir folder;
  RecentFiles files(folder.filePath("recent.json"));
  for (int i = 0; i < 30; ++i) files.add(QString("file:///%1").arg(i));
  EXPECT_EQ(files.items().size(), 20);
  EXPECT_EQ(files.items().first(), "file:///29");
}

TEST(RecentFiles, DamagedFileIsSetAside) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("recent.json");
  QFile file(path);
  ASSERT_TRUE(file.open(QIODevice::WriteOnly));
  file.write("{ half a");
  file.close();
  const RecentFiles files(path);
  EXPECT_TRUE(files.items().isEmpty());
  EXPECT_TRUE(QFile::exists(path + ".damaged"));
}

}  // namespace
}  // namespace tactus::ui
