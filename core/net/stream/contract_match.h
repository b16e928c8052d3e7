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

/// Whether a stream of the contract `theirs` keeps within `most`: the same transport, and no larger a buffer,
/// rate (absent in `most`: any, or none) or workahead. Empty: it does; else a sentence with the first field
/// that is larger and both values. What else a contract has is the writer's to say: what it needs here is
/// tested by admission. For valid contracts. Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] std::string excessOf(const StreamContract& most, const StreamContract& theirs);
/// The contract that a reader keeps with a writer of `theirs`: it has the reader's own processing time, at
/// most a period. For valid contracts. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] StreamContract takenOver(const StreamContract& theirs, const StreamContract& own);

}  // namespace tactus::net
