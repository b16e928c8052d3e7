// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/time/rate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tactus::periodic {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// round(a * b / c) for non-negative values whose product needs more than 64 bits.
std::int64_t multiplyDivide(std::int64_t a, std::int64_t b, std::int64_t c) noexcept {
  __extension__ typedef __int128 Wide;
  return static_cast<std::int64_t>((static_cast<Wide>(a) * b + c / 2) / c);
}

}  // namespace

Result<Rate> Rate::create(std::int64_t packets, std::int64_t seconds) {
  if (!inRange(packets, seconds)) {
    return Error{ErrorCode::InvalidArgument,
                 "A rate of " + std::to_string(packets) + "/" + std::to_string(seconds) +
                     " packets per second is outside one an hour to a million a second."};
  }
  const std::int64_t divisor = std::gcd(packets, seconds);
  return Rate(packets / divisor, seconds / divisor);
}

Result<Rate> Rate::fromPeriod(Duration period) {
  if (period < std::chrono::microseconds(1) || period > std::chrono::hours(1)) {
    return Error{ErrorCode::InvalidArgument,
                 "A period of " + std::to_string(period.count()) + " ns is outside 1 microsecond to 1 hour."};
  }
  // packets / seconds = 1e9 / period; both parts are kept within 1e9 by dropping digits of long periods.
  std::int64_t packets = kSecond;
  std::int64_t seconds = period.count();
  while (seconds > kLargestPart) {
    packets /= 10;
    seconds /= 10;
  }
  return create(packets, seconds);
}

Duration Rate::period() const noexcept {
  return Duration(multiplyDivide(m_seconds, kSecond, m_packets));
}

Duration Rate::offsetOf(std::int64_t packets) const noexcept {
  const std::int64_t cycles = packets / m_packets;
  const std::int64_t rest = packets % m_packets;
  return std::chrono::seconds(cycles * m_seconds) +
         Duration(multiplyDivide(rest * m_seconds, kSecond, m_packets));
}

double Rate::perSecond() const noexcept {
  return static_cast<double>(m_packets) / static_cast<double>(m_seconds);
}

Rate Rate::scaled(double factor) const noexcept {
  if (factor == 1.0) return *this;
  const double rate = std::clamp(perSecond() * factor, 1.0 / 3600, 1e6);
  if (!std::isfinite(rate)) return *this;
  // Six significant digits of the fraction are far below the drift of any two clocks.
  const std::int64_t seconds = rate >= 1000 ? 1000 : 1'000'000;
  const auto packets = static_cast<std::int64_t>(std::llround(rate * static_cast<double>(seconds)));
  return Rate(std::clamp<std::int64_t>(packets, 278, kLargestPart), seconds);
}

}  // namespace tactus::periodic
