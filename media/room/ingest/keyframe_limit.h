// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// Which keyframe requests reach the publisher: the first at once, then one in each interval. A request that
/// comes too soon is kept and passed on at the end of the interval, so that whoever asked after the last
/// keyframe was sent still gets one. Thread-safe: no. Real-time-safe: yes.
class KeyframeLimit {
 public:
  /// Browsers ask about once a round trip until the keyframe is there; each costs a whole picture.
  static constexpr periodic::Duration kInterval = std::chrono::milliseconds(300);

  /// Somebody wants a keyframe.
  void want() noexcept {
    m_wanted = true;
    ++m_asked;
  }
  /// True if a request is to be sent now.
  [[nodiscard]] bool pass(periodic::TimePoint now) noexcept {
    if (!m_wanted || now < m_next) return false;
    m_wanted = false;
    m_next = now + kInterval;
    ++m_passed;
    return true;
  }
  /// When pass() is to be asked again; TimePoint::max() if nothing waits.
  [[nodiscard]] periodic::TimePoint due() const noexcept {
    return m_wanted ? m_next : periodic::TimePoint::max();
  }
  [[nodiscard]] std::uint64_t asked() const noexcept { return m_asked; }
  [[nodiscard]] std::uint64_t passed() const noexcept { return m_passed; }

 private:
  bool m_wanted = false;
  periodic::TimePoint m_next = periodic::TimePoint::min();
  std::uint64_t m_asked = 0;
  std::uint64_t m_passed = 0;
};

}  // namespace tactus::media
