// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/delivery_ledger.h"

namespace tactus::media {

using periodic::Duration;
using periodic::TimePoint;

std::uint16_t DeliveryLedger::sent(std::size_t bytes, TimePoint now) TACTUS_REALTIME {
  const std::uint16_t number = m_next++;
  m_packets[number % kRemembered] = {number, State::Waits, bytes, now};
  return number;
}

DeliveryLedger::Packet* DeliveryLedger::find(std::uint16_t number) TACTUS_REALTIME {
  Packet& packet = m_packets[number % kRemembered];
  return packet.state != State::Unknown && packet.number == number ? &packet : nullptr;
}

ToldPackets DeliveryLedger::told(const TransportFeedback& feedback) TACTUS_REALTIME {
  ++m_figures.feedbacks;
  ToldPackets fresh;
  std::optional<Seen> first, last;
  std::size_t bytesAfterFirst = 0;
  for (const auto& each : feedback.packets) {
    Packet* const packet = find(each.number);
    if (packet == nullptr || packet->state == State::Arrived) continue;
    if (!each.at) {
      if (packet->state == State::Waits) {
        ++m_figures.missing;
        ++fresh.missing;
      }
      packet->state = State::Missing;
      continue;
    }
    if (packet->state == State::Missing) --m_figures.missing;
    packet->state = State::Arrived;
    ++fresh.arrived;
    fresh.arrivedBytes += packet->bytes;
    if (first) bytesAfterFirst += packet->bytes;
    last = Seen{*each.at, packet->at};
    if (!first) first = last;
  }
  m_figures.arrived += fresh.arrived;
  m_figures.arrivedBytes += fresh.arrivedBytes;
  if (!first) return fresh;
  if (m_last && last->sent > m_last->sent)
    fresh.delayGrowth = (last->arrival - m_last->arrival) - (last->sent - m_last->sent);
  if (!m_last || last->sent > m_last->sent) m_last = last;
  if (last->arrival <= first->arrival) return fresh;
  const Duration span = last->arrival - first->arrival;
  m_figures.arrivalRate = 8.0 * static_cast<double>(bytesAfterFirst) / periodic::inSeconds(span);
  m_figures.delayGrowth = span - (last->sent - first->sent);
  return fresh;
}

}  // namespace tactus::media
