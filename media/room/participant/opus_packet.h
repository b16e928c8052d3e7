// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// How much sound an Opus packet holds, 2.5 to 120 ms (RFC 6716, 3.1 and 3.2); absent: it is no such packet.
/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] std::optional<periodic::Duration> opusPacketLength(
    std::span<const std::uint8_t> packet) noexcept;

}  // namespace tactus::media
