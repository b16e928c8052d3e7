// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>
#include <string>

#include "conference/attendance.h"

namespace tactus::app {

/// The part of a run's report about a room that was joined, for programs and for people. Times are in
/// milliseconds, rates in bits a second. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] QJsonObject attendanceJson(const conference::AttendanceReport& attended);
[[nodiscard]] std::string attendanceText(const conference::AttendanceReport& attended);

}  // namespace tactus::app
