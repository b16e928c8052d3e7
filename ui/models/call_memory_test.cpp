// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_memory.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QTemporaryDir>

namespace tactus::ui {
namespace {

TEST(CallMemory, WhatWasChosenIsFoundAgain) {
  const QTemporaryDir folder;
  const CallMemory memory(folder.filePath("new/call.json"));
  EXPECT_FALSE(memory.recall().name.isEmpty()) << "that of the user";
  EXPECT_FALSE(memory.recall().camera);
  const CallChoice choice{"Ann \u00e9", "/dev/video2", "", true};
  memory.keep(choice);
  EXPECT_EQ(memory.recall(), choice);
  memory.keep({"Ann", {}, "headset"});
  EXPECT_FALSE(memory.recall().camera) << "the default one";
  EXPECT_FALSE(memory.recall().originalSound);
}

TEST(CallMemory, DamageSaysNothing) {
  const QTemporaryDir folder;
  const QString path = folder.filePath("call.json");
  for (const char* damaged :
       {"", "{", "[]", R"({"name": 7, "camera": {}, "microphone": null, "originalSound": "yes"})"}) {
    QFile file(path);
    ASSERT_TRUE(file.open(QIODevice::WriteOnly));
    file.write(damaged);
    file.close();
    const CallChoice choice = CallMemory(path).recall();
    EXPECT_FALSE(choice.name.isEmpty()) << damaged;
    EXPECT_FALSE(choice.camera || choice.microphone || choice.originalSound) << damaged;
  }
}

TEST(CallMemory, AFolderThatCannotBeWrittenForgets) {
  const CallMemory memory("/proc/nowhere/call.json");
  memory.keep({"Ann", {}, {}});
  EXPECT_NE(memory.recall().name, "Ann");
}

}  // namespace
}  // namespace tactus::ui
