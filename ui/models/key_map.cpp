// SPDX-License-Identifier: Apache-2.0
#include "ui/models/key_map.h"

#include <QHash>

namespace tactus::ui {
namespace {

std::optional<Action> withControl(int key) {
  switch (key) {
    case Qt::Key_O:
      return Action::OpenFile;
    case Qt::Key_U:
    case Qt::Key_L:
      return Action::OpenUrl;
    case Qt::Key_V:
      return Action::Paste;
    case Qt::Key_1:
      return Action::PriorityBackground;
    case Qt::Key_2:
      return Action::PriorityNormal;
    case Qt::Key_3:
      return Action::PriorityHigh;
    case Qt::Key_N:
      return Action::NewWindow;
    case Qt::Key_I:
      return Action::Load;
    case Qt::Key_G:
      return Action::Grid;
    case Qt::Key_W:
      return Action::CloseWindow;
    case Qt::Key_Q:
      return Action::Quit;
    default:
      return {};
  }
}

std::optional<Action> byName(int key, bool shift) {
  switch (key) {
    case Qt::Key_Space:
      return Action::TogglePause;
    case Qt::Key_Left:
      return shift ? Action::SeekBack1 : Action::SeekBack5;
    case Qt::Key_Right:
      return shift ? Action::SeekForward1 : Action::SeekForward5;
    case Qt::Key_Down:
      return Action::SeekBack60;
    case Qt::Key_Up:
      return Action::SeekForward60;
    case Qt::Key_PageUp:
      return shift ? Action::SeekForward600 : Action::NextChapter;
    case Qt::Key_PageDown:
      return shift ? Action::SeekBack600 : Action::PreviousChapter;
    case Qt::Key_Backspace:
      return Action::SpeedNormal;
    case Qt::Key_Home:
      return Action::GoToStart;
    case Qt::Key_Escape:
      return Action::LeaveFullScreen;
    case Qt::Key_F11:
      return Action::FullScreen;
    case Qt::Key_F1:
      return Action::Help;
    case Qt::Key_MediaTogglePlayPause:
      return Action::TogglePause;
    case Qt::Key_MediaPlay:
      return Action::Play;
    case Qt::Key_MediaPause:
      return Action::Pause;
    case Qt::Key_MediaStop:
      return Action::Stop;
    case Qt::Key_MediaNext:
      return Action::NextItem;
    case Qt::Key_MediaPrevious:
      return Action::PreviousItem;
    default:
      return {};
  }
}

const QHash<QString, Action>& byText() {
  static const QHash<QString, Action> table{
      {"p", Action::TogglePause},
      {"]", Action::SpeedUp},
      {"[", Action::SpeedDown},
      {"}", Action::SpeedDouble},
      {"{", Action::SpeedHalf},
      {".", Action::StepForward},
      {",", Action::StepBackward},
      {"0", Action::VolumeUp},
      {"9", Action::VolumeDown},
      {"*", Action::VolumeUp},
      {"/", Action::VolumeDown},
      {"m", Action::Mute},
      {"j", Action::NextSubtitle},
      {"J", Action::PreviousSubtitle},
      {"v", Action::ToggleSubtitles},
      {"x", Action::SubtitleLater},
      {"z", Action::SubtitleEarlier},
      {"Z", Action::SubtitleLater},
      {"#", Action::NextAudio},
      {"_", Action::NextVideo},
      {"l", Action::LoopAB},
      {"L", Action::LoopFile},
      {"f", Action::FullScreen},
      {"i", Action::Stats},
      {"I", Action::Stats},
      {"?", Action::Help},
      {"s", Action::Screenshot},
      {"S", Action::ScreenshotWindow},
      {"q", Action::Quit},
      {"Q", Action::QuitAndSave},
      {">", Action::NextItem},
      {"<", Action::PreviousItem},
      {"o", Action::ShowTime},
  };
  return table;
}

}  // namespace

std::optional<Action> actionFor(int key, Qt::KeyboardModifiers modifiers, const QString& text) {
  if (modifiers.testFlag(Qt::ControlModifier)) return withControl(key);
  if (modifiers.testFlag(Qt::AltModifier) || modifiers.testFlag(Qt::MetaModifier)) return {};
  if (const auto named = byName(key, modifiers.testFlag(Qt::ShiftModifier))) return named;
  const auto found = byText().constFind(text);
  if (found == byText().constEnd()) return {};
  return found.value();
}

}  // namespace tactus::ui
