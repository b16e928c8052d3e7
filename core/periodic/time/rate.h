// SPDX-License-Identifier: Apache-2.0
#pragma once

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
  [[nodiscard]] static Rate perSecond(std::int64_t packets, std::int64_t seconds = 1) noexcept;

  /// 1/R, rounded to the nearest nanosecond. Real-time-safe: yes.
  [[nodiscard]] Duration period() const noexcept;
  /// n/R without accumulated rounding. Real-time-safe: yes.
  [[nodiscard]] Duration offsetOf(std::int64_t packets) const noexcept;
  [[nodiscard]] double perSecond() const noexcept;
  /// This rate times `factor` (playback speed, clock slack); clamped to the valid range.
  [[nodiscard]] Rate scaled(double factor) const noexcept;

  friend bool operator==(const Rate&, const Rate&) noexcept = default;

 private:
  Rate(std::int64_t packets, std::int64_t seconds) noexcept : m_packets(packets), m_seconds(seconds) {}
  std::int64_t m_packets;
  std::int64_t m_seconds;
};

}  // namespace tactus::periodic
