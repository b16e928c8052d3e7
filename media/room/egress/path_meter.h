// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "media/room/encoder_rate.h"

namespace tactus::media {

/// What one report told of packets of which nothing was known.
struct ToldPackets {
  std::uint64_t arrived = 0, arrivedBytes = 0, missing = 0;
  /// By how much the newest took longer than the newest of the report before.
  periodic::Duration delayGrowth{0};
};

/// Sums reports up over a time that is long enough for a rate: one of 50 ms has two or three packets.
/// Thread-safe: no. Real-time-safe: yes.
class PathMeter {
 public:
  static constexpr periodic::Duration kLook = std::chrono::milliseconds(200);

  /// nullopt: not yet.
  [[nodiscard]] std::optional<PathFeedback> told(periodic::TimePoint now,
                                                 const ToldPackets& packets) noexcept;

 private:
  ToldPackets m_sum;
  std::optional<periodic::TimePoint> m_since;
};

}  // namespace tactus::media
