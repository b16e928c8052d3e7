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
#include "ui/windows/call_window.h"
#include "ui/windows/load_window.h"

namespace tactus::app {
namespace {

/// As the page before the call offers it; absent: it has none.
std::optional<media::CaptureDevice> deviceOf(const std::optional<media::CaptureSource>& source) {
  if (!source) return std::nullopt;
  const bool test = source->kind == media::CaptureSource::Kind::Test;
  return media::CaptureDevice{test ? "Test" : source->name, *source, true};
}

}  // namespace

ExitCode runCall(const Options& options, Runtime& runtime, int signals, int& argc, char** argv) {
  nameApplication();
  QGuiApplication application(argc, argv);
  QGuiApplication::setWindowIcon(QIcon(QStringLiteral(":/tactus/icons/tactus.svg")));
  const JoinOption& join = options.join;
  ui::CallWindow::Options wanted;
  wanted.output = ui::chooseVideoOutput(outputOf(options.videoOutput));
  const std::string shownBy = wanted.output.reason.toStdString();
  wanted.call.link = options.join.link;
  wanted.call.attendance = attendanceOf(options, runtime);
  // PipeWire itself knows which device is to play.
  if (!join.speakerNamed) wanted.call.attendance.soundDevice = "";
  // Where the command line has named all there is nothing to choose.
  if (!join.cameraNamed || !join.microphoneNamed)
    wanted.memory = ui::CallMemory(ui::CallMemory::defaultPath());
  if (join.nameNamed) wanted.given.name = QString::fromStdString(join.name);
  if (join.cameraNamed) wanted.given.camera = deviceOf(join.camera);
  if (join.microphoneNamed) wanted.given.microphone = deviceOf(join.microphone);
  wanted.given.noCamera = join.cameraNamed && !join.camera;
  wanted.given.noMicrophone = join.microphoneNamed && !join.microphone;
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
  auto attended = call.call().report();
  window.value().reset();
  if (!attended) return ExitCode::Played;  // nobody joined
  return finishStay(options, runtime, std::move(*attended), shownBy);
}

}  // namespace tactus::app
