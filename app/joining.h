// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/exit_code.h"
#include "app/options.h"
#include "app/runtime.h"

namespace tactus::app {

/// Takes part in a room until the duration is over, `signals` is readable, or the room ends the stay; then
/// the report. Main thread.
[[nodiscard]] ExitCode runJoin(const Options& options, Runtime& runtime, int signals);

}  // namespace tactus::app
