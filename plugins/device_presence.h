// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::plugins {

/// Whether a device takes the samples, as far as can be told: there is a daemon, and its callback came not
/// long ago. Thread-safe: yes, all of it. Real-time-safe: yes, all of it.
class DevicePresence {
 public:
  /// Without a callback for this long the device is taken for stalled.
  static constexpr periodic::Duration kPatience = std::chrono::milliseconds(250);
  /// The same for the first callback: the session manager has to link us.
  static constexpr periodic::Duration kFirstPatience = std::chrono::milliseconds(500);

  /// A stream is about to be connected: no device has taken anything of it.
  void expect(periodic::TimePoint now) noexcept {
    m_taken.store(false, kRelaxed);
    beginToPlay(now);
  }
  void setLinked(bool linked) noexcept { m_linked.store(linked, kRelaxed); }
  /// Samples are to be played from now on.
  void beginToPlay(periodic::TimePoint now) noexcept { keepPatience(now + kFirstPatience); }
  /// The callback came. True when that is news: it is the first time, or the device had stalled.
  bool arrived(periodic::TimePoint now) noexcept {
    keepPatience(now + kPatience);
    const bool first = !m_taken.exchange(true, kRelaxed);
    return m_stalled.exchange(false, kRelaxed) || first;
  }
  /// The writer found no room in spite of its patience. True when that is news.
  bool stall() noexcept { return linked() && !m_stalled.exchange(true, kRelaxed); }

  [[nodiscard]] bool served(periodic::TimePoint now) const noexcept {
    return linked() && now.time_since_epoch().count() < m_patientUntil.load(kRelaxed);
  }
  /// There is a daemon.
  [[nodiscard]] bool linked() const noexcept { return m_linked.load(kRelaxed); }
  /// A daemon that takes nothing.
  [[nodiscard]] bool stalled() const noexcept { return m_stalled.load(kRelaxed); }
  /// A device took something since the stream was connected.
  [[nodiscard]] bool taken() const noexcept { return m_taken.load(kRelaxed); }

 private:
  // Hints between the threads: each is looked at again within 20 ms, and none guards other data.
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  void keepPatience(periodic::TimePoint until) noexcept {
    m_patientUntil.store(until.time_since_epoch().count(), kRelaxed);
  }

  std::atomic<bool> m_linked{false};
  std::atomic<bool> m_stalled{false};
  std::atomic<bool> m_taken{false};
  std::atomic<std::int64_t> m_patientUntil{0};  // CLOCK_MONOTONIC, ns
};

}  // namespace tactus::plugins
