// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

#include "core/periodic/task/scheduler.h"
#include "media/playback/player.h"

namespace tactus::ui {

/// The statistics overlay as plain text in columns (times in ms). `window` holds the renderer's tasks.
/// Thread-safe: yes (pure).
[[nodiscard]] QString statsText(const media::PlayerStatistics& player,
                                const std::vector<periodic::TaskReport>& window,
                                const periodic::KernelClassGate& gate, const QString& output);

}  // namespace tactus::ui
