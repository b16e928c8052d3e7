// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// Pictures shown per second, over the last two seconds. Owns no clock. Thread-safe: yes. Real-time-safe: no.
class PresentedRate {
 public:
  /// `shown`: pictures shown so far. Often called, it keeps ten samples a second.
  void sample(periodic::TimePoint now, std::uint64_t shown) {
    const std::lock_guard lock(m_mutex);
    if (m_samples.empty() || now - m_samples.back().at >= kApart) m_samples.push_back({now, shown});
    while (m_samples.size() > 1 && now - m_samples.front().at > kRemembered) m_samples.pop_front();
  }
  void clear() {
    const std::lock_guard lock(m_mutex);
    m_samples.clear();
  }
  /// 0 until there is enough to tell.
  [[nodiscard]] double perSecond(periodic::TimePoint now, std::uint64_t shown) const {
    const std::lock_guard lock(m_mutex);
    if (m_samples.empty() || now - m_samples.front().at < kLeast) return 0;
    return static_cast<double>(shown - m_samples.front().shown) /
           periodic::inSeconds(now - m_samples.front().at);
  }

 private:
  static constexpr periodic::Duration kApart = std::chrono::milliseconds(100);
  static constexpr periodic::Duration kRemembered = std::chrono::seconds(2);
  static constexpr periodic::Duration kLeast = std::chrono::milliseconds(200);
  struct Sample {
    periodic::TimePoint at;
    std::uint64_t shown;
  };
  mutable std::mutex m_mutex;
  std::deque<Sample> m_samples;
};

}  // namespace tactus::media
