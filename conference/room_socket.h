// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <glib.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "conference/door/room_link.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// How a connection to a room's host ended.
struct SocketEnd {
  enum class Why : std::uint8_t {
    Broken,       ///< it was open, and is not any more
    Unreachable,  ///< no network, no such host, or nobody answers there
    NotFound,     ///< the host knows no such invitation
    Impostor,     ///< the certificate has another fingerprint
    Unsupported,  ///< no server of a room's protocol, or of this version
  };
  Why why = Why::Broken;
  std::string sentence = {};  ///< for people
};

/// One connection to a room's host: a WebSocket over TLS, by libsoup. The host's certificate is accepted if
/// it has the link's fingerprint, whoever signed it, whatever its names and dates are; no word is sent
/// before. To be made, used and destroyed on the thread whose default main context is `context`; it calls
/// back there, and never after its destruction.
class RoomSocket {
 public:
  struct Callbacks {
    std::function<void()> opened = {};
    std::function<void(std::string_view)> heard = {};
    std::function<void(const SocketEnd&)> ended = {};  ///< the last call; may destroy the socket
  };
  /// Begins to connect, for `patience` at most. `link` has a fingerprint.
  RoomSocket(GMainContext* context, const RoomLink& link, periodic::Duration patience, Callbacks callbacks);
  ~RoomSocket();
  RoomSocket(const RoomSocket&) = delete;
  RoomSocket& operator=(const RoomSocket&) = delete;

  /// Nothing, unless it is open.
  void send(const std::string& message);

 private:
  class Attempt;
  std::unique_ptr<Attempt> m_attempt;
};

}  // namespace tactus::conference
