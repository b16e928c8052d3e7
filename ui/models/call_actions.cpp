// SPDX-License-Identifier: Apache-2.0
#include "ui/models/call_actions.h"

#include <QCoreApplication>

#include "ui/models/call_model.h"
#include "ui/models/key_table.h"

namespace tactus::ui {
namespace {

using C = CallModel;

constexpr const char* kYou = "You";
constexpr const char* kOthers = "The others";
constexpr const char* kWindow = "The window";

// A table is read by its columns.
// clang-format off
constexpr CallAction kActions[] = {
  {"toggleMicrophone", {"m"}, kYou, "Microphone on or off", [](C& c) { c.setMicrophoneMuted(!c.microphoneMuted()); }},
  {"toggleCamera", {"v"}, kYou, "Camera on or off", [](C& c) { c.setCameraMuted(!c.cameraMuted()); }},
  {"talk", {"Space"}, kYou, "Talk while it is held", [](C& c) { c.talk(true); }},
  {"toggleScreen", {"s"}, kYou, "Share the screen, or cease to", [](C& c) { c.setSharing(!c.sharing() && !c.asksScreen()); }},
  {"shareAnother", {"S"}, kYou, "Share another screen or window", [](C& c) { c.shareAnother(); }},
  {"shareFilm", {"F"}, kYou, "Share a film that plays here", [](C& c) { Q_EMIT c.filmsRequested(); }},
  {"toggleHand", {"r", "h"}, kYou, "Raise or lower the hand", [](C& c) { c.setHand(!c.hand()); }},

  {"chat", {"c"}, kOthers, "Chat", [](C& c) { c.togglePanel(QStringLiteral("chat")); }},
  {"people", {"p"}, kOthers, "Participants", [](C& c) { c.togglePanel(QStringLiteral("people")); }},
  {"invite", {"i"}, kOthers, "Invite others", [](C& c) { Q_EMIT c.invitationToggled(); }},
  {"copyInvitation", {"Ctrl+C"}, kOthers, "Copy the link for others", [](C& c) { Q_EMIT c.invitationWanted(); }},
  {"layout", {"w"}, kOthers, "Who speaks large, or all alike", [](C& c) { c.setSpeakerLarge(!c.speakerLarge()); }},

  {"priority-background", {"Ctrl+1"}, kOthers, "Background priority", [](C& c) { Q_EMIT c.priorityRequested(QStringLiteral("background")); }},
  {"priority-normal", {"Ctrl+2"}, kOthers, "Normal priority", [](C& c) { Q_EMIT c.priorityRequested(QStringLiteral("normal")); }},
  {"priority-high", {"Ctrl+3"}, kOthers, "High priority", [](C& c) { Q_EMIT c.priorityRequested(QStringLiteral("high")); }},

  {"fullScreen", {"f", "F11"}, kWindow, "Full screen", [](C& c) { Q_EMIT c.fullScreenToggled(); }},
  {"escape", {"Esc"}, kWindow, "Leave full screen", [](C& c) { Q_EMIT c.escaped(); }},
  {"load", {"Ctrl+I"}, kWindow, "Load", [](C& c) { Q_EMIT c.loadRequested(); }},
  {"newWindow", {"Ctrl+N"}, kWindow, "New window for a film", [](C& c) { Q_EMIT c.newWindowRequested(); }},
  {"help", {"?", "F1"}, kWindow, "Keys", [](C& c) { Q_EMIT c.helpToggled(); }},
  {"leave", {"Ctrl+W", "Ctrl+Q"}, kWindow, "Leave the call", [](C& c) { Q_EMIT c.leaveRequested(); }},
};
// clang-format on

}  // namespace

std::span<const CallAction> callActions() {
  return kActions;
}

const CallAction* callActionNamed(QStringView name) {
  for (const auto& action : kActions)
    if (name == QLatin1StringView(action.name)) return &action;
  return nullptr;
}

const CallAction* callActionFor(int key, Qt::KeyboardModifiers modifiers, const QString& text) {
  static const KeyTable keys = [] {
    KeyTable table;
    for (std::size_t row = 0; row < std::size(kActions); ++row)
      table.add(keysOf(kActions[row]), static_cast<int>(row));
    return table;
  }();
  const auto row = keys.rowOf(key, modifiers, text);
  return row ? &kActions[*row] : nullptr;
}

QStringList keysOf(const CallAction& action) {
  QStringList keys;
  for (const char* key : action.keys)
    if (key != nullptr) keys.append(QString::fromLatin1(key));
  return keys;
}

QString textOf(const CallAction& action) {
  return QCoreApplication::translate("CallAction", action.text);
}

}  // namespace tactus::ui
