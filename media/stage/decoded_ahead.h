// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// How long before it is needed a decoder's packet is decoded: the mean of the last packets, which falls as
/// long as the decoder gets no turn. One writer, the streaming thread; any number of readers. Owns no clock.
class DecodedAhead {
 public:
  /// Real-time-safe: yes. Streaming thread.
  void note(periodic::Duration ahead, periodic::TimePoint now) noexcept {
    const std::int64_t before = m_ahead.load(std::memory_order_relaxed);
    m_ahead.store(before == kUnknown ? ahead.count() : before + (ahead.count() - before) / kRemembered,
                  std::memory_order_relaxed);
    // relaxed: a reader between the two stores is off by the distance of two packets, which means nothing.
    m_at.store(now.time_since_epoch().count(), std::memory_order_relaxed);
  }
  /// A new segment, or the stream's end: no packet is late. Real-time-safe: yes. Streaming thread.
  void forget() noexcept { m_ahead.store(kUnknown, std::memory_order_relaxed); }
  /// nullopt before the first packet of a segment and after the last. `period` is the distance of packets.
  /// Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::optional<periodic::Duration> at(periodic::TimePoint now,
                                                     periodic::Duration period) const noexcept {
    const std::int64_t ahead = m_ahead.load(std::memory_order_relaxed);
    if (ahead == kUnknown) return std::nullopt;
    const periodic::TimePoint noted{periodic::Duration(m_at.load(std::memory_order_relaxed))};
    return periodic::Duration(ahead) - std::max(periodic::Duration::zero(), now - noted - period);
  }

 private:
  static constexpr std::int64_t kUnknown = INT64_MIN;
  static constexpr std::int64_t kRemembered = 4;         // packets
  std::atomic<std::int64_t> m_ahead{kUnknown}, m_at{0};  // ns
};

}  // namespace tactus::media
