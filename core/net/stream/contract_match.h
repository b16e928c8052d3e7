// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/net/stream/stream_contract.h"

namespace tactus::net {

/// Whether two ports fit together: both have the same contract, but for what each side has of its own
/// (processing, class and weight on the link). Jitter and latency are compared as they hold. Empty: they fit;
/// else a sentence with the first field that differs and both values. For valid contracts (RTSS, section
/// 4.1). Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] std::string mismatchOf(const StreamContract& ours, const StreamContract& theirs);

}  // namespace tactus::net
