// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "core/periodic/time/time.h"
#include "media/room/participant/offering_peer.h"

namespace tactus::media {

enum class CallState {
  Offered,     ///< no answer was accepted
  Connecting,  ///< answered, not connected
  Live,        ///< connected
  Ended        ///< for good
};
/// As reports call it.
[[nodiscard]] constexpr const char* nameOf(CallState state) noexcept {
  switch (state) {
    case CallState::Offered:
      return "offered";
    case CallState::Connecting:
      return "connecting";
    case CallState::Live:
      return "live";
    case CallState::Ended:
      break;
  }
  return "ended";
}

/// The states of a call's stream, and its time limits. Pure: `now` is an argument. Thread-safe: no.
/// Real-time-safe: no (its sentence allocates, once).
class CallLife {
 public:
  static constexpr periodic::Duration kConnectLimit = std::chrono::seconds(10);
  /// The other end reports on what it receives, or sends; RTCP's longest interval is 5 s (RFC 3550, 6.2).
  static constexpr periodic::Duration kSilence = std::chrono::seconds(12);

  void answered(periodic::TimePoint now) noexcept {
    if (m_state != CallState::Offered) return;
    m_state = CallState::Connecting;
    m_since = now;
  }
  /// Looks at the transport, at how many packets have come in all, and at why the pipeline failed (empty: it
  /// did not).
  void update(periodic::TimePoint now, TransportState transport, std::uint64_t heard, std::string fault) {
    if (!fault.empty()) end(std::move(fault));
    if (m_state == CallState::Offered || m_state == CallState::Ended) return;
    if (transport == TransportState::Closed) return end("The other end has closed the connection.");
    if (m_state == CallState::Connecting) return connect(now, transport, heard);
    if (heard != m_heard) m_since = now;
    m_heard = heard;
    if (transport == TransportState::Lost || now - m_since > kSilence)
      end("The connection is lost: nothing comes from the other end any more.");
  }
  void end(std::string why) {
    if (m_state == CallState::Ended) return;
    m_state = CallState::Ended;
    m_why = std::move(why);
  }

  [[nodiscard]] CallState state() const noexcept { return m_state; }
  /// Why it has ended, as a sentence; empty before.
  [[nodiscard]] const std::string& why() const noexcept { return m_why; }

 private:
  void connect(periodic::TimePoint now, TransportState transport, std::uint64_t heard) {
    if (transport == TransportState::Connected) {
      m_state = CallState::Live;
      m_since = now;
      m_heard = heard;
    } else if (transport == TransportState::Lost || now - m_since >= kConnectLimit) {
      end("No connection came about: the other end does not answer at any of its addresses.");
    }
  }

  CallState m_state = CallState::Offered;
  periodic::TimePoint m_since{};  // it is connecting; the last packet came
  std::uint64_t m_heard = 0;
  std::string m_why;
};

}  // namespace tactus::media
