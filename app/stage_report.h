// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>

#include "core/periodic/task/scheduler.h"

namespace tactus::app {

/// One stage of a film or a call, for programs. Times are in milliseconds.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] QJsonObject stageJson(const periodic::TaskReport& task);

}  // namespace tactus::app
