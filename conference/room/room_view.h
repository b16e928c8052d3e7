// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "conference/room/room_facts.h"

namespace tactus::conference {

/// All that one participant knows of its room.
struct RoomView {
  RoomInfo room = {};
  ParticipantInfo you = {};
  std::vector<ParticipantInfo> others = {};  ///< in the order in which they came
  std::vector<ChatLine> chat = {};           ///< the newest kMostChatLines, the oldest first
  std::vector<Speaker> speakers = {};        ///< the loudest first
  std::vector<WaitingInfo> waiting = {};     ///< of hosts: who is in the lobby
  friend bool operator==(const RoomView&, const RoomView&) = default;

  /// You or another; nullptr: nobody has this identifier. Thread-safe: as the view. Real-time-safe: yes.
  [[nodiscard]] ParticipantInfo* find(const ParticipantSid& sid) noexcept {
    if (you.sid == sid) return &you;
    for (ParticipantInfo& each : others)
      if (each.sid == sid) return &each;
    return nullptr;
  }
  [[nodiscard]] const ParticipantInfo* find(const ParticipantSid& sid) const noexcept {
    return const_cast<RoomView*>(this)->find(sid);
  }
};

/// The participant's track of this identifier; nullptr: it has none. Thread-safe: as the participant.
[[nodiscard]] inline TrackInfo* trackOf(ParticipantInfo& participant, const TrackSid& sid) noexcept {
  for (TrackInfo& each : participant.tracks)
    if (each.sid == sid) return &each;
  return nullptr;
}

}  // namespace tactus::conference
