// SPDX-License-Identifier: Apache-2.0
#include "app/events.h"

#include <unistd.h>
#include <xcb/xcb.h>

#include <QGuiApplication>
#include <atomic>
#include <cstdlib>

#include "app/exit_code.h"

namespace tactus::app {
namespace {

/// Set while the event loop runs. Qt ends the process by exit() when the X server goes away; running the
/// destructors of a pipeline whose window is gone could hang, so the last word is spoken here.
std::atomic<bool> g_running{false};

void onExit() {
  if (!g_running.load(std::memory_order_relaxed)) return;
  constexpr char kSentence[] = "tactus: The display went away.\n";
  (void)!write(STDERR_FILENO, kSentence, sizeof kSentence - 1);
  _exit(static_cast<int>(ExitCode::NoDisplay));
}

QtMessageHandler g_previousHandler = nullptr;

/// Qt says that the display is gone and then calls exit(), whose handlers of other libraries may hang before
/// ours runs.
void onQtMessage(QtMsgType type, const QMessageLogContext& context, const QString& text) {
  if (text.contains(QLatin1String("connection broke"))) onExit();
  if (g_previousHandler != nullptr) g_previousHandler(type, context, text);
}

}  // namespace

void nameApplication() {
  QGuiApplication::setApplicationName(QStringLiteral("Tactus"));
  QGuiApplication::setDesktopFileName(QStringLiteral("org.tactus.Tactus"));
}

void runEvents() {
  std::atexit(onExit);
  g_previousHandler = qInstallMessageHandler(onQtMessage);
  g_running.store(true, std::memory_order_relaxed);
  QGuiApplication::exec();
  g_running.store(false, std::memory_order_relaxed);
}

ui::VideoOutput outputOf(VideoOutputWish wish) {
  switch (wish) {
    case VideoOutputWish::Software:
      return ui::VideoOutput::Software;
    case VideoOutputWish::Rhi:
      return ui::VideoOutput::Rhi;
    case VideoOutputWish::Auto:
      break;
  }
  return ui::VideoOutput::Auto;
}

std::string displayRefusal() {
  const char* platform = std::getenv("QT_QPA_PLATFORM");
  const bool x11Asked = platform == nullptr || std::string(platform).starts_with("xcb");
  if (!x11Asked) return {};
  const char* wayland = std::getenv("WAYLAND_DISPLAY");
  if (wayland != nullptr && *wayland != '\0' && platform == nullptr) return {};
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0')
    return "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set).";
  xcb_connection_t* connection = xcb_connect(nullptr, nullptr);
  const bool failed = xcb_connection_has_error(connection) != 0;
  xcb_disconnect(connection);
  if (failed) return "The display " + std::string(display) + " cannot be opened.";
  return {};
}

}  // namespace tactus::app
