// SPDX-License-Identifier: Apache-2.0
#include "app/gui.h"

#include <QGuiApplication>
#include <QIcon>
#include <QQuickWindow>
#include <QScreen>
#include <QSocketNotifier>
#include <QTimer>
#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

#include "app/attending.h"
#include "app/call_windows.h"
#include "app/events.h"
#include "ui/models/player_model.h"
#include "ui/models/priority_memory.h"
#include "ui/models/window_model.h"
#include "ui/windows/application_window.h"
#include "ui/windows/grid_window.h"
#include "ui/windows/load_window.h"

namespace tactus::app {
namespace {

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

PlayedItem itemOf(ui::Viewer& viewer) {
  PlayedItem item;
  auto& model = viewer.model();
  item.info = model.player()->info();
  item.statistics = model.player()->statistics();
  item.played = model.player()->position();
  item.outcome = model.error().isEmpty() ? "played" : model.error().toStdString();
  if (viewer.claim() != nullptr) item.window = viewer.claim()->state();
  return item;
}

/// The windows of the program: they are closed one by one, each may ask for another, and films move between
/// windows of their own and the grid. Calls have windows of their own.
class Windows {
 public:
  Windows(const Options& options, Runtime& runtime, ui::OutputChoice output)
      : m_options(options),
        m_runtime(runtime),
        m_output(std::move(output)),
        m_memory(ui::PriorityMemory::defaultPath()),
        m_load(runtime.scheduler(), runtime.qos(), [this] { return loads(); }),
        m_calls(options, runtime, m_output,
                {[this] { m_load.toggle(); }, [this] { (void)openWindow(oneMore()); },
                 [this] { endIfEmpty(); }, [this] { return films(); }}) {
    m_load.setNetwork(runtime.network());
  }

  /// One of the command line, or one more: that asks whether there is room for it.
  [[nodiscard]] bool open(const TileOption* tile) {
    using Entry = media::LoadGovernor::Entry;
    ui::WindowOptions settings = settingsOf(tile);
    settings.entry = m_options.strict ? Entry::Asks : Entry::Admitted;
    return m_options.grid ? openInGrid(std::move(settings)) : openWindow(std::move(settings));
  }
  /// Of a call; an empty link: in a room of its own.
  [[nodiscard]] bool call(const std::string& link) { return made(m_calls.open(link)); }
  /// Those of the command line from `index` on, one each time the event loop comes by: the windows that are
  /// there already go on. `failed` is called, and no more are opened, where one cannot be.
  void openTiles(std::size_t index, std::function<void()> failed) {
    if (index >= m_options.tiles.size()) return;
    if (!open(&m_options.tiles[index])) return failed();
    QTimer::singleShot(0, qApp, [this, index, failed = std::move(failed)] { openTiles(index + 1, failed); });
  }
  [[nodiscard]] bool anyFailed() {
    const auto all = viewers();
    return std::any_of(all.begin(), all.end(), [](auto* viewer) { return viewer->model().lastFailed(); });
  }

  [[nodiscard]] ExitCode report() {
    RunReport all;
    all.attended = m_calls.report();
    const ExitCode stay = joins() && all.attended ? exitCodeOf(*all.attended) : ExitCode::Played;
    if (!m_options.report) return stay;
    if (m_runtime.network()) all.network = m_runtime.network()();
    all.display = m_output.reason.toStdString();
    for (auto* viewer : viewers()) m_closed.push_back(itemOf(*viewer));
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
    return m_runtime.print(std::move(all), m_options,
                           violations > 0 && !joins() ? ExitCode::PlayedWithViolations : stay);
  }

 private:
  /// What the command line says of windows is said of the call's.
  [[nodiscard]] bool joins() const { return m_options.command == Command::Join; }
  [[nodiscard]] ui::WindowOptions settingsOf(const TileOption* tile) {
    ui::WindowOptions settings = windowOptions(m_options);
    settings.output = m_output;
    settings.memory = &m_memory;
    if (m_options.shedding) settings.governor = &m_runtime.governor();
    if (tile != nullptr) {
      settings.playlist = {QString::fromStdString(tile->item)};
      settings.terms = tile->terms;
      settings.termsGiven = tile->given;
      if (m_options.tiles.size() > 1) settings.player.label = tile->name();
    }
    return settings;
  }

  [[nodiscard]] ui::WindowOptions oneMore(const QString& item = {}) {
    ui::WindowOptions settings = settingsOf(nullptr);
    settings.playlist = item.isEmpty() ? QStringList() : QStringList(item);
    settings.paused = false;
    settings.fullScreen = false;
    if (joins()) {
      settings.muted = false;
      settings.size = QSize();
    }
    settings.entry = media::LoadGovernor::Entry::Asks;
    return settings;
  }

  /// Says why not.
  template <typename Made>
  [[nodiscard]] bool made(const Result<Made>& window) {
    if (!window.ok()) m_runtime.note(window.error().message);
    return window.ok();
  }

  [[nodiscard]] bool openWindow(ui::WindowOptions settings, std::unique_ptr<ui::Viewer> viewer = nullptr) {
    if (m_options.x && !joins()) {
      // Row by row, as many side by side as the screen has room for.
      const int room = QGuiApplication::primaryScreen()->size().width() - *m_options.x;
      const int columns = std::max(1, room / std::max(1, m_options.width));
      const int index = static_cast<int>(m_windows.size());
      settings.position = QPoint(*m_options.x + index % columns * m_options.width,
                                 *m_options.y + index / columns * m_options.height);
    }
    auto created = viewer != nullptr
                       ? ui::ApplicationWindow::create(settings, std::move(viewer), m_runtime.scheduler())
                       : ui::ApplicationWindow::create(std::move(settings), m_runtime.scheduler());
    if (!made(created)) return false;
    auto* window = created.value().get();
    using ui::ApplicationWindow;
    QObject::connect(window, &ApplicationWindow::newWindowRequested, window,
                     [this] { (void)openWindow(oneMore()); });
    QObject::connect(window, &ApplicationWindow::loadRequested, window, [this] { m_load.toggle(); });
    // Queued: not from within its own signal.
    const auto queued = Qt::QueuedConnection;
    QObject::connect(
        window, &ApplicationWindow::callRequested, window,
        [this, window](const QString& link) { callFrom(window->model(), link); }, queued);
    QObject::connect(
        window, &ApplicationWindow::gridRequested, window, [this, window] { intoGrid(window); }, queued);
    QObject::connect(
        window, &ApplicationWindow::closeOtherRequested, window, [this](quint64 id) { close(id); }, queued);
    QObject::connect(
        window, &ApplicationWindow::closed, window, [this, window] { forget(window); }, queued);
    m_windows.push_back(std::move(created).value());
    return true;
  }

  [[nodiscard]] bool prepareGrid() {
    if (m_grid) return true;
    auto created = ui::GridWindow::create(settingsOf(nullptr), m_runtime.scheduler());
    if (!made(created)) return false;
    m_grid = std::move(created).value();
    using ui::GridWindow;
    auto* grid = m_grid.get();
    QObject::connect(grid, &GridWindow::newWindowRequested, grid, [this] { (void)openWindow(oneMore()); });
    QObject::connect(grid, &GridWindow::loadRequested, grid, [this] { m_load.toggle(); });
    const auto queued = Qt::QueuedConnection;
    QObject::connect(
        grid, &GridWindow::callRequested, grid,
        [this](const QString& link) {
          if (m_grid->size() > 0) callFrom(m_grid->viewer(0).model(), link);
        },
        queued);
    QObject::connect(
        grid, &GridWindow::filmRequested, grid,
        [this](const QString& item) { (void)openInGrid(oneMore(item)); }, queued);
    QObject::connect(
        grid, &GridWindow::detachRequested, grid, [this](ui::Viewer* viewer) { detach(viewer); }, queued);
    QObject::connect(
        grid, &GridWindow::closeRequested, grid, [this](ui::Viewer* viewer) { closeTile(viewer); }, queued);
    QObject::connect(
        grid, &GridWindow::closeOtherRequested, grid, [this](quint64 id) { close(id); }, queued);
    QObject::connect(
        grid, &GridWindow::closed, grid, [this] { forgetGrid(); }, queued);
    return true;
  }

  [[nodiscard]] bool openInGrid(ui::WindowOptions settings) {
    if (!prepareGrid()) return false;
    auto viewer = ui::Viewer::create(std::move(settings), m_runtime.scheduler());
    if (!made(viewer)) return false;
    return made(m_grid->add(std::move(viewer).value()));
  }

  void intoGrid(ui::ApplicationWindow* window) {
    const auto found = find(window);
    if (found == m_windows.end() || !prepareGrid()) return;
    auto viewer = window->release();
    m_windows.erase(found);
    (void)made(m_grid->add(std::move(viewer)));
  }

  void detach(ui::Viewer* wanted) {
    if (!m_grid) return;
    if (auto viewer = m_grid->release(*wanted)) (void)openWindow(oneMore(), std::move(viewer));
    dropEmptyGrid();
  }

  void closeTile(ui::Viewer* wanted) {
    if (!m_grid) return;
    if (const auto viewer = m_grid->release(*wanted)) m_closed.push_back(itemOf(*viewer));
    dropEmptyGrid();
  }

  /// Of a film that another one is to make room for.
  void close(std::uint64_t id) {
    for (const auto& window : m_windows)
      if (window->claim() != nullptr && window->claim()->id() == id) return (void)window->window().close();
    for (std::size_t i = 0; m_grid && i < m_grid->size(); ++i) {
      auto& viewer = m_grid->viewer(i);
      if (viewer.claim() != nullptr && viewer.claim()->id() == id) return closeTile(&viewer);
    }
  }

  [[nodiscard]] std::vector<ui::Viewer*> viewers() {
    std::vector<ui::Viewer*> all;
    for (const auto& window : m_windows) all.push_back(&window->viewer());
    for (std::size_t i = 0; m_grid && i < m_grid->size(); ++i) all.push_back(&m_grid->viewer(i));
    return all;
  }

  /// Those that could be shared in a call.
  [[nodiscard]] std::vector<ui::CallModel::Film> films() {
    std::vector<ui::CallModel::Film> all;
    for (auto* viewer : viewers()) {
      auto& model = viewer->model();
      if (model.player()->state() != media::PlayState::Idle)
        all.push_back({model.title(), model.player()->tap()});
    }
    return all;
  }

  [[nodiscard]] std::vector<ui::FilmLoad> loads() {
    std::vector<ui::FilmLoad> all;
    for (const auto* viewer : viewers()) all.push_back(viewer->load());
    for (auto& load : m_calls.loads()) all.push_back(std::move(load));
    return all;
  }

  using WindowList = std::vector<std::unique_ptr<ui::ApplicationWindow>>;
  [[nodiscard]] WindowList::iterator find(ui::ApplicationWindow* window) {
    return std::find_if(m_windows.begin(), m_windows.end(),
                        [&](const auto& each) { return each.get() == window; });
  }

  void forget(ui::ApplicationWindow* window) {
    const auto found = find(window);
    if (found == m_windows.end()) return;
    // The last one stays for the report: its closing ends the program.
    if (m_windows.size() == 1 && !m_grid && m_calls.empty()) return QGuiApplication::quit();
    m_closed.push_back(itemOf(window->viewer()));
    m_windows.erase(found);
  }

  void forgetGrid() {
    if (m_windows.empty() && m_calls.empty()) return QGuiApplication::quit();
    for (std::size_t i = 0; i < m_grid->size(); ++i) m_closed.push_back(itemOf(m_grid->viewer(i)));
    m_grid.reset();
  }

  void dropEmptyGrid() {
    if (m_grid->size() == 0 && !m_windows.empty()) m_grid.reset();
  }

  void endIfEmpty() {
    if (m_windows.empty() && !m_grid && m_calls.empty()) QGuiApplication::quit();
  }

  /// A window that showed nothing makes room for the call.
  void callFrom(ui::PlayerModel& asked, const QString& link) {
    const auto opened = m_calls.open(link.toStdString());
    if (!opened.ok()) {
      asked.showToast(QString::fromStdString(opened.error().message));
      return;
    }
    for (const auto& window : m_windows)
      if (&window->model() == &asked && !asked.opened()) return (void)window->window().close();
  }

  const Options& m_options;
  Runtime& m_runtime;
  const ui::OutputChoice m_output;
  ui::PriorityMemory m_memory;
  WindowList m_windows;
  std::unique_ptr<ui::GridWindow> m_grid;
  ui::LoadWindow m_load;
  CallWindows m_calls;
  std::vector<PlayedItem> m_closed;
};

}  // namespace

bool runLoadWindow(Runtime& runtime, const std::function<bool()>& step, std::chrono::milliseconds pause,
                   int& argc, char** argv) {
  nameApplication();
  QGuiApplication application(argc, argv);
  ui::LoadWindow window(runtime.scheduler(), runtime.qos(), [] { return std::vector<ui::FilmLoad>(); });
  window.setNetwork(runtime.network());
  if (!window.toggle()) return false;
  QTimer timer;
  QObject::connect(&timer, &QTimer::timeout, &application, [&] {
    if (!step()) QGuiApplication::quit();
  });
  timer.start(pause);
  runEvents();
  return true;
}

ExitCode runWindow(const Options& options, Runtime& runtime, int signals, int& argc, char** argv) {
  nameApplication();
  QGuiApplication application(argc, argv);
  QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/tactus/icons/tactus.svg")));
  Windows windows(options, runtime, ui::chooseVideoOutput(outputOf(options.videoOutput)));
  const bool joins = options.command == Command::Join;
  bool opened = true;
  const auto failed = [&] {
    opened = false;
    QGuiApplication::quit();
  };
  if (joins) {
    if (!windows.call(options.join.link)) return ExitCode::CannotOpen;
  } else if (options.tiles.empty() && !windows.open(nullptr)) {
    return ExitCode::InternalError;
  }
  windows.openTiles(0, failed);
  if (!opened) return ExitCode::InternalError;
  bool interrupted = false;
  // Nobody is asked: quit() would be refused by a window that has a question.
  const auto end = [] { QGuiApplication::exit(); };
  QSocketNotifier onSignal(signals, QSocketNotifier::Read);
  QObject::connect(&onSignal, &QSocketNotifier::activated, &application, [&] {
    interrupted = true;
    onSignal.setEnabled(false);
    end();
  });
  if (joins && options.duration)
    QTimer::singleShot(std::chrono::ceil<std::chrono::milliseconds>(*options.duration), &application, end);
  runEvents();
  if (!opened) return ExitCode::InternalError;
  const bool anyFailed = windows.anyFailed();
  const ExitCode outcome = windows.report();
  if (joins) return outcome;
  if (interrupted) return ExitCode::Interrupted;
  return anyFailed ? ExitCode::CannotOpen : outcome;
}

}  // namespace tactus::app
