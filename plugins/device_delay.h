// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// How long a sample that is written now has until the speaker plays it, as of the device's last turn: what
/// waits for the device, what the device took and has not played yet, and its own delay. The device's
/// callback writes it, any thread reads it; a seqlock lets readers see a sample on exactly one side of a
/// turn.
class DeviceDelay {
 public:
  /// Callback only: from here to endTurn() samples move from the ring to the device. Real-time-safe: yes.
  void beginTurn() noexcept {
    // acq_rel, with the fence of a seqlock's writer: readers see the odd number before any of what follows.
    m_sequence.fetch_add(1, std::memory_order_acq_rel);
    std::atomic_thread_fence(std::memory_order_release);
  }
  /// Callback only: it took samples that last for `taken`; `device` passes between the next turn and the
  /// speaker. Real-time-safe: yes.
  void endTurn(periodic::TimePoint now, periodic::Duration taken, periodic::Duration device) noexcept {
    m_device.store(device.count(), kRelaxed);
    m_turnLength.store(taken.count(), kRelaxed);
    m_nextTurn.store((now + taken).time_since_epoch().count(), kRelaxed);
    // release: what was written is seen before the even number.
    m_sequence.fetch_add(1, std::memory_order_release);
  }
  /// The device is gone, and its callback has ended.
  void reset() noexcept {
    m_device.store(0, kRelaxed);
    m_nextTurn.store(0, kRelaxed);
  }

  /// The whole delay; `waiting()` says how long the samples in the ring last. Falls steadily between two
  /// turns. Thread-safe: yes. Real-time-safe: yes.
  template <typename Waiting>
  [[nodiscard]] periodic::Duration total(periodic::TimePoint now, Waiting waiting) const noexcept {
    // The callback writes for microseconds; should it be stopped there, an uneven reading is better than a
    // wait.
    for (int attempt = 0;; ++attempt) {
      const std::uint32_t before = m_sequence.load(std::memory_order_acquire);
      const periodic::Duration inRing = waiting();
      const std::int64_t untilTurn = std::clamp<std::int64_t>(
          m_nextTurn.load(kRelaxed) - now.time_since_epoch().count(), 0, m_turnLength.load(kRelaxed));
      const std::int64_t device = m_device.load(kRelaxed);
      std::atomic_thread_fence(std::memory_order_acquire);  // the loads above are done before the next
      const bool even = before % 2 == 0 && m_sequence.load(kRelaxed) == before;
      if (even || attempt == kAttempts) return inRing + periodic::Duration(untilTurn + device);
    }
  }

 private:
  static constexpr auto kRelaxed = std::memory_order_relaxed;  // the sequence orders the three
  static constexpr int kAttempts = 100;

  std::atomic<std::uint32_t> m_sequence{0};   // odd while the callback writes
  std::atomic<std::int64_t> m_device{0};      // ns from the callback's next turn to the speaker
  std::atomic<std::int64_t> m_nextTurn{0};    // CLOCK_MONOTONIC, ns
  std::atomic<std::int64_t> m_turnLength{0};  // ns
};

}  // namespace tactus::plugins
