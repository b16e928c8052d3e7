// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::media {

/// Which packets arrived, and when (draft-holmer-rmcat-transport-wide-cc-extensions-01, 3.1).
struct TransportFeedback {
  struct Arrival {
    std::uint16_t number = 0;  ///< of the transport-wide extension
    /// On the receiver's clock, of which only differences count; nullopt: it did not arrive.
    std::optional<periodic::Duration> at = {};
  };
  std::uint8_t count = 0;  ///< of the feedback messages, to see whether one was lost
  std::vector<Arrival> packets = {};
};

/// Reads the feedback control information of one message. Corrupt: it ends before what it announces.
/// Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] Result<TransportFeedback> readTransportFeedback(std::span<const std::byte> information);

}  // namespace tactus::media
