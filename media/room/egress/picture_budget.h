// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/net/link/bit_rate.h"
#include "core/periodic/time/time.h"

namespace tactus::media {

/// Which pictures go to a receiver whose line carries less than its tracks have, so that sound goes on. With
/// a the rate that the line carries, b the bytes that may still go, n those of a packet of any kind:
///
///     b(t + dt) = min(a * span, b(t) + a * dt)
///     b         = b - n                             at each packet
///     pictures end at one that begins with b < 0, and begin again at a keyframe with b >= a * span / 2
///
/// A token bucket (as LBAP, RTSS 4) that is asked for whole pictures. Sound is counted and never withheld.
/// Thread-safe: no. Real-time-safe: yes.
class PictureBudget {
 public:
  static constexpr double kSpan = 2;  ///< s: longest burst, and about the longest pause

  /// Begins full.
  explicit PictureBudget(net::BitRate rate) noexcept : m_rate(bytesOf(rate)), m_bytes(most()) {}

  void setRate(periodic::TimePoint now, net::BitRate rate) noexcept {
    fill(now);
    m_rate = bytesOf(rate);
    m_bytes = std::min(m_bytes, most());
  }
  void sent(periodic::TimePoint now, std::size_t bytes) noexcept {
    fill(now);
    m_bytes -= static_cast<double>(bytes);
  }
  /// Pictures of another size begin, for which room was found: their keyframe goes.
  void begin(periodic::TimePoint now) noexcept {
    fill(now);
    m_bytes = std::max(m_bytes, most() / 2);
  }
  /// Whether the picture that begins now goes; `going`: the one before did.
  [[nodiscard]] bool admits(periodic::TimePoint now, bool keyframe, bool going) noexcept {
    fill(now);
    return going ? m_bytes >= 0 : keyframe && m_bytes >= most() / 2;
  }
  /// Pictures could begin again, if there was a keyframe.
  [[nodiscard]] bool isFull(periodic::TimePoint now) noexcept {
    fill(now);
    return m_bytes >= most();
  }

 private:
  static double bytesOf(net::BitRate rate) noexcept { return static_cast<double>(rate.bits()) / 8; }
  [[nodiscard]] double most() const noexcept { return m_rate * kSpan; }
  void fill(periodic::TimePoint now) noexcept {
    if (now <= m_at) return;
    m_bytes = std::min(most(), m_bytes + m_rate * periodic::inSeconds(now - m_at));
    m_at = now;
  }

  double m_rate;   // bytes a second
  double m_bytes;  // that may go; negative: as many too many went
  periodic::TimePoint m_at{};
};

}  // namespace tactus::media
