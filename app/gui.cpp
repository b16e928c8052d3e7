// SPDX-License-Identifier: Apache-2.0
#include "app/gui.h"

#include <unistd.h>
#include <xcb/xcb.h>

#include <QGuiApplication>
#include <QIcon>
#include <QScreen>
#include <QSocketNotifier>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include "ui/application_window.h"
#include "ui/player_model.h"
#include "ui/window_model.h"

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
  window.player = playerConfig(options);
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

PlayedItem itemOf(ui::ApplicationWindow& window) {
  PlayedItem item;
  auto& model = window.model();
  item.info = model.player()->info();
  item.statistics = model.player()->statistics();
  item.played = model.player()->position();
  item.outcome = model.error().isEmpty() ? "played" : model.error().toStdString();
  if (window.claim() != nullptr) item.window = window.claim()->state();
  return item;
}

/// The windows of the program. They are closed one by one, and each may ask for another.
class Windows {
 public:
  Windows(const Options& options, Runtime& runtime, ui::OutputChoice output)
      : m_options(options), m_runtime(runtime), m_output(std::move(output)) {}

  [[nodiscard]] bool open(const TileOption* tile, bool empty = false) {
    ui::WindowOptions settings = windowOptions(m_options);
    settings.output = m_output;
    if (m_options.shedding) settings.governor = &m_runtime.governor();
    if (tile != nullptr) {
      settings.playlist = {QString::fromStdString(tile->item)};
      settings.terms = tile->terms;
    }
    if (empty) settings.playlist.clear();
    if (m_options.x) {
      // Row by row, as many side by side as the screen has room for.
      const int room = QGuiApplication::primaryScreen()->size().width() - *m_options.x;
      const int columns = std::max(1, room / std::max(1, m_options.width));
      const int index = static_cast<int>(m_windows.size());
      settings.position = QPoint(*m_options.x + index % columns * m_options.width,
                                 *m_options.y + index / columns * m_options.height);
    }
    auto created = ui::ApplicationWindow::create(std::move(settings), m_runtime.scheduler());
    if (!created.ok()) {
      m_runtime.note(created.error().message);
      return false;
    }
    auto* window = created.value().get();
    QObject::connect(window, &ui::ApplicationWindow::newWindowRequested, window,
                     [this] { (void)open(nullptr, true); });
    // Not from within its own signal.
    QObject::connect(
        window, &ui::ApplicationWindow::closed, window, [this, window] { forget(window); },
        Qt::QueuedConnection);
    m_windows.push_back(std::move(created).value());
    return true;
  }

  [[nodiscard]] bool anyFailed() const {
    return std::any_of(m_windows.begin(), m_windows.end(),
                       [](const auto& window) { return window->model().lastFailed(); });
  }

  [[nodiscard]] ExitCode report() {
    if (!m_options.report) return ExitCode::Played;
    RunReport all;
    all.display = m_output.reason.toStdString();
    for (const auto& window : m_windows) m_closed.push_back(itemOf(*window));
    std::uint64_t violations = 0;
    for (auto& item : m_closed) {
      if (&item == &m_closed.front()) {
        for (auto& task : m_runtime.scheduler().report()) {
          if (task.contract.stage == periodic::Stage::Render)
            item.statistics.stages.push_back(std::move(task));
        }
      }
      violations += violationsOf(item);
      all.items.push_back(std::move(item));
    }
    if (const auto printed = m_runtime.print(std::move(all), m_options); !printed.ok()) {
      m_runtime.note(printed.error().message);
      return ExitCode::InternalError;
    }
    return violations > 0 ? ExitCode::PlayedWithViolations : ExitCode::Played;
  }

 private:
  void forget(ui::ApplicationWindow* window) {
    const auto found = std::find_if(m_windows.begin(), m_windows.end(),
                                    [&](const auto& each) { return each.get() == window; });
    // The last one stays for the report: its closing ends the program.
    if (found == m_windows.end() || m_windows.size() == 1) return;
    m_closed.push_back(itemOf(*window));
    m_windows.erase(found);
  }

  const Options& m_options;
  Runtime& m_runtime;
  const ui::OutputChoice m_output;
  std::vector<std::unique_ptr<ui::ApplicationWindow>> m_windows;
  std::vector<PlayedItem> m_closed;
};

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
  Windows windows(options, runtime, ui::chooseVideoOutput(wanted(options.videoOutput)));
  bool opened = true;
  for (const auto& tile : options.tiles) opened = opened && windows.open(&tile);
  if (options.tiles.empty()) opened = windows.open(nullptr);
  if (!opened) return ExitCode::InternalError;
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
  const bool failed = windows.anyFailed();
  const ExitCode outcome = windows.report();
  if (interrupted) return ExitCode::Interrupted;
  return failed ? ExitCode::CannotOpen : outcome;
}

}  // namespace tactus::app
