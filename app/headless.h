// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/exit_code.h"
#include "app/options.h"
#include "app/runtime.h"

namespace tactus::app {

/// Plays the files one after another, or the tiles at once, against a virtual display and prints the report.
/// `signals` is a signalfd for SIGINT and SIGTERM. Blocks until done. Main thread.
[[nodiscard]] ExitCode runHeadless(const Options& options, Runtime& runtime, int signals);

}  // namespace tactus::app
