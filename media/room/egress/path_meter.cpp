// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/path_meter.h"

#include <algorithm>
#include <utility>

namespace tactus::media {

std::optional<PathFeedback> PathMeter::told(periodic::TimePoint now, const ToldPackets& packets) noexcept {
  if (!m_since) {
    m_since = now;
    return std::nullopt;
  }
  m_sum.arrived += packets.arrived;
  m_sum.arrivedBytes += packets.arrivedBytes;
  m_sum.missing += packets.missing;
  m_sum.delayGrowth += packets.delayGrowth;
  if (now - *m_since < kLook) return std::nullopt;
  const double time = periodic::inSeconds(now - *std::exchange(m_since, now));
  const ToldPackets sum = std::exchange(m_sum, {});
  const auto all = static_cast<double>(sum.arrived + sum.missing);
  return PathFeedback{
      net::BitRate::perSecond(static_cast<std::int64_t>(8 * static_cast<double>(sum.arrivedBytes) / time)),
      static_cast<double>(sum.missing) / std::max(1.0, all), periodic::inSeconds(sum.delayGrowth) / time};
}

}  // namespace tactus::media
