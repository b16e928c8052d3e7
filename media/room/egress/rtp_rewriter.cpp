// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/rtp_rewriter.h"

#include <algorithm>

#include "media/room/egress/network_order.h"

namespace tactus::media {

using periodic::TimePoint;

namespace {

/// Numbers further back could be taken for later ones.
constexpr int kMostRemembered = 0x4000;

}  // namespace

std::optional<RtpPosition> RtpRewriter::rewrite(const RtpView& packet, TimePoint now) TACTUS_REALTIME {
  if (isOfAnotherSource(packet)) begin(packet, now);
  const RtpPosition position{static_cast<std::uint16_t>(packet.sequence + m_sequenceOffset),
                             packet.timestamp + m_timestampOffset};
  if (distance16(position.sequence, m_oldest) < 0) return std::nullopt;
  if (distance16(position.sequence, m_last.sequence) >= 0) {
    if (position.timestamp != m_last.timestamp) m_lastAt = now;
    m_last = position;
    if (distance16(m_last.sequence, m_oldest) > kMostRemembered)
      m_oldest = static_cast<std::uint16_t>(m_last.sequence - kMostRemembered);
  }
  return position;
}

std::optional<std::uint16_t> RtpRewriter::originalOf(std::uint16_t sequence) const TACTUS_REALTIME {
  if (!m_started || distance16(sequence, m_oldest) < 0 || distance16(m_last.sequence, sequence) < 0)
    return std::nullopt;
  return static_cast<std::uint16_t>(sequence - m_sequenceOffset);
}

std::optional<std::uint32_t> RtpRewriter::timestampAt(TimePoint now) const TACTUS_REALTIME {
  if (!m_started) return std::nullopt;
  return m_last.timestamp + ticksSinceLast(now);
}

bool RtpRewriter::isOfAnotherSource(const RtpView& packet) const TACTUS_REALTIME {
  if (!m_started || m_sourceEnded || packet.ssrc != m_ssrc) return true;
  const auto last = static_cast<std::uint16_t>(m_last.sequence - m_sequenceOffset);
  const int jump = distance16(packet.sequence, last);
  return jump > kMostAhead || jump < -kMostBehind;
}

void RtpRewriter::begin(const RtpView& packet, TimePoint now) TACTUS_REALTIME {
  RtpPosition place = m_first;
  if (m_started) {
    place.sequence = static_cast<std::uint16_t>(m_last.sequence + 1);
    place.timestamp = m_last.timestamp + std::max<std::uint32_t>(ticksSinceLast(now), 1);
  }
  m_started = true;
  m_sourceEnded = false;
  m_ssrc = packet.ssrc;
  m_sequenceOffset = static_cast<std::uint16_t>(place.sequence - packet.sequence);
  m_timestampOffset = place.timestamp - packet.timestamp;
  m_oldest = place.sequence;
  m_last = place;
  m_lastAt = now;
}

/// Wraps around as time stamps do.
std::uint32_t RtpRewriter::ticksSinceLast(TimePoint now) const TACTUS_REALTIME {
  const double seconds = std::max(periodic::inSeconds(now - m_lastAt), 0.0);
  return static_cast<std::uint32_t>(static_cast<std::uint64_t>(seconds * m_clockRate));
}

}  // namespace tactus::media
