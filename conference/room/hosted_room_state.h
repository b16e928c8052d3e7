// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to hosted_room*.cpp.

#include <map>
#include <optional>
#include <string>

#include "conference/room/hosted_room.h"

namespace tactus::conference {

/// What a connection is, from Opened to its end, which takes it off the table.
enum class ConnectionStage : std::uint8_t {
  Opened,   ///< has not joined
  Waiting,  ///< in the lobby, as `sid` and `name`
  Joined,   ///< speaks for participant `sid`
};

struct HostedRoom::Connection {
  ConnectionId id;
  InvitationSid invitation;
  TokenBucket messages;
  TokenBucket chat;
  ConnectionStage stage = ConnectionStage::Opened;
  ParticipantSid sid = {};
  std::string name = {};
};

struct HostedRoom::Participant {
  ParticipantInfo info;
  SessionKey session;
  InvitationSid invitation;                     ///< by which it came
  std::optional<ConnectionId> connection = {};  ///< absent: it is lost, or an ingress
  std::optional<std::string> ingress = {};      ///< of an ingress: the name that it asked for
  TimePoint lostAt = {};
  ConnectionQuality reported = ConnectionQuality::Good;  ///< by itself
  std::map<TrackSid, TrackSetting> settings = {};        ///< of tracks of others
  std::map<TrackSid, TrackWanted> wanted = {};           ///< of own tracks, as it was told last
  std::map<TrackSid, TrackDelivery> sending = {};        ///< of own tracks, as it said last
  std::map<TrackSid, TrackDelivery> delivered = {};      ///< of tracks of others, as it was told last

  [[nodiscard]] bool isLost() const noexcept { return !connection && !ingress; }
};

}  // namespace tactus::conference
