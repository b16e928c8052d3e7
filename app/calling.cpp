// SPDX-License-Identifier: Apache-2.0
#include "app/calling.h"

#include <QGuiApplication>
#include <QIcon>
#include <QQuickWindow>
#include <QSocketNotifier>
#include <QTimer>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "app/attending.h"
#include "app/events.h"
#include "media/capture/capture_devices.h"
#include "ui/windows/call_window.h"
#include "ui/windows/load_window.h"

namespace tactus::app {
namespace {

using media::CaptureSource;
using media::MediaKind;

/// What the command line does not name is the default device of this machine, if there is one. PipeWire
/// itself knows which is to play.
Options withDevices(Options options, Runtime& runtime) {
  auto& join = options.join;
  if (!join.speakerNamed) join.speaker = "";
  if (join.cameraNamed && join.microphoneNamed) return options;
  const media::CaptureDevices devices;
  const auto defaultOf = [&](MediaKind kind, const char* missing) -> std::optional<CaptureSource> {
    const auto all = devices.list(kind);
    if (!all.empty()) return all.front().source;
    runtime.note(missing);
    return std::nullopt;
  };
  if (!join.cameraNamed)
    join.camera = defaultOf(MediaKind::Video, "There is no camera: the others do not see you.");
  if (!join.microphoneNamed)
    join.microphone = defaultOf(MediaKind::Audio, "There is no microphone: the others do not hear you.");
  return options;
}

}  // namespace

ExitCode runCall(const Options& options, Runtime& runtime, int signals, int& argc, char** argv) {
  nameApplication();
  QGuiApplication application(argc, argv);
  QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/tactus/icons/tactus.svg")));
  ui::CallWindow::Options wanted;
  wanted.output = ui::chooseVideoOutput(outputOf(options.videoOutput));
  const std::string shownBy = wanted.output.reason.toStdString();
  wanted.call.link = options.join.link;
  wanted.call.attendance = attendanceOf(withDevices(options, runtime), runtime);
  wanted.size = QSize(options.width, options.height);
  wanted.fullScreen = options.fullScreen;
  auto window = ui::CallWindow::create(std::move(wanted), runtime.scheduler());
  if (!window.ok()) {
    runtime.note(window.error().message);
    return ExitCode::CannotOpen;
  }
  auto& call = *window.value();
  if (options.x) call.window().setPosition(*options.x, *options.y);
  if (options.muted) call.call().setMicrophoneMuted(true);
  ui::LoadWindow load(runtime.scheduler(), runtime.qos(), [] { return std::vector<ui::FilmLoad>(); });
  QObject::connect(&call, &ui::CallWindow::loadRequested, &application, [&] { load.toggle(); });
  QObject::connect(&call, &ui::CallWindow::closed, &application, &QGuiApplication::quit);
  QSocketNotifier onSignal(signals, QSocketNotifier::Read);
  QObject::connect(&onSignal, &QSocketNotifier::activated, &application, [&] {
    onSignal.setEnabled(false);
    QGuiApplication::quit();
  });
  if (options.duration)
    QTimer::singleShot(std::chrono::ceil<std::chrono::milliseconds>(*options.duration), &application,
                       &QGuiApplication::quit);
  runEvents();
  auto attended = call.call().attendance().report();
  window.value().reset();
  return finishStay(options, runtime, std::move(attended), shownBy);
}

}  // namespace tactus::app
