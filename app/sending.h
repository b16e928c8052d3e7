// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/exit_code.h"
#include "app/options.h"
#include "app/runtime.h"

namespace tactus::app {

/// Sends what the options name, all at once, until every stream has ended, the duration is over, or `signals`
/// is readable; with a load window meanwhile if that is wanted. Prints what goes where, and the report. Main
/// thread.
[[nodiscard]] ExitCode runSend(const Options& options, Runtime& runtime, int signals, int& argc, char** argv);

}  // namespace tactus::app
