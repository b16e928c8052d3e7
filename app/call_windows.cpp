// SPDX-License-Identifier: Apache-2.0
#include "app/call_windows.h"

#include <QQuickWindow>
#include <algorithm>
#include <utility>

#include "app/attending.h"

namespace tactus::app {
namespace {

/// As the page before the call offers it; absent: it has none.
std::optional<media::CaptureDevice> deviceOf(const std::optional<media::CaptureSource>& source) {
  if (!source) return std::nullopt;
  const bool test = source->kind == media::CaptureSource::Kind::Test;
  return media::CaptureDevice{test ? "Test" : source->name, *source, true};
}

}  // namespace

CallWindows::CallWindows(const Options& options, Runtime& runtime, ui::OutputChoice output, Requests requests)
    : m_options(options), m_runtime(runtime), m_output(std::move(output)), m_requests(std::move(requests)) {}

ui::CallWindow::Options CallWindows::optionsOf(const std::string& link) const {
  const JoinOption& join = m_options.join;
  ui::CallWindow::Options wanted;
  wanted.output = m_output;
  wanted.call.link = link;
  wanted.call.films = m_requests.films;
  wanted.call.attendance = attendanceOf(m_options, link, m_runtime);
  // PipeWire itself knows which device is to play.
  if (!join.speakerNamed) wanted.call.attendance.soundDevice = "";
  // Where the command line has named all there is nothing to choose.
  if (!join.cameraNamed || !join.microphoneNamed)
    wanted.memory = ui::CallMemory(ui::CallMemory::defaultPath());
  if (join.nameNamed) wanted.given.name = QString::fromStdString(join.name);
  if (join.cameraNamed) wanted.given.camera = deviceOf(join.camera);
  if (join.microphoneNamed) wanted.given.microphone = deviceOf(join.microphone);
  wanted.given.noCamera = join.cameraNamed && !join.camera;
  wanted.given.originalSound = join.originalSound;
  wanted.given.noMicrophone = join.microphoneNamed && !join.microphone;
  if (m_options.command == Command::Join) {
    wanted.size = QSize(m_options.width, m_options.height);
    wanted.fullScreen = m_options.fullScreen;
  }
  return wanted;
}

Result<void> CallWindows::open(const std::string& link) {
  Call call;
  ui::CallWindow::Options wanted;
  if (link.empty()) {
    auto room = OwnRoom::open(m_options, m_runtime);
    if (!room.ok()) return room.error();
    call.room = std::move(room).value();
    const auto own = call.room->link(conference::Role::Host);
    const auto guests = call.room->link(conference::Role::Guest);
    if (!own.ok() || !guests.ok()) return (own.ok() ? guests : own).error();
    wanted = optionsOf(own.value());
    wanted.invitation = guests.value();
    wanted.hosting = true;
  } else {
    wanted = optionsOf(link);
  }
  auto created = ui::CallWindow::create(std::move(wanted), m_runtime.scheduler());
  if (!created.ok()) return created.error();
  call.window = std::move(created).value();
  auto* window = call.window.get();
  if (m_options.command == Command::Join) {
    if (m_options.x) window->window().setPosition(*m_options.x, *m_options.y);
    if (m_options.muted) window->call().setMicrophoneMuted(true);
  }
  using ui::CallWindow;
  QObject::connect(window, &CallWindow::loadRequested, window, m_requests.load);
  QObject::connect(window, &CallWindow::newWindowRequested, window, m_requests.film);
  QObject::connect(
      window, &CallWindow::closed, window, [this, window] { forget(window); }, Qt::QueuedConnection);
  m_calls.push_back(std::move(call));
  return {};
}

std::vector<ui::FilmLoad> CallWindows::loads() const {
  std::vector<ui::FilmLoad> all;
  for (const Call& call : m_calls)
    for (auto& load : call.window->loads()) all.push_back(std::move(load));
  return all;
}

std::optional<conference::AttendanceReport> CallWindows::report() {
  if (m_ended || m_calls.empty()) return m_ended;
  return m_calls.front().window->call().report();
}

void CallWindows::forget(ui::CallWindow* window) {
  const auto found = std::find_if(m_calls.begin(), m_calls.end(),
                                  [&](const Call& call) { return call.window.get() == window; });
  if (found == m_calls.end()) return;
  if (auto report = window->call().report()) m_ended = std::move(report);
  const Call gone = std::move(*found);  // the window first, then its room
  m_calls.erase(found);
  m_requests.closed();
}

}  // namespace tactus::app
