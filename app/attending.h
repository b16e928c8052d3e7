// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/exit_code.h"
#include "app/options.h"
#include "app/runtime.h"
#include "conference/attendance.h"

namespace tactus::app {

/// The stay that the command line asks for; its sentences are the run's. `runtime` outlives it.
[[nodiscard]] conference::Attendance::Options attendanceOf(const Options& options, Runtime& runtime);
/// Prints what the stay has come to, if the options ask for it or there was no window; the exit code of the
/// run. `display`: what showed the pictures.
[[nodiscard]] ExitCode finishStay(const Options& options, Runtime& runtime,
                                  conference::AttendanceReport attended, const std::string& display);

}  // namespace tactus::app
