// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/periodic/time/time.h"
#include "core/periodic/workload/lbap.h"

namespace tactus::periodic {

/// Shortest and longest time a packet spends in a stage, from its logical arrival to its departure.
struct DelayBounds {
  Duration shortest{0};
  Duration longest{0};
};

/// The LBAP of a stage's output (HeiTS, "QoS and Workload Model"; Cruz 1991). Packets that leave within t had
/// their logical arrivals within t + (longest - shortest), so that the output carries at most
/// W + ceil(R (longest - shortest)) packets more than its rate allows; rate and packet size stay.
/// Contradictory bounds (shortest above longest) count as equal. Thread-safe: yes (pure). Real-time-safe:
/// yes.
[[nodiscard]] LbapContract outputOf(const LbapContract& input, const DelayBounds& delay) noexcept;

/// Packets that can be inside a stage at once: those that arrived within the longest delay, W + ceil(R d).
[[nodiscard]] std::uint32_t packetsHeld(const LbapContract& input, Duration longest) noexcept;

/// Buffer space for them (the paper's S * (W + R d)); saturates where S is unbounded.
[[nodiscard]] ByteCount bufferFor(const LbapContract& input, Duration longest) noexcept;

}  // namespace tactus::periodic
