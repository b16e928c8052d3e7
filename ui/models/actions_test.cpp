// SPDX-License-Identifier: Apache-2.0
#include "ui/models/actions.h"

#include <gtest/gtest.h>

#include <QDir>
#include <QHash>
#include <QKeySequence>
#include <set>
#include <string>

#include "ui/models/action_catalogue.h"

namespace tactus::ui {
namespace {

std::string nameFor(int key, Qt::KeyboardModifiers modifiers, const QString& text) {
  const auto* action = actionFor(key, modifiers, text);
  return action != nullptr ? action->name : "";
}

TEST(Actions, KeysAreMpvs) {
  EXPECT_EQ(nameFor(Qt::Key_Space, {}, " "), "togglePause");
  EXPECT_EQ(nameFor(Qt::Key_P, {}, "p"), "togglePause");
  EXPECT_EQ(nameFor(Qt::Key_Right, {}, ""), "seekForward");
  EXPECT_EQ(nameFor(Qt::Key_Right, Qt::ShiftModifier, ""), "seekForward1");
  EXPECT_EQ(nameFor(Qt::Key_Up, {}, ""), "seekForward60");
  EXPECT_EQ(nameFor(Qt::Key_BracketRight, {}, "]"), "speedUp");
  EXPECT_EQ(nameFor(Qt::Key_Backspace, {}, "\b"), "speedNormal");
  EXPECT_EQ(nameFor(Qt::Key_Period, {}, "."), "stepForward");
  EXPECT_EQ(nameFor(Qt::Key_J, Qt::ShiftModifier, "J"), "previousSubtitle");
  EXPECT_EQ(nameFor(Qt::Key_Q, Qt::ShiftModifier, "Q"), "quitAndSave");
  EXPECT_EQ(nameFor(Qt::Key_I, {}, "i"), "stats");
}

TEST(Actions, ControlKeysAreTheDesktops) {
  EXPECT_EQ(nameFor(Qt::Key_O, Qt::ControlModifier, "\x0f"), "openFile");
  EXPECT_EQ(nameFor(Qt::Key_V, Qt::ControlModifier, "\x16"), "paste");
  EXPECT_EQ(nameFor(Qt::Key_3, Qt::ControlModifier, "3"), "priority-high");
  EXPECT_EQ(nameFor(Qt::Key_1, Qt::ControlModifier, "1"), "priority-background");
  EXPECT_EQ(nameFor(Qt::Key_N, Qt::ControlModifier, ""), "newWindow");
  EXPECT_EQ(nameFor(Qt::Key_W, Qt::ControlModifier, ""), "closeWindow");
  EXPECT_EQ(nameFor(Qt::Key_T, Qt::ControlModifier, ""), "startCall");
  EXPECT_EQ(nameFor(Qt::Key_R, Qt::ControlModifier, ""), "joinCall");
  EXPECT_FALSE(actionFor(Qt::Key_Space, Qt::ControlModifier, " "));
}

TEST(Actions, UnknownKeysDoNothing) {
  EXPECT_FALSE(actionFor(Qt::Key_Y, {}, "y"));
  EXPECT_FALSE(actionFor(Qt::Key_Space, Qt::AltModifier, " "));
}

/// Every key with what it did before there was a table.
const struct {
  int key;
  Qt::KeyboardModifiers modifiers;
  const char *text, *name;
} kKeys[] = {
    {Qt::Key_O, Qt::ControlModifier, "", "openFile"},
    {Qt::Key_U, Qt::ControlModifier, "", "openUrl"},
    {Qt::Key_L, Qt::ControlModifier, "", "openUrl"},
    {Qt::Key_V, Qt::ControlModifier, "", "paste"},
    {Qt::Key_1, Qt::ControlModifier, "", "priority-background"},
    {Qt::Key_2, Qt::ControlModifier, "", "priority-normal"},
    {Qt::Key_3, Qt::ControlModifier, "", "priority-high"},
    {Qt::Key_N, Qt::ControlModifier, "", "newWindow"},
    {Qt::Key_I, Qt::ControlModifier, "", "load"},
    {Qt::Key_G, Qt::ControlModifier, "", "grid"},
    {Qt::Key_W, Qt::ControlModifier, "", "closeWindow"},
    {Qt::Key_Q, Qt::ControlModifier, "", "quit"},
    {Qt::Key_Space, {}, "", "togglePause"},
    {Qt::Key_Space, Qt::ShiftModifier, "", "togglePause"},
    {Qt::Key_Left, Qt::ShiftModifier, "", "seekBack1"},
    {Qt::Key_Left, {}, "", "seekBack"},
    {Qt::Key_Right, Qt::ShiftModifier, "", "seekForward1"},
    {Qt::Key_Right, {}, "", "seekForward"},
    {Qt::Key_Down, {}, "", "seekBack60"},
    {Qt::Key_Down, Qt::ShiftModifier, "", "seekBack60"},
    {Qt::Key_Up, {}, "", "seekForward60"},
    {Qt::Key_Up, Qt::ShiftModifier, "", "seekForward60"},
    {Qt::Key_PageUp, Qt::ShiftModifier, "", "seekForward600"},
    {Qt::Key_PageUp, {}, "", "nextChapter"},
    {Qt::Key_PageDown, Qt::ShiftModifier, "", "seekBack600"},
    {Qt::Key_PageDown, {}, "", "previousChapter"},
    {Qt::Key_Backspace, {}, "", "speedNormal"},
    {Qt::Key_Backspace, Qt::ShiftModifier, "", "speedNormal"},
    {Qt::Key_Home, {}, "", "goToStart"},
    {Qt::Key_Home, Qt::ShiftModifier, "", "goToStart"},
    {Qt::Key_Escape, {}, "", "leaveFullScreen"},
    {Qt::Key_Escape, Qt::ShiftModifier, "", "leaveFullScreen"},
    {Qt::Key_F11, {}, "", "fullScreen"},
    {Qt::Key_F11, Qt::ShiftModifier, "", "fullScreen"},
    {Qt::Key_F1, {}, "", "help"},
    {Qt::Key_F1, Qt::ShiftModifier, "", "help"},
    {Qt::Key_MediaTogglePlayPause, {}, "", "togglePause"},
    {Qt::Key_MediaTogglePlayPause, Qt::ShiftModifier, "", "togglePause"},
    {Qt::Key_MediaPlay, {}, "", "play"},
    {Qt::Key_MediaPlay, Qt::ShiftModifier, "", "play"},
    {Qt::Key_MediaPause, {}, "", "pause"},
    {Qt::Key_MediaPause, Qt::ShiftModifier, "", "pause"},
    {Qt::Key_MediaStop, {}, "", "stop"},
    {Qt::Key_MediaStop, Qt::ShiftModifier, "", "stop"},
    {Qt::Key_MediaNext, {}, "", "next"},
    {Qt::Key_MediaNext, Qt::ShiftModifier, "", "next"},
    {Qt::Key_MediaPrevious, {}, "", "previous"},
    {Qt::Key_MediaPrevious, Qt::ShiftModifier, "", "previous"},
    {Qt::Key_unknown, {}, "p", "togglePause"},
    {Qt::Key_unknown, {}, "]", "speedUp"},
    {Qt::Key_unknown, {}, "[", "speedDown"},
    {Qt::Key_unknown, {}, "}", "speedDouble"},
    {Qt::Key_unknown, {}, "{", "speedHalf"},
    {Qt::Key_unknown, {}, ".", "stepForward"},
    {Qt::Key_unknown, {}, ",", "stepBackward"},
    {Qt::Key_unknown, {}, "0", "volumeUp"},
    {Qt::Key_unknown, {}, "9", "volumeDown"},
    {Qt::Key_unknown, {}, "*", "volumeUp"},
    {Qt::Key_unknown, {}, "/", "volumeDown"},
    {Qt::Key_unknown, {}, "m", "mute"},
    {Qt::Key_unknown, {}, "j", "nextSubtitle"},
    {Qt::Key_unknown, {}, "J", "previousSubtitle"},
    {Qt::Key_unknown, {}, "v", "toggleSubtitles"},
    {Qt::Key_H, Qt::ControlModifier, "", "toggleHardware"},
    {Qt::Key_J, Qt::ControlModifier, "", "nextSecondSubtitle"},
    {Qt::Key_unknown, {}, "F", "subtitleSmaller"},
    {Qt::Key_unknown, {}, "G", "subtitleLarger"},
    {Qt::Key_unknown, {}, "r", "subtitleUp"},
    {Qt::Key_unknown, {}, "R", "subtitleDown"},
    {Qt::Key_unknown, {}, "x", "subtitleLater"},
    {Qt::Key_unknown, {}, "z", "subtitleEarlier"},
    {Qt::Key_unknown, {}, "Z", "subtitleLater"},
    {Qt::Key_unknown, {}, "#", "nextAudio"},
    {Qt::Key_unknown, {}, "_", "nextVideo"},
    {Qt::Key_unknown, {}, "l", "loopAB"},
    {Qt::Key_unknown, {}, "L", "loopFile"},
    {Qt::Key_unknown, {}, "f", "fullScreen"},
    {Qt::Key_unknown, {}, "i", "stats"},
    {Qt::Key_unknown, {}, "I", "stats"},
    {Qt::Key_unknown, {}, "?", "help"},
    {Qt::Key_unknown, {}, "s", "screenshot"},
    {Qt::Key_unknown, {}, "S", "screenshotWindow"},
    {Qt::Key_unknown, {}, "q", "quit"},
    {Qt::Key_unknown, {}, "Q", "quitAndSave"},
    {Qt::Key_unknown, {}, ">", "next"},
    {Qt::Key_unknown, {}, "<", "previous"},
    {Qt::Key_unknown, {}, "o", "showTime"},
};

TEST(Actions, EveryKeyDoesWhatItAlwaysDid) {
  for (const auto& each : kKeys)
    EXPECT_EQ(nameFor(each.key, each.modifiers, each.text), each.name) << each.key << ' ' << each.text;
}

TEST(Actions, EveryActionHasANameADescriptionAKeyAndAFunction) {
  std::set<std::string> names;
  for (const auto& action : actions()) {
    EXPECT_TRUE(names.insert(action.name).second) << action.name << " is there twice";
    EXPECT_EQ(actionNamed(QString(action.name)), &action);
    EXPECT_FALSE(textOf(action).isEmpty()) << action.name;
    EXPECT_STRNE(action.help, "") << action.name;
    EXPECT_STRNE(action.group, "") << action.name;
    EXPECT_FALSE(keysOf(action).isEmpty()) << action.name;
    EXPECT_NE(action.perform, nullptr) << action.name;
  }
  EXPECT_EQ(actionNamed(u"frobnicate"), nullptr);
}

TEST(Actions, NoKeyIsBoundTwiceAndEachLeadsToItsAction) {
  std::set<QString> keys;
  for (const auto& action : actions()) {
    for (const auto& key : keysOf(action)) {
      EXPECT_TRUE(keys.insert(key).second) << key.toStdString() << " is bound twice";
      if (key.size() == 1) {
        EXPECT_EQ(actionFor(Qt::Key_unknown, {}, key), &action) << key.toStdString();
        continue;
      }
      const auto sequence = QKeySequence::fromString(key, QKeySequence::PortableText);
      ASSERT_EQ(sequence.count(), 1) << key.toStdString();
      ASSERT_NE(sequence[0].key(), Qt::Key_unknown) << key.toStdString();
      EXPECT_EQ(actionFor(sequence[0].key(), sequence[0].keyboardModifiers(), ""), &action)
          << key.toStdString();
    }
  }
}

TEST(Actions, EveryPictureOfAnActionIsThere) {
  const QDir icons(":/tactus/icons");
  for (const auto& action : actions()) {
    if (action.icon == nullptr) continue;
    EXPECT_TRUE(icons.exists(QString(action.icon) + ".svg")) << action.icon;
  }
}

TEST(ActionCatalogue, TheHelpSheetTellsOfEveryActionThatHasAKey) {
  QHash<QString, QString> keysByHelp;
  QStringList titles;
  for (const auto& group : ActionCatalogue::sheet()) {
    titles.append(group.toMap()["title"].toString());
    for (const auto& row : group.toMap()["rows"].toList()) {
      const QString help = row.toMap()["help"].toString();
      EXPECT_FALSE(keysByHelp.contains(help)) << help.toStdString() << " is there twice";
      keysByHelp[help] = row.toMap()["keys"].toString();
    }
  }
  EXPECT_EQ(titles, (QStringList{"Playing", "Sound and tracks", "Files", "Calls", "Windows"}));
  EXPECT_EQ(keysByHelp["5 seconds"], QStringLiteral("\u2190  \u2192"));
  EXPECT_EQ(keysByHelp["background to high priority"], "Ctrl+1  2  3");
  EXPECT_EQ(keysByHelp["subtitles earlier, later"], "z  x, Z");
  for (const auto& action : actions()) {
    for (const auto& key : shownKeysOf(action)) {
      const QString shown = key.size() > 1 ? key.section('+', -1) : key;  // the modifier may be shared
      EXPECT_TRUE(keysByHelp[action.help].contains(shown)) << action.name << ' ' << key.toStdString();
    }
  }
}

TEST(ActionCatalogue, QmlGetsTheTableByName) {
  EXPECT_EQ(ActionCatalogue::text("fullScreen"), "Full screen");
  EXPECT_EQ(ActionCatalogue::keys("fullScreen"), "f, F11");
  EXPECT_EQ(ActionCatalogue::keys("togglePause"), "Space, p");
  EXPECT_EQ(ActionCatalogue::icon("fullScreen"), "fullscreen");
  EXPECT_EQ(ActionCatalogue::sequences("openUrl"), (QStringList{"Ctrl+U", "Ctrl+L"}));
  EXPECT_EQ(ActionCatalogue::text("frobnicate"), "");
}

}  // namespace
}  // namespace tactus::ui
