// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <Qt>
#include <array>
#include <span>

namespace tactus::ui {

class CallModel;

/// One thing that a user can have a call's window do. Keys, buttons and the help sheet read this one table.
struct CallAction {
  const char* name;                 ///< for QML and tests: "toggleMicrophone"; unique
  std::array<const char*, 3> keys;  ///< as of Action
  const char* group;                ///< of the help sheet; neighbours of one group stand together
  const char* text;                 ///< for buttons and the help sheet
  void (*perform)(CallModel&);      ///< on the GUI thread
};

/// All of them. What follows is pure, and thread-safe.
[[nodiscard]] std::span<const CallAction> callActions();
/// Null for a name that there is not.
[[nodiscard]] const CallAction* callActionNamed(QStringView name);
/// What a key does: those of Jitsi Meet, and the desktop's; null = nothing. `text` is what the key types.
[[nodiscard]] const CallAction* callActionFor(int key, Qt::KeyboardModifiers modifiers, const QString& text);
/// As in the table.
[[nodiscard]] QStringList keysOf(const CallAction& action);
[[nodiscard]] QString textOf(const CallAction& action);

}  // namespace tactus::ui
