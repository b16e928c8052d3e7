// SPDX-License-Identifier: Apache-2.0
#include "app/gui.h"

#include <unistd.h>
#include <xcb/xcb.h>

#include <QGuiApplication>
#include <QIcon>
#include <QSocketNotifier>
#include <atomic>
#include <cstdlib>

#include "ui/application_window.h"
#include "ui/player_model.h"

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

ui::WindowOptions windowOptions(const Options& options) {
  ui::WindowOptions window;
  for (const auto& item : options.items) window.playlist.append(QString::fromStdString(item));
  for (const auto& file : options.subtitles) window.subtitles.append(QString::fromStdString(file));
  window.paused = options.paused;
  window.fullScreen = options.fullScreen;
  window.loop = options.loop;
  window.showStats = options.stats;
  window.muted = options.muted;
  window.volume = options.volume;
  window.speed = options.speed;
  window.startSeconds = options.start;
  window.size = QSize(options.width, options.height);
  window.player.audio = options.audio;
  window.player.video = options.video;
  window.player.audioTarget = options.audioTarget;
  window.player.maxDecoderThreads = options.decoderThreads;
  return window;
}

ui::VideoOutput wanted(VideoOutputWish wish) {
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

ExitCode report(const Options& options, Runtime& runtime, ui::ApplicationWindow& window,
                const std::string& output) {
  if (!options.report || window.model().player() == nullptr) return ExitCode::Played;
  PlayedItem item;
  item.info = window.model().player()->info();
  item.statistics = window.model().player()->statistics();
  for (auto& task : runtime.scheduler().report()) {
    if (task.contract.stage == periodic::Stage::Render) item.statistics.stages.push_back(std::move(task));
  }
  item.played = window.model().player()->position();
  item.outcome = window.model().error().isEmpty() ? "played" : window.model().error().toStdString();
  RunReport all;
  all.display = output;
  const bool violated = violationsOf(item) > 0;
  all.items.push_back(std::move(item));
  if (const auto printed = runtime.print(std::move(all), options); !printed.ok()) {
    runtime.note(printed.error().message);
    return ExitCode::InternalError;
  }
  return violated ? ExitCode::PlayedWithViolations : ExitCode::Played;
}

}  // namespace

std::string displayRefusal() {
  const char* platform = std::getenv("QT_QPA_PLATFORM");
  const bool x11Asked = platform == nullptr || std::string(platform).starts_with("xcb");
  if (!x11Asked) return {};
  if (std::getenv("WAYLAND_DISPLAY") != nullptr && platform == nullptr) return {};
  const char* display = std::getenv("DISPLAY");
  if (display == nullptr || *display == '\0')
    return "There is no display (neither DISPLAY nor WAYLAND_DISPLAY is set).";
  xcb_connection_t* connection = xcb_connect(nullptr, nullptr);
  const bool failed = xcb_connection_has_error(connection) != 0;
  xcb_disconnect(connection);
  if (failed) return "The display " + std::string(display) + " cannot be opened.";
  return {};
}

ExitCode runWindow(const Options& options, Runtime& runtime, int signals, int& argc, char** argv) {
  QGuiApplication::setApplicationName(QStringLiteral("Tactus"));
  QGuiApplication::setDesktopFileName(QStringLiteral("org.tactus.Tactus"));
  QGuiApplication application(argc, argv);
  ui::WindowOptions settings = windowOptions(options);
  settings.output = ui::chooseVideoOutput(wanted(options.videoOutput));
  const std::string output = settings.output.reason.toStdString();
  auto window = ui::ApplicationWindow::create(std::move(settings), runtime.scheduler());
  if (!window.ok()) {
    runtime.note(window.error().message);
    return ExitCode::InternalError;
  }
  QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/tactus/icons/tactus.svg")));
  bool interrupted = false;
  QSocketNotifier onSignal(signals, QSocketNotifier::Read);
  QObject::connect(&onSignal, &QSocketNotifier::activated, &application, [&] {
    interrupted = true;
    onSignal.setEnabled(false);
    QGuiApplication::quit();
  });
  std::atexit(onExit);
  g_previousHandler = qInstallMessageHandler(onQtMessage);
  g_running.store(true, std::memory_order_relaxed);
  QGuiApplication::exec();
  g_running.store(false, std::memory_order_relaxed);
  const bool failed = window.value()->model().lastFailed();
  const ExitCode outcome = report(options, runtime, *window.value(), output);
  std::move(window).value().reset();
  if (interrupted) return ExitCode::Interrupted;
  return failed ? ExitCode::CannotOpen : outcome;
}

}  // namespace tactus::app
