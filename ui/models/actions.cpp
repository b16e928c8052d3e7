// SPDX-License-Identifier: Apache-2.0
#include "ui/models/actions.h"

#include <QCoreApplication>

#include "ui/models/key_table.h"
#include "ui/models/player_model.h"

namespace tactus::ui {
namespace {

using media::SeekMode;
using media::TrackKind;
using P = PlayerModel;
using namespace std::chrono_literals;

constexpr const char* kPlaying = "Playing";
constexpr const char* kSound = "Sound and tracks";
constexpr const char* kFiles = "Files";
constexpr const char* kCalls = "Calls";
constexpr const char* kWindows = "Windows";

// A table is read by its columns.
// clang-format off
constexpr Action kActions[] = {
  {"togglePause", {"Space", "p", "Toggle Media Play/Pause"}, kPlaying, "Pause or go on", "pause, go on", "pause", [](P& p) { p.player()->togglePause(); }},
  {"play", {"Media Play"}, kPlaying, "Play", "play", "play", [](P& p) { p.player()->play(); }},
  {"pause", {"Media Pause"}, kPlaying, "Pause", "pause", "pause", [](P& p) { p.player()->pause(); }},
  {"stop", {"Media Stop"}, kPlaying, "Stop", "stop", nullptr, [](P& p) { p.stop(); }},
  {"seekBack", {"Left"}, kPlaying, "5 seconds back", "5 seconds", nullptr, [](P& p) { p.seekBy(-5, SeekMode::Fast); }},
  {"seekForward", {"Right"}, kPlaying, "5 seconds forward", "5 seconds", nullptr, [](P& p) { p.seekBy(5, SeekMode::Fast); }},
  {"seekBack1", {"Shift+Left"}, kPlaying, "1 second back, exact", "1 second, exact", nullptr, [](P& p) { p.seekBy(-1, SeekMode::Exact); }},
  {"seekForward1", {"Shift+Right"}, kPlaying, "1 second forward, exact", "1 second, exact", nullptr, [](P& p) { p.seekBy(1, SeekMode::Exact); }},
  {"seekBack60", {"Down"}, kPlaying, "1 minute back", "1 minute", nullptr, [](P& p) { p.seekBy(-60, SeekMode::Fast); }},
  {"seekForward60", {"Up"}, kPlaying, "1 minute forward", "1 minute", nullptr, [](P& p) { p.seekBy(60, SeekMode::Fast); }},
  {"seekBack600", {"Shift+PgDown"}, kPlaying, "10 minutes back", "10 minutes", nullptr, [](P& p) { p.seekBy(-600, SeekMode::Fast); }},
  {"seekForward600", {"Shift+PgUp"}, kPlaying, "10 minutes forward", "10 minutes", nullptr, [](P& p) { p.seekBy(600, SeekMode::Fast); }},
  {"goToStart", {"Home"}, kPlaying, "To the start", "to the start", nullptr, [](P& p) { p.seek(0, true); }},
  {"previousChapter", {"PgDown"}, kPlaying, "Previous chapter", "chapter", nullptr, [](P& p) { p.goToChapter(-1); }},
  {"nextChapter", {"PgUp"}, kPlaying, "Next chapter", "chapter", nullptr, [](P& p) { p.goToChapter(1); }},
  {"stepBackward", {","}, kPlaying, "One frame back", "one frame", "step-back", [](P& p) { p.stepFrame(-1); }},
  {"stepForward", {"."}, kPlaying, "One frame forward", "one frame", "step-forward", [](P& p) { p.stepFrame(1); }},
  {"speedDown", {"["}, kPlaying, "Slower by 10 %", "speed \u00b1 10 %", nullptr, [](P& p) { p.changeSpeed(1 / 1.1); }},
  {"speedUp", {"]"}, kPlaying, "Faster by 10 %", "speed \u00b1 10 %", nullptr, [](P& p) { p.changeSpeed(1.1); }},
  {"speedHalf", {"{"}, kPlaying, "Half the speed", "half, double speed", nullptr, [](P& p) { p.changeSpeed(0.5); }},
  {"speedDouble", {"}"}, kPlaying, "Double the speed", "half, double speed", nullptr, [](P& p) { p.changeSpeed(2); }},
  {"speedNormal", {"Backspace"}, kPlaying, "Normal speed", "normal speed", nullptr, [](P& p) { p.setSpeed(1); }},
  {"loopAB", {"l"}, kPlaying, "Loop from A to B", "loop from A to B", nullptr, [](P& p) { p.markLoop(); }},
  {"loopFile", {"L"}, kPlaying, "Loop the file", "loop the file", nullptr, [](P& p) { p.toggleLoop(); }},
  {"showTime", {"o"}, kPlaying, "Show the time", "show the time", nullptr, [](P& p) { p.showTime(); }},

  {"volumeDown", {"9", "/"}, kSound, "Quieter", "volume", nullptr, [](P& p) { p.changeVolume(-0.02); }},
  {"volumeUp", {"0", "*"}, kSound, "Louder", "volume", nullptr, [](P& p) { p.changeVolume(0.02); }},
  {"mute", {"m"}, kSound, "Mute", "mute", "volume", [](P& p) { p.toggleMute(); }},
  {"nextAudio", {"#"}, kSound, "Next audio track", "audio track", "audio", [](P& p) { p.cycleTrack(TrackKind::Audio, 1); }},
  {"toggleHardware", {"Ctrl+H"}, kSound, "Hardware decoding on or off", "hardware decoding on, off", nullptr, [](P& p) { p.toggleHardware(); }},
  {"nextVideo", {"_"}, kSound, "Next video track", "video track", "video", [](P& p) { p.cycleTrack(TrackKind::Video, 1); }},
  {"previousSubtitle", {"J"}, kSound, "Previous subtitles", "subtitles", nullptr, [](P& p) { p.cycleTrack(TrackKind::Subtitle, -1); }},
  {"nextSubtitle", {"j"}, kSound, "Next subtitles", "subtitles", "subtitles", [](P& p) { p.cycleTrack(TrackKind::Subtitle, 1); }},
  {"toggleSubtitles", {"v"}, kSound, "Subtitles on or off", "subtitles on, off", nullptr, [](P& p) { p.toggleSubtitles(); }},
  {"nextSecondSubtitle", {"Ctrl+J"}, kSound, "Next second subtitles", "second subtitles, above", nullptr, [](P& p) { p.cycleSecondSubtitles(); }},
  {"subtitleEarlier", {"z"}, kSound, "Subtitles earlier", "subtitles earlier, later", nullptr, [](P& p) { p.delaySubtitles(-100ms); }},
  {"subtitleLater", {"x", "Z"}, kSound, "Subtitles later", "subtitles earlier, later", nullptr, [](P& p) { p.delaySubtitles(100ms); }},
  {"subtitleSmaller", {"F"}, kSound, "Smaller subtitles", "size of subtitles", nullptr, [](P& p) { p.scaleSubtitles(1 / 1.1); }},
  {"subtitleLarger", {"G"}, kSound, "Larger subtitles", "size of subtitles", nullptr, [](P& p) { p.scaleSubtitles(1.1); }},
  {"subtitleUp", {"r"}, kSound, "Subtitles up", "subtitles up, down", nullptr, [](P& p) { p.raiseSubtitles(0.01); }},
  {"subtitleDown", {"R"}, kSound, "Subtitles down", "subtitles up, down", nullptr, [](P& p) { p.raiseSubtitles(-0.01); }},

  {"openFile", {"Ctrl+O"}, kFiles, "Open file", "open file", "open", [](P& p) { Q_EMIT p.openFileRequested(); }},
  {"openUrl", {"Ctrl+U", "Ctrl+L"}, kFiles, "Open address", "open address", nullptr, [](P& p) { Q_EMIT p.openUrlRequested(); }},
  {"paste", {"Ctrl+V"}, kFiles, "Open what the clipboard names", "open the clipboard", nullptr, [](P& p) { p.openClipboard(); }},
  {"previous", {"<", "Media Previous"}, kFiles, "Previous file", "previous, next file", "previous", [](P& p) { p.openPrevious(); }},
  {"next", {">", "Media Next"}, kFiles, "Next file", "previous, next file", "next", [](P& p) { p.openNext(); }},

  {"startCall", {"Ctrl+T"}, kCalls, "Start a call", "start a call", "video", [](P& p) { Q_EMIT p.callRequested({}); }},
  {"joinCall", {"Ctrl+R"}, kCalls, "Join a call", "join a call", nullptr, [](P& p) { Q_EMIT p.joinRequested(); }},

  {"fullScreen", {"f", "F11"}, kWindows, "Full screen", "full screen", "fullscreen", [](P& p) { Q_EMIT p.fullScreenToggled(); }},
  {"leaveFullScreen", {"Esc"}, kWindows, "Leave full screen", "leave full screen", "restore", [](P& p) { Q_EMIT p.fullScreenLeft(); }},
  {"screenshot", {"s"}, kWindows, "Screenshot", "screenshot", nullptr, [](P& p) { Q_EMIT p.screenshotRequested(false); }},
  {"screenshotWindow", {"S"}, kWindows, "Screenshot of the window", "screenshot of the window", nullptr, [](P& p) { Q_EMIT p.screenshotRequested(true); }},
  {"stats", {"i", "I"}, kWindows, "Statistics", "statistics", "stats", [](P& p) { p.setStatsVisible(!p.statsVisible()); }},
  {"load", {"Ctrl+I"}, kWindows, "Load", "load of the machine", "load", [](P& p) { Q_EMIT p.loadRequested(); }},
  {"priority-background", {"Ctrl+1"}, kWindows, "Background priority", "background to high priority", "priority-background", [](P& p) { Q_EMIT p.priorityRequested("background"); }},
  {"priority-normal", {"Ctrl+2"}, kWindows, "Normal priority", "background to high priority", "priority-normal", [](P& p) { Q_EMIT p.priorityRequested("normal"); }},
  {"priority-high", {"Ctrl+3"}, kWindows, "High priority", "background to high priority", "priority-high", [](P& p) { Q_EMIT p.priorityRequested("high"); }},
  {"grid", {"Ctrl+G"}, kWindows, "Into the grid", "into the grid, out of it", "detach", [](P& p) { Q_EMIT p.gridRequested(); }},
  {"newWindow", {"Ctrl+N"}, kWindows, "New window", "new window", nullptr, [](P& p) { Q_EMIT p.newWindowRequested(); }},
  {"closeWindow", {"Ctrl+W"}, kWindows, "Close", "close the window", "close", [](P& p) { Q_EMIT p.closeRequested(); }},
  {"help", {"?", "F1"}, kWindows, "Keys", "this sheet", nullptr, [](P& p) { Q_EMIT p.helpToggled(); }},
  {"quit", {"q", "Ctrl+Q"}, kWindows, "Quit", "quit", nullptr, [](P& p) { Q_EMIT p.quitRequested(); }},
  {"quitAndSave", {"Q"}, kWindows, "Quit and keep the place", "quit, keep the place", nullptr, [](P& p) { p.quitAndSave(); }},
};
// clang-format on

KeyTable tableOfKeys() {
  KeyTable table;
  for (std::size_t row = 0; row < std::size(kActions); ++row)
    table.add(keysOf(kActions[row]), static_cast<int>(row));
  return table;
}

}  // namespace

std::span<const Action> actions() {
  return kActions;
}

const Action* actionNamed(QStringView name) {
  for (const auto& action : kActions)
    if (name == QLatin1StringView(action.name)) return &action;
  return nullptr;
}

const Action* actionFor(int key, Qt::KeyboardModifiers modifiers, const QString& text) {
  static const KeyTable keys = tableOfKeys();
  const auto row = keys.rowOf(key, modifiers, text);
  return row ? &kActions[*row] : nullptr;
}

QString textOf(const Action& action) {
  return QCoreApplication::translate("Action", action.text);
}

QStringList keysOf(const Action& action) {
  QStringList keys;
  for (const char* key : action.keys)
    if (key != nullptr) keys.append(QString::fromLatin1(key));
  return keys;
}

QStringList shownKeysOf(const Action& action) {
  return shownKeys(keysOf(action));
}

}  // namespace tactus::ui
