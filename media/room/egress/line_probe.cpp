// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/line_probe.h"

#include <algorithm>

namespace tactus::media {

using periodic::Duration;
using periodic::TimePoint;

namespace {

/// After its end, for feedback: it comes ten times a second, or is lost.
constexpr Duration kPatience = std::chrono::seconds(1);

net::BitRate rateOf(std::size_t bytes, Duration span) {
  return net::BitRate::perSecond(
      static_cast<std::int64_t>(8 * static_cast<double>(bytes) / periodic::inSeconds(span)));
}

}  // namespace

void LineProbe::begin(TimePoint now, net::BitRate rate) TACTUS_REALTIME {
  *this = {};
  m_begun = now;
  m_rate = rate;
}

std::optional<std::size_t> LineProbe::due(TimePoint now) const TACTUS_REALTIME {
  if (!isOf(now)) return std::nullopt;
  const double bytes = static_cast<double>(m_rate.bits()) / 8 * periodic::inSeconds(now - *m_begun);
  return static_cast<std::size_t>(std::max(bytes - static_cast<double>(m_sent), 0.0));
}

void LineProbe::sent(TimePoint now, std::size_t bytes) TACTUS_REALTIME {
  if (isOf(now)) m_sent += bytes;
}

void LineProbe::told(TimePoint now, std::span<const net::PacketOutcome> outcomes) TACTUS_REALTIME {
  if (!m_begun) return;
  bool over = now >= *m_begun + kSpan + kPatience;
  for (const net::PacketOutcome& each : outcomes) {
    over = over || each.sent >= *m_begun + kSpan;  // feedback keeps the order in which packets went
    if (each.arrived && isOf(each.sent)) arrived(*each.arrived, each.bytes);
  }
  if (!over) return;
  m_result = {.repeated = m_repeated, .sent = rateOf(m_sent, kSpan), .carried = carried()};
  m_begun.reset();
}

void LineProbe::arrived(Duration at, std::size_t bytes) TACTUS_REALTIME {
  if (!m_arrivals) m_arrivals = {at, at, 0, bytes};
  if (at < m_arrivals->first) {
    m_arrivals->first = at;
    m_arrivals->bytesOfFirst = bytes;
  }
  m_arrivals->last = std::max(m_arrivals->last, at);
  m_arrivals->bytes += bytes;
}

net::BitRate LineProbe::carried() const TACTUS_REALTIME {
  if (!m_arrivals || m_arrivals->last <= m_arrivals->first) return {};
  return rateOf(m_arrivals->bytes - m_arrivals->bytesOfFirst, m_arrivals->last - m_arrivals->first);
}

}  // namespace tactus::media
