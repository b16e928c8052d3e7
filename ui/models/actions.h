// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <QStringView>
#include <Qt>
#include <array>
#include <span>

namespace tactus::ui {

class PlayerModel;

/// One thing that a user can have a window do. Keys, menus, buttons and the help sheet all read this one
/// table.
struct Action {
  const char* name;  ///< for QML and tests: "togglePause"; unique
  std::array<const char*, 3>
      keys;                       ///< "p" is what a key types, "Shift+Left" a key; null where there are fewer
  const char* group;              ///< of the help sheet; neighbours of one group stand together
  const char* text;               ///< for menus and buttons: "One frame back"
  const char* help;               ///< for the help sheet, where neighbours with the same help share a line
  const char* icon;               ///< null = none
  void (*perform)(PlayerModel&);  ///< on the GUI thread; the model has a player
};

/// All of them. What follows is pure, and thread-safe.
[[nodiscard]] std::span<const Action> actions();
/// Null for a name that there is not.
[[nodiscard]] const Action* actionNamed(QStringView name);
/// What a key does: mpv's keys, and the desktop's for files; null = nothing. `text` is what the key types.
[[nodiscard]] const Action* actionFor(int key, Qt::KeyboardModifiers modifiers, const QString& text);

/// Its text in the language of the desktop.
[[nodiscard]] QString textOf(const Action& action);
/// As in the table.
[[nodiscard]] QStringList keysOf(const Action& action);
/// As people read them: arrows as such, and no multimedia keys, which have their own sign on them.
[[nodiscard]] QStringList shownKeysOf(const Action& action);

}  // namespace tactus::ui
