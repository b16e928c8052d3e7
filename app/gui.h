// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/runtime.h"

namespace tactus::app {

/// Opens the windows, of films or of a call, and runs until the last is closed. `signals` is a signalfd for
/// SIGINT and SIGTERM. Main thread.
[[nodiscard]] ExitCode runWindow(const Options& options, Runtime& runtime, int signals, int& argc,
                                 char** argv);

/// Shows the load window alone, of what runtime.network() tells, until it is closed or `step`, which is
/// called at once and then after each `pause`, says false. False: it cannot be made. Main thread.
[[nodiscard]] bool runLoadWindow(Runtime& runtime, const std::function<bool()>& step,
                                 std::chrono::milliseconds pause, int& argc, char** argv);

}  // namespace tactus::app
