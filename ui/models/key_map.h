// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <Qt>
#include <optional>

namespace tactus::ui {

enum class Action {
  TogglePause,
  SeekBack5,
  SeekForward5,
  SeekBack1,
  SeekForward1,
  SeekBack60,
  SeekForward60,
  SeekBack600,
  SeekForward600,
  SpeedUp,
  SpeedDown,
  SpeedDouble,
  SpeedHalf,
  SpeedNormal,
  StepForward,
  StepBackward,
  VolumeUp,
  VolumeDown,
  Mute,
  NextSubtitle,
  PreviousSubtitle,
  ToggleSubtitles,
  SubtitleLater,
  SubtitleEarlier,
  NextAudio,
  NextVideo,
  NextChapter,
  PreviousChapter,
  LoopAB,
  LoopFile,
  FullScreen,
  LeaveFullScreen,
  Stats,
  Help,
  Screenshot,
  ScreenshotWindow,
  PriorityHigh,
  PriorityNormal,
  PriorityBackground,
  NewWindow,
  Load,
  Grid,
  CloseWindow,
  Quit,
  QuitAndSave,
  NextItem,
  PreviousItem,
  OpenFile,
  OpenUrl,
  Paste,
  ShowTime,
  GoToStart,
  Stop,
  Play,
  Pause
};

struct KeyEntry {
  const char* key;    ///< as people write it: "Shift+Right"
  const char* means;  ///< for the help sheet
  Action action;
};

/// What a key does: mpv's keys, and the desktop's for files. `text` is what the key types. Thread-safe: yes
/// (pure).
[[nodiscard]] std::optional<Action> actionFor(int key, Qt::KeyboardModifiers modifiers, const QString& text);

}  // namespace tactus::ui
