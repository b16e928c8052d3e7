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

std::vector<net::PacketOutcome> DeliveryLedger::told(const TransportFeedback& feedback) {
  ++m_figures.feedbacks;
  std::vector<net::PacketOutcome> outcomes;
  std::optional<net::PacketOutcome> first, last;
  std::size_t bytesAfterFirst = 0;
  for (const auto& each : feedback.packets) {
    Packet* const packet = find(each.number);
    if (packet == nullptr || packet->state == State::Arrived) continue;
    const net::PacketOutcome outcome{packet->at, packet->bytes, each.at};
    if (!each.at) {
      if (packet->state == State::Waits) {
        ++m_figures.missing;
        outcomes.push_back(outcome);
      }
      packet->state = State::Missing;
      continue;
    }
    outcomes.push_back(outcome);
    outcomes.back().wasLost = packet->state == State::Missing;
    if (packet->state == State::Missing) --m_figures.missing;
    packet->state = State::Arrived;
    ++m_figures.arrived;
    m_figures.arrivedBytes += packet->bytes;
    if (first) bytesAfterFirst += packet->bytes;
    last = outcome;
    if (!first) first = last;
  }
  if (!first || *last->arrived <= *first->arrived) return outcomes;
  const Duration span = *last->arrived - *first->arrived;
  m_figures.arrivalRate = 8.0 * static_cast<double>(bytesAfterFirst) / periodic::inSeconds(span);
  m_figures.delayGrowth = span - (last->sent - first->sent);
  return outcomes;
}

}  // namespace tactus::media
