// SPDX-License-Identifier: Apache-2.0
#include <sys/signalfd.h>

#include <csignal>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/doctor.h"
#include "app/events.h"
#include "app/exit_code.h"
#include "app/gui.h"
#include "app/headless.h"
#include "app/hosting.h"
#include "app/joining.h"
#include "app/options.h"
#include "app/reception.h"
#include "app/runtime.h"
#include "app/sending.h"
#include "plugins/av/hardware.h"

namespace {

using namespace tactus;
using namespace tactus::app;

/// SIGINT and SIGTERM become readable instead of interrupting: blocked before any thread starts, so that all
/// inherit it.
int takeSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that went away is an error of write(), not our end
  return signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

int main(int argc, char** argv) {
  auto options = parseOptions({argv + 1, argv + argc});
  if (!options.ok()) {
    std::fprintf(stderr, "tactus: %s\n", options.error().message.c_str());
    return static_cast<int>(ExitCode::Usage);
  }
  if (options.value().command == Command::Help) {
    std::fputs(helpText(options.value().topic).c_str(), stdout);
    return 0;
  }
  if (options.value().command == Command::Version) {
    std::puts("tactus " TACTUS_VERSION);
    return 0;
  }
  const int signals = takeSignals();
  if (options.value().hardware != plugins::av::HardwareWish::None)
    plugins::av::Hardware::lookFor();  // meanwhile the rest begins
  Runtime runtime(options.value().strongest, options.value().traceFile);
  ExitCode outcome = ExitCode::InternalError;
  if (const auto& path = options.value().qosSocket; !path.empty()) {
    if (const auto opened = runtime.openQosSocket(path); !opened) {
      runtime.note(opened.error().message);
      return static_cast<int>(ExitCode::Usage);
    }
  }
  std::unique_ptr<Reception> reception;
  if (!options.value().received.empty()) {
    auto opened = Reception::open(options.value().received, runtime);
    if (!opened.ok()) {
      runtime.note(opened.error().message);
      return static_cast<int>(ExitCode::CannotOpen);
    }
    reception = std::move(opened).value();
    options.value().tiles = reception->films();
    runtime.setNetwork([&] { return reception->load(); });
  }
  if (options.value().command == Command::Doctor) {
    outcome = runDoctor(runtime, argc, argv);
  } else if (options.value().command == Command::Send) {
    outcome = runSend(options.value(), runtime, signals, argc, argv);
  } else if (options.value().command == Command::Join && options.value().headless) {
    outcome = runJoin(options.value(), runtime, signals);
  } else if (options.value().command == Command::Host) {
    outcome = runHost(options.value(), runtime, signals);
  } else if (options.value().command == Command::Headless) {
    outcome = runHeadless(options.value(), runtime, signals);
  } else if (const std::string refusal = displayRefusal(); !refusal.empty()) {
    const bool joins = options.value().command == Command::Join;
    runtime.note(refusal + (joins ? " `tactus join --headless LINK` takes part without one."
                                  : " `tactus --headless FILE` plays without one."));
    outcome = ExitCode::NoDisplay;
  } else {
    outcome = runWindow(options.value(), runtime, signals, argc, argv);
  }
  return static_cast<int>(outcome);
}
