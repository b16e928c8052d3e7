// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_actions.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "ui/models/call_catalogue.h"

namespace tactus::ui {
namespace {

std::string nameFor(int key, Qt::KeyboardModifiers modifiers, const QString& text) {
  const auto* action = callActionFor(key, modifiers, text);
  return action != nullptr ? action->name : "";
}

TEST(CallActions, KeysAreThoseOfConferences) {
  EXPECT_EQ(nameFor(Qt::Key_M, {}, "m"), "toggleMicrophone");
  EXPECT_EQ(nameFor(Qt::Key_V, {}, "v"), "toggleCamera");
  EXPECT_EQ(nameFor(Qt::Key_Space, {}, " "), "talk");
  EXPECT_EQ(nameFor(Qt::Key_S, {}, "s"), "toggleScreen");
  EXPECT_EQ(nameFor(Qt::Key_S, Qt::ShiftModifier, "S"), "shareAnother");
  EXPECT_EQ(nameFor(Qt::Key_R, {}, "r"), "toggleHand");
  EXPECT_EQ(nameFor(Qt::Key_C, {}, "c"), "chat");
  EXPECT_EQ(nameFor(Qt::Key_W, {}, "w"), "layout");
  EXPECT_EQ(nameFor(Qt::Key_W, Qt::ControlModifier, ""), "leave");
  EXPECT_EQ(nameFor(Qt::Key_Escape, {}, ""), "escape");
  EXPECT_EQ(nameFor(Qt::Key_Z, {}, "z"), "");
}

TEST(CallActions, NamesAndKeysAreUniqueAndAllAreOnTheSheet) {
  std::set<std::string> names;
  std::set<QString> keys;
  for (const auto& action : callActions()) {
    EXPECT_TRUE(names.insert(action.name).second) << action.name;
    for (const auto& key : keysOf(action)) EXPECT_TRUE(keys.insert(key).second) << key.toStdString();
    EXPECT_EQ(callActionNamed(QString(action.name)), &action);
    EXPECT_FALSE(CallCatalogue::text(action.name).isEmpty());
  }
  qsizetype rows = 0;
  for (const auto& group : CallCatalogue::sheet()) rows += group.toMap()["rows"].toList().size();
  EXPECT_EQ(rows, static_cast<qsizetype>(names.size()));
  EXPECT_EQ(callActionNamed(u"nothing"), nullptr);
  EXPECT_TRUE(CallCatalogue::text("nothing").isEmpty());
}

}  // namespace
}  // namespace tactus::ui
