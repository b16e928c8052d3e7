// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::media {

enum class IngestState {
  Connecting,  ///< answered; the publisher has not connected
  Live,        ///< packets come
  Silent,      ///< connected, but no packet for a while: nothing is captured, or the network is broken
  Ended        ///< for good
};
/// As reports call it.
[[nodiscard]] constexpr const char* nameOf(IngestState state) noexcept {
  switch (state) {
    case IngestState::Connecting:
      return "connecting";
    case IngestState::Live:
      return "live";
    case IngestState::Silent:
      return "silent";
    case IngestState::Ended:
      break;
  }
  return "ended";
}

/// Why an ingest has ended.
enum class IngestEnd {
  None,            ///< it has not
  NeverConnected,  ///< the publisher did not connect in time
  PeerLeft,        ///< the publisher closed the connection
  ConnectionLost,  ///< nothing gets through to the publisher any more
  Stopped,         ///< whoever owns it stopped it
  Failed           ///< something here broke; the sentence says what
};

/// What the connection of a publisher is doing, as the transport says.
enum class Connection { Connecting, Connected, Closed, Lost };

/// The states of an ingest, and its time limits. Pure: `now` is an argument.
/// Thread-safe: no. Real-time-safe: yes.
class IngestLife {
 public:
  /// ICE gives up a pair after about 5 s; a lost DTLS flight costs 1, 2, 4 s.
  static constexpr periodic::Duration kConnectLimit = std::chrono::seconds(10);
  /// Opus sends at least each 400 ms while nobody speaks (DTX), cameras several pictures a second.
  static constexpr periodic::Duration kSilence = std::chrono::seconds(2);

  explicit IngestLife(periodic::TimePoint now, periodic::Duration connectLimit = kConnectLimit) noexcept
      : m_connectBy(now + connectLimit), m_lastPacket(now) {}

  /// Looks at the connection, and at how many packets have come in all.
  void update(periodic::TimePoint now, Connection connection, std::uint64_t packets) noexcept {
    if (m_state == IngestState::Ended) return;
    if (packets != m_packets) m_lastPacket = now;
    m_packets = packets;
    if (connection == Connection::Closed) return end(IngestEnd::PeerLeft);
    const bool connecting = m_state == IngestState::Connecting;
    if (connection == Connection::Lost)
      return end(connecting ? IngestEnd::NeverConnected : IngestEnd::ConnectionLost);
    if (connecting && connection == Connection::Connecting) {
      if (now >= m_connectBy) end(IngestEnd::NeverConnected);
      return;
    }
    m_state = m_packets > 0 && now - m_lastPacket < kSilence ? IngestState::Live : IngestState::Silent;
  }
  void end(IngestEnd why) noexcept {
    if (m_state == IngestState::Ended) return;
    m_state = IngestState::Ended;
    m_end = why;
  }

  [[nodiscard]] IngestState state() const noexcept { return m_state; }
  [[nodiscard]] IngestEnd why() const noexcept { return m_end; }

 private:
  const periodic::TimePoint m_connectBy;
  periodic::TimePoint m_lastPacket;
  std::uint64_t m_packets = 0;
  IngestState m_state = IngestState::Connecting;
  IngestEnd m_end = IngestEnd::None;
};

}  // namespace tactus::media
