// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/exit_code.h"
#include "app/runtime.h"

namespace tactus::app {

/// Prints what this machine grants and what to do about the rest. Played when everything needed is there,
/// CannotOpen when a common format cannot be played.
[[nodiscard]] ExitCode runDoctor(Runtime& runtime, int& argc, char** argv);

}  // namespace tactus::app
