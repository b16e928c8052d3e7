// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cassert>
#include <compare>
#include <cstdint>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Packets per second as an exact fraction (30000/1001 stays 30000/1001), the R of the LBAP model.
class Rate {
 public:
  /// Both parts 1 ... 1,000,000,000 and the quotient within 1/3600 Hz ... 1 MHz, else InvalidArgument.
  [[nodiscard]] static Result<Rate> create(std::int64_t packets, std::int64_t seconds = 1);
  /// From a measured or declared spacing of 1 us ... 1 h.
  [[nodiscard]] static Result<Rate> fromPeriod(Duration period);
  /// For constants in code; out-of-range values are a programmer error (assert).
  [[nodiscard]] static constexpr Rate perSecond(std::int64_t packets, std::int64_t seconds = 1) noexcept {
    assert(inRange(packets, seconds));
    return Rate(packets, seconds);
  }

  /// 1/R, rounded to the nearest nanosecond. Real-time-safe: yes.
  [[nodiscard]] Duration period() const noexcept;
  /// n/R without accumulated rounding. Real-time-safe: yes.
  [[nodiscard]] Duration offsetOf(std::int64_t packets) const noexcept;
  [[nodiscard]] double perSecond() const noexcept;
  /// R = packets() / seconds(); in lowest terms if create() made it. Real-time-safe: yes.
  [[nodiscard]] constexpr std::int64_t packets() const noexcept { return m_packets; }
  [[nodiscard]] constexpr std::int64_t seconds() const noexcept { return m_seconds; }
  /// This rate times `factor` (playback speed, clock slack); clamped to the valid range.
  [[nodiscard]] Rate scaled(double factor) const noexcept;

  friend bool operator==(const Rate&, const Rate&) noexcept = default;

 private:
  constexpr Rate(std::int64_t packets, std::int64_t seconds) noexcept
      : m_packets(packets), m_seconds(seconds) {}
  [[nodiscard]] static constexpr bool inRange(std::int64_t packets, std::int64_t seconds) noexcept {
    if (packets < 1 || seconds < 1 || packets > kLargestPart || seconds > kLargestPart) return false;
    return packets <= seconds * 1'000'000 && packets * 3600 >= seconds;
  }

  static constexpr std::int64_t kLargestPart = 1'000'000'000;
  std::int64_t m_packets;
  std::int64_t m_seconds;
};

}  // namespace tactus::periodic
