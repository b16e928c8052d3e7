// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/workload/lbap_composition.h"

#include <algorithm>
#include <cmath>

namespace tactus::periodic {
namespace {

/// ceil(R * span), at most a million.
std::uint32_t packetsWithin(const Rate& rate, Duration span) noexcept {
  if (span <= Duration::zero()) return 0;
  const std::int64_t period = rate.period().count();
  const std::int64_t packets = (span.count() + period - 1) / period;
  return static_cast<std::uint32_t>(std::min<std::int64_t>(packets, 1'000'000));
}

}  // namespace

LbapContract outputOf(const LbapContract& input, const DelayBounds& delay) noexcept {
  LbapContract output = input;
  output.workahead += packetsWithin(input.rate, delay.longest - delay.shortest);
  return output;
}

std::uint32_t packetsHeld(const LbapContract& input, Duration longest) noexcept {
  return input.workahead + packetsWithin(input.rate, longest);
}

ByteCount bufferFor(const LbapContract& input, Duration longest) noexcept {
  const auto size = static_cast<std::uint64_t>(input.maxPacketSize);
  const std::uint64_t packets = packetsHeld(input, longest);
  return ByteCount{size > UINT64_MAX / packets ? UINT64_MAX : size * packets};
}

}  // namespace tactus::periodic
