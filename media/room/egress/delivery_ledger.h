// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/net/estimator/bandwidth_estimator.h"
#include "core/periodic/time/time.h"
#include "media/room/egress/transport_feedback.h"

namespace tactus::media {

/// What became of packets with a transport-wide number, since the start.
struct DeliveryFigures {
  std::uint64_t feedbacks = 0;
  std::uint64_t arrived = 0, arrivedBytes = 0;
  std::uint64_t missing = 0;  ///< said to be missing, and not said to have arrived since
  /// Bits a second that arrived in the last feedback that spans a time.
  double arrivalRate = 0;
  /// How much longer the last packet of that feedback was on its way than its first: a queue that grows.
  periodic::Duration delayGrowth{0};
};

/// Compares what was sent with what a receiver says of it. Thread-safe: no. Real-time-safe: sent(): yes;
/// told(): no.
class DeliveryLedger {
 public:
  static constexpr std::size_t kRemembered = 4096;  ///< packets without feedback

  /// The number of the next packet.
  [[nodiscard]] std::uint16_t sent(std::size_t bytes, periodic::TimePoint now) TACTUS_REALTIME;
  /// What the feedback says of packets of which that was not known.
  std::vector<net::PacketOutcome> told(const TransportFeedback& feedback);
  [[nodiscard]] const DeliveryFigures& figures() const noexcept { return m_figures; }

 private:
  enum class State : std::uint8_t { Unknown, Waits, Missing, Arrived };
  struct Packet {
    std::uint16_t number = 0;
    State state = State::Unknown;
    std::size_t bytes = 0;
    periodic::TimePoint at{};
  };
  [[nodiscard]] Packet* find(std::uint16_t number) TACTUS_REALTIME;

  std::array<Packet, kRemembered> m_packets{};
  std::uint16_t m_next = 0;
  DeliveryFigures m_figures;
};

}  // namespace tactus::media
