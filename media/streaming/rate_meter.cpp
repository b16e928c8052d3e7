// SPDX-License-Identifier: Apache-2.0
#include "media/streaming/rate_meter.h"

#include <algorithm>

#include "media/streaming/stream_terms.h"

namespace tactus::media {

using periodic::Duration;

namespace {

constexpr auto kAhead = static_cast<std::size_t>(kSendAhead / kStreamPeriod);
constexpr auto kLate = static_cast<std::size_t>(kStartDelay / kStreamPeriod);

}  // namespace

void RateMeter::note(std::size_t bytes, Duration at) {
  const auto period = static_cast<std::size_t>(std::clamp(at, Duration{0}, kLongest) / kStreamPeriod);
  if (period >= m_periods.size()) m_periods.resize(period + 1);
  m_periods[period] += bytes;
  m_bytes += bytes;
}

bool RateMeter::carries(std::uint64_t buffer) const {
  std::uint64_t sent = 0;
  std::uint64_t may = 0;
  std::uint64_t must = 0;
  std::size_t next = 0;
  for (std::size_t n = 0; n < m_periods.size() + kLate; ++n) {
    for (; next < m_periods.size() && next <= n + kAhead; ++next) may += m_periods[next];
    sent = std::min(sent + buffer, may);
    if (n >= kLate) must += m_periods[n - kLate];
    if (sent < must) return false;
  }
  return true;
}

std::size_t RateMeter::smallestBuffer() const {
  std::uint64_t below = 0;
  std::uint64_t enough = m_bytes;
  while (below < enough) {
    const std::uint64_t middle = below + (enough - below) / 2;
    if (carries(middle)) {
      enough = middle;
    } else {
      below = middle + 1;
    }
  }
  return static_cast<std::size_t>(enough);
}

}  // namespace tactus::media
