// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

namespace tactus::ui {

/// "01:15", or "1:01:11" from an hour on; a negative time is none. Thread-safe: yes (pure).
[[nodiscard]] QString timeText(double seconds);

}  // namespace tactus::ui
