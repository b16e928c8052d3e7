// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/retransmission_history.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "media/room/egress/rtp_writer.h"

namespace tactus::media {

using periodic::TimePoint;

RetransmissionHistory::RetransmissionHistory(Bounds bounds)
    : m_bounds(bounds), m_slots(bounds.packets), m_payloads(bounds.packets * kLongestRtpPayload) {
  // Otherwise two numbers of one slot lie next to each other where numbers wrap around.
  assert(std::has_single_bit(bounds.packets) && bounds.packets <= 0x8000);
}

void RetransmissionHistory::store(const RtpView& packet, TimePoint now) TACTUS_REALTIME {
  if (packet.payload.size() > kLongestRtpPayload) return;
  const std::size_t index = packet.sequence % m_bounds.packets;
  const auto place = m_payloads.begin() + static_cast<std::ptrdiff_t>(index * kLongestRtpPayload);
  std::copy(packet.payload.begin(), packet.payload.end(), place);
  Slot& slot = m_slots[index];
  slot = {.packet = packet, .at = now, .used = true};
  slot.packet.payload = {m_payloads.data() + index * kLongestRtpPayload, packet.payload.size()};
}

std::optional<RtpView> RetransmissionHistory::find(std::uint32_t ssrc, std::uint16_t sequence,
                                                   TimePoint now) const TACTUS_REALTIME {
  const Slot& slot = m_slots[sequence % m_bounds.packets];
  if (!slot.used || slot.packet.ssrc != ssrc || slot.packet.sequence != sequence) return std::nullopt;
  if (now - slot.at > m_bounds.age) return std::nullopt;
  return slot.packet;
}

}  // namespace tactus::media
