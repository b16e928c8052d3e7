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
  /// Who sends nothing else still sends RTCP, at least each 5 s (RFC 3550, 6.2).
  static constexpr periodic::Duration kGoneLimit = std::chrono::seconds(15);

  struct Limits {
    periodic::Duration connect = kConnectLimit;
    periodic::Duration gone = kGoneLimit;
  };

  IngestLife(periodic::TimePoint now, Limits limits) noexcept
      : m_connectBy(now + limits.connect), m_goneLimit(limits.gone), m_lastPacket(now), m_lastHeard(now) {}

  /// Looks at the connection, and at how much has come in all: packets of the tracks, and datagrams of any
  /// kind.
  void update(periodic::TimePoint now, Connection connection, std::uint64_t packets,
              std::uint64_t datagrams) noexcept {
    if (m_state == IngestState::Ended) return;
    if (packets != m_packets) m_lastPacket = now;
    if (datagrams != m_datagrams) m_lastHeard = now;
    m_packets = packets;
    m_datagrams = datagrams;
    if (connection == Connection::Closed) return end(IngestEnd::PeerLeft);
    const bool connecting = m_state == IngestState::Connecting;
    if (connection == Connection::Lost)
      return end(connecting ? IngestEnd::NeverConnected : IngestEnd::ConnectionLost);
    if (connecting && connection == Connection::Connecting) {
      if (now >= m_connectBy) end(IngestEnd::NeverConnected);
      return;
    }
    if (connecting) m_lastHeard = now;
    if (now - m_lastHeard >= m_goneLimit) return end(IngestEnd::ConnectionLost);
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
  const periodic::Duration m_goneLimit;
  periodic::TimePoint m_lastPacket;
  periodic::TimePoint m_lastHeard;
  std::uint64_t m_packets = 0;
  std::uint64_t m_datagrams = 0;
  IngestState m_state = IngestState::Connecting;
  IngestEnd m_end = IngestEnd::None;
};

}  // namespace tactus::media
