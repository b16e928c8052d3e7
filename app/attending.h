// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "app/exit_code.h"
#include "app/options.h"
#include "app/runtime.h"
#include "conference/attendance.h"

namespace tactus::app {

/// A stay in this room as the command line asks for it; its sentences are the run's. `runtime` outlives it.
[[nodiscard]] conference::Attendance::Options attendanceOf(const Options& options, std::string_view link,
                                                           Runtime& runtime);
/// Of a stay that has come to this.
[[nodiscard]] ExitCode exitCodeOf(const conference::AttendanceReport& attended);

}  // namespace tactus::app
