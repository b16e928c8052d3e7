// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "conference/room/connection_id.h"

namespace tactus::conference {

/// What is behind a door. Every call comes on the door's thread, which it must not keep waiting.
class DoorListener {
 public:
  virtual ~DoorListener() = default;
  /// Whether the token is that of an invitation. It is asked for every request, also for those that have no
  /// token (with an empty one), and takes the same time whatever the answer.
  [[nodiscard]] virtual bool admits(std::string_view token) = 0;
  /// A WebSocket of the room's protocol has come.
  virtual void opened(ConnectionId connection, const std::string& token, const std::string& peer) = 0;
  /// A message: text in UTF-8, not longer than the limit.
  virtual void received(ConnectionId connection, std::string_view message) = 0;
  /// It has gone, or Door::close() was carried out. The last call of this connection.
  virtual void closed(ConnectionId connection) = 0;
  /// About four times a second while the door is open.
  virtual void tick() {}
};

}  // namespace tactus::conference
