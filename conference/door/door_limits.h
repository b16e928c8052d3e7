// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

#include "core/periodic/time/time.h"

namespace tactus::conference {

/// What a door grants to those who come, invited or not. Plain data.
struct DoorLimits {
  std::size_t messageBytes = 64 * 1024;     ///< of a WebSocket message; a longer one closes with code 1009
  std::size_t bodyBytes = 256 * 1024;       ///< of an HTTP request; a longer one is answered with 413
  std::size_t headerBytes = 16 * 1024;      ///< of an HTTP request; longer ones are answered with 431
  std::size_t unsentBytes = 1024 * 1024;    ///< that wait for a WebSocket's peer to read
  std::size_t bytesPerSecond = 256 * 1024;  ///< read from a WebSocket; a faster peer waits
  std::size_t connections = 256;            ///< in all; one more is closed at once
  std::size_t connectionsOfAddress = 64;    ///< of an IPv4 address, or of an IPv6 network of 64 bits
  std::size_t handshakes = 8;               ///< of TLS at a time: each keeps one of GIO's threads busy
  std::size_t handshakesOfAddress = 2;      ///< at a time; others wait
  periodic::Duration arrival =
      std::chrono::seconds(10);  ///< from the connection to the end of TLS's handshake
  periodic::Duration handshake = std::chrono::seconds(5);  ///< of it, the handshake alone
  /// From the handshake, or from the answer before, to a request's last header.
  periodic::Duration headers = std::chrono::seconds(20);
  periodic::Duration request = std::chrono::seconds(30);  ///< from the headers to the end of the answer
  periodic::Duration ping = std::chrono::seconds(20);     ///< between pings; unanswered until the next: over
  periodic::Duration closing = std::chrono::seconds(3);   ///< for the peer's close frame
};

}  // namespace tactus::conference
