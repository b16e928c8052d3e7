// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "conference/door/certificate.h"
#include "conference/door/door_limits.h"
#include "conference/door/door_listener.h"
#include "conference/door/routes.h"
#include "conference/door/web_socket_frames.h"
#include "conference/room/connection_id.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// Where and to whom a door opens. Plain data.
struct DoorOptions {
  std::string address;     ///< numeric; empty: every address of this machine
  std::uint16_t port = 0;  ///< 0: any free one
  DoorLimits limits = {};
};

/// The HTTPS and WebSocket server of a room (RFC 9110, RFC 6455). Whoever has no valid token gets the same
/// 404 for whatever is asked, in the same time, and nothing else; who has one gets the routes under
/// "/r/TOKEN/" and the WebSocket "/r/TOKEN/socket" with the subprotocol "tactus.room.1". It runs on a thread
/// of its own.
class Door {
 public:
  /// Listens from now on. The listener outlives the door. Unavailable: the port is taken. NotFound: the
  /// address is not one of this machine.
  [[nodiscard]] static Result<std::unique_ptr<Door>> open(const DoorOptions& options,
                                                          const Certificate& certificate,
                                                          DoorListener& listener, Routes routes);
  /// Takes nothing more, closes every WebSocket with code 1001 after what it was sent, waits for the peers as
  /// long as the limits say (`closing`), and tells the listener of each end. Not from the door's thread.
  ~Door();
  Door(const Door&) = delete;
  Door& operator=(const Door&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return m_port; }
  /// Sends a message, after those that were sent before it; nothing if the connection is gone.
  /// Thread-safe: yes. Real-time-safe: no.
  void send(ConnectionId connection, std::string message);
  /// Ends a WebSocket after what it was sent; `reason` is for people. The listener hears of the end.
  /// Thread-safe: yes. Real-time-safe: no.
  void close(ConnectionId connection, CloseCode code, std::string reason);
  /// Runs `action` on the door's thread, later. Thread-safe: yes. Real-time-safe: no.
  void post(std::function<void()> action);

 private:
  class Inside;
  Door(std::shared_ptr<Inside> inside, std::uint16_t port);

  const std::shared_ptr<Inside> m_inside;  // shared with replies that come after the end
  const std::uint16_t m_port;
};

}  // namespace tactus::conference
