// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/exit_code.h"
#include "app/options.h"
#include "app/runtime.h"

namespace tactus::app {

/// Takes part in a room in a window, until it is closed, the duration is over or `signals` is readable; then
/// the report, if it is asked for. Main thread.
[[nodiscard]] ExitCode runCall(const Options& options, Runtime& runtime, int signals, int& argc, char** argv);

}  // namespace tactus::app
