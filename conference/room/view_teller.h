// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "conference/room/room.h"
#include "conference/room/server_message.h"
#include "conference/room/view_update.h"

namespace tactus::conference {

/// What the messages of a server mean to a RoomListener. What makes no sense is neither kept nor told; how a
/// stay begins and ends (Waiting, Refused, Closed) is told by whoever has the connection. Thread-safe: no.
/// Real-time-safe: no.
class ViewTeller {
 public:
  /// The view has the message's fact afterwards.
  void apply(const ServerMessage& message);
  /// Tells what apply() was given last.
  void tell(const ServerMessage& message, RoomListener& listener) const;
  [[nodiscard]] const RoomView& view() const noexcept { return m_update.view(); }

 private:
  ViewUpdate m_update;
  bool m_sane = false;                      // the last message made sense
  std::optional<ParticipantInfo> m_before;  // whom it concerns, as it was
  std::optional<TrackSid> m_mutedByHost;    // the message before it said so
};

}  // namespace tactus::conference
