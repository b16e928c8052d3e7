// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to tests: a stream whose sender, network and receiver are as late as a test wants.

#include <gtest/gtest.h>

#include <chrono>

#include "core/net/stream/stream_meter.h"

namespace tactus::net {

inline constexpr periodic::TimePoint kStart = periodic::TimePoint{} + std::chrono::seconds(1000);
inline const StreamPromise kPromise{periodic::Rate::perSecond(50), std::chrono::milliseconds(5),
                                    std::chrono::milliseconds(40)};

/// A buffer once a period.
struct StreamBench {
  /// The next buffer: made so late, then so long on the network and before the handler.
  StreamFault pass(periodic::Duration sender = {}, periodic::Duration network = std::chrono::milliseconds(2),
                   periodic::Duration processor = {}) {
    const periodic::Duration made = period * periods++ + sender;
    const auto skew = static_cast<std::int64_t>(static_cast<double>(made.count()) * drift);
    BufferTimes buffer;
    buffer.number = number++;
    // Unsigned: the sender's clock may stand anywhere.
    buffer.made = periodic::Duration(static_cast<std::int64_t>(
        static_cast<std::uint64_t>(made.count() + skew) + static_cast<std::uint64_t>(offset.count())));
    buffer.arrived = kStart + made + network;
    buffer.begun = buffer.arrived + processor;
    buffer.bytes = 100;
    now = buffer.begun;
    return meter.received(buffer);
  }
  void passMany(int count) {
    for (int i = 0; i < count; ++i) ASSERT_EQ(pass(), StreamFault::None) << i;
  }
  void lose(int count = 1) {
    for (int i = 0; i < count; ++i) {
      now = kStart + period * periods++;
      meter.lost(number++, now);
    }
  }
  /// Nothing comes for whole periods.
  void wait(periodic::Duration time) {
    periods += time / period;
    now = kStart + period * periods;
  }
  /// The sender has sent so many that are not known here.
  void heartbeat(std::uint32_t more = 0, SenderState state = SenderState::Live) {
    meter.heartbeat(state, std::uint64_t{number} + more, now);
  }
  [[nodiscard]] StreamFault fault() const { return meter.fault(now); }

  StreamMeter meter{kPromise, kStart};
  periodic::Duration period = std::chrono::milliseconds(20);
  periodic::Duration offset = {};
  double drift = 0;
  std::uint32_t number = 0;
  std::int64_t periods = 0;
  periodic::TimePoint now = kStart;
};

}  // namespace tactus::net
