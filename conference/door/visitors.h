// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gio/gio.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conference/door/door_limits.h"
#include "conference/door/object_ref.h"
#include "conference/door/web_socket.h"
#include "conference/room/connection_id.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// Where a connection stands. Each state but the last has a deadline.
enum class VisitorState {
  Arrived,       ///< TLS's handshake has not begun: the peer sent nothing, or others are before it
  Handshaking,   ///< TLS
  Headers,       ///< no request is here, or not all of its headers
  Request,       ///< the request is read and answered
  Conversation,  ///< a WebSocket, which has its own time limits
};

/// One TCP connection. Owned by Visitors.
struct Visitor {
  ConnectionId id;
  std::string address;  ///< numeric, of the peer
  std::string network;  ///< what it is counted under
  ObjectRef<GSocket> socket;
  ObjectRef<GIOStream> tls;  ///< none until the handshake
  VisitorState state = VisitorState::Arrived;
  periodic::TimePoint deadline;
  std::unique_ptr<WebSocket> conversation;
};

/// An IPv4 address as it is, of an IPv6 address the network of 64 bits, of "::ffff:a.b.c.d" the IPv4 address.
/// Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::string networkOf(GInetAddress* address);

/// The table of connections: how many there may be, and when each has to be gone.
/// Thread-safe: no, on the door's thread alone. Real-time-safe: no.
class Visitors {
 public:
  explicit Visitors(const DoorLimits& limits) : m_limits(limits) {}

  /// Null: there are as many as there may be, in all or of the network.
  Visitor* add(ObjectRef<GSocket> socket, std::string address, std::string network, periodic::TimePoint now);
  /// Null: it has ended.
  [[nodiscard]] Visitor* find(ConnectionId id);
  /// Sets the state and its deadline.
  void enter(Visitor& visitor, VisitorState state, periodic::TimePoint now);
  /// Whether one more TLS handshake may begin for this visitor.
  [[nodiscard]] bool mayShakeHands(const Visitor& visitor) const;
  /// Those whose deadline has passed.
  [[nodiscard]] std::vector<ConnectionId> overdue(periodic::TimePoint now) const;
  /// Closes the connection, with TLS's farewell where that cannot wait for the peer, and forgets it.
  void end(ConnectionId id);
  /// Shuts the connection down, so that whoever reads from it finds its end, and forgets it.
  void cut(ConnectionId id);

  void forEach(const std::function<void(Visitor&)>& action);
  [[nodiscard]] std::size_t size() const noexcept { return m_visitors.size(); }

 private:
  Visitor take(ConnectionId id);

  const DoorLimits m_limits;
  std::map<ConnectionId, Visitor> m_visitors;
  std::map<std::string, std::size_t> m_ofNetwork;
  std::uint64_t m_last = 0;
};

}  // namespace tactus::conference
