// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/exit_code.h"
#include "app/options.h"
#include "app/runtime.h"

namespace tactus::app {

/// Hosts a room until the duration is over or `signals` is readable: prints the link for guests and the one
/// for hosts, each on a line of stdout, then the first as a QR code if stdout is a terminal; then a line on
/// stderr for whoever comes or goes, and at the end the report. Main thread.
[[nodiscard]] ExitCode runHost(const Options& options, Runtime& runtime, int signals);

}  // namespace tactus::app
