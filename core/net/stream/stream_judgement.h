// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::net {

/// Whose fault it is that a buffer is bad.
enum class StreamFault : std::uint8_t {
  None,
  Sender,     ///< it was made too late, or not at all
  Network,    ///< it came too late, or not at all
  Processor,  ///< it was here, and the handler began too late
};

/// What a stream's receiver has seen of it lately, as StreamMeter judges it (RTSS, section 4.2). More misses
/// than tolerated violate the contract.
struct StreamJudgement {
  std::uint64_t misses = 0;      ///< within `window`: late, or lost; silence with a fault is one more
  std::uint64_t tolerated = 0;   ///< so many of them
  std::uint64_t due = 0;         ///< buffers within `window`, missed or not
  periodic::Duration window{0};  ///< not negative
  periodic::Duration since{0};   ///< since the last miss that was not tolerated; not negative
  StreamFault fault = StreamFault::None;  ///< in force

  [[nodiscard]] bool isViolated() const noexcept { return misses > tolerated; }
  friend bool operator==(const StreamJudgement&, const StreamJudgement&) = default;
};

}  // namespace tactus::net
