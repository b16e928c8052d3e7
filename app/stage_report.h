// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QJsonObject>

#include "core/periodic/task/scheduler.h"
#include "media/sharing/governed_window.h"

namespace tactus::app {

/// One stage of a film or a call, for programs. Times are in milliseconds.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] QJsonObject stageJson(const periodic::TaskReport& task);
/// How a film or a stream of a call fares beside others. Of a stream of which less comes than is wanted
/// `limit` says `place` ("own_line", "their_line", "their_computer", "their_program") and `shown` ("smaller",
/// "fewer", "none"), and, where known, `carried` in bits a second and `lost`, a share; of a live one
/// `playout_ms` and `longest_playout_ms` are how long its packets wait before they are shown. Thread-safe:
/// yes (pure). Real-time-safe: no.
[[nodiscard]] QJsonObject windowJson(const media::WindowState& window);

}  // namespace tactus::app
