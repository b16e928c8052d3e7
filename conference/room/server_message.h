// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conference/room/room_facts.h"
#include "conference/room/session_key.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// Of the protocol of docs/room-protocol.md.
inline constexpr std::uint32_t kRoomProtocolVersion = 1;

/// What was wrong with a message of a client.
enum class MessageFault : std::uint8_t {
  Malformed,    ///< no JSON object, or without a type
  UnknownType,  ///< a type of a later version
  Invalid,      ///< a field is missing or out of its range
  OutOfPlace,   ///< before the join, or a second join
  Forbidden,    ///< only hosts may do this, or it is another's
  NotFound,     ///< no such participant, track or invitation
  TooMany,      ///< tracks or invitations
  Flood,        ///< more messages than a participant may send; the connection ends
};

/// What the server of an embedded room says to a participant (docs/room-protocol.md).
namespace server {

/// In the room from now on. All that is known of it; what changes afterwards is told.
struct Joined {
  static constexpr std::string_view kType = "joined";
  std::uint32_t version = kRoomProtocolVersion;
  SessionKey session = {};
  RoomInfo room = {};
  ParticipantInfo you = {};
  std::vector<ParticipantInfo> participants = {};  ///< the others
  std::vector<ChatLine> chat = {};                 ///< the oldest first
  friend bool operator==(const Joined&, const Joined&) = default;
};

/// In the lobby: Joined, Refused or Closed follows.
struct Waiting {
  static constexpr std::string_view kType = "waiting";
  friend bool operator==(const Waiting&, const Waiting&) = default;
};

/// The last message of a connection that does not get in.
struct Refused {
  static constexpr std::string_view kType = "refused";
  RefusalReason reason = RefusalReason::Expired;
  std::string message = {};  ///< a sentence
  friend bool operator==(const Refused&, const Refused&) = default;
};

/// The answer to Publish, to who published.
struct Published {
  static constexpr std::string_view kType = "published";
  std::string cid = {};
  TrackInfo track = {};
  friend bool operator==(const Published&, const Published&) = default;
};

struct ParticipantJoined {
  static constexpr std::string_view kType = "participant_joined";
  ParticipantInfo participant = {};
  friend bool operator==(const ParticipantJoined&, const ParticipantJoined&) = default;
};

struct ParticipantLeft {
  static constexpr std::string_view kType = "participant_left";
  ParticipantSid sid = {};
  LeaveReason reason = LeaveReason::Left;
  friend bool operator==(const ParticipantLeft&, const ParticipantLeft&) = default;
};

/// To all others; who published hears Published.
struct TrackPublished {
  static constexpr std::string_view kType = "track_published";
  ParticipantSid sid = {};
  TrackInfo track = {};
  friend bool operator==(const TrackPublished&, const TrackPublished&) = default;
};

// What follows goes to everybody in the room, also to whoever caused it.

struct TrackUnpublished {
  static constexpr std::string_view kType = "track_unpublished";
  ParticipantSid sid = {};
  TrackSid track = {};
  friend bool operator==(const TrackUnpublished&, const TrackUnpublished&) = default;
};

struct TrackMuted {
  static constexpr std::string_view kType = "track_muted";
  ParticipantSid sid = {};
  TrackSid track = {};
  bool muted = false;
  friend bool operator==(const TrackMuted&, const TrackMuted&) = default;
};

/// Who speaks now, the loudest first.
struct Speakers {
  static constexpr std::string_view kType = "speakers";
  std::vector<Speaker> speakers = {};
  friend bool operator==(const Speakers&, const Speakers&) = default;
};

struct Quality {
  static constexpr std::string_view kType = "quality";
  ParticipantSid sid = {};
  ConnectionQuality quality = ConnectionQuality::Good;
  friend bool operator==(const Quality&, const Quality&) = default;
};

struct Chat {
  static constexpr std::string_view kType = "chat";
  ChatLine line = {};
  friend bool operator==(const Chat&, const Chat&) = default;
};

struct Hand {
  static constexpr std::string_view kType = "hand";
  ParticipantSid sid = {};
  bool raised = false;
  friend bool operator==(const Hand&, const Hand&) = default;
};

struct RoomUpdated {
  static constexpr std::string_view kType = "room_updated";
  RoomInfo room = {};
  friend bool operator==(const RoomUpdated&, const RoomUpdated&) = default;
};

// What follows goes to hosts.

/// Who is in the lobby, the oldest connection first.
struct WaitingList {
  static constexpr std::string_view kType = "waiting_list";
  std::vector<WaitingInfo> waiting = {};
  friend bool operator==(const WaitingList&, const WaitingList&) = default;
};

/// The answer to Invite.
struct Invitation {
  static constexpr std::string_view kType = "invitation";
  InvitationInfo invitation = {};
  friend bool operator==(const Invitation&, const Invitation&) = default;
};

/// The answer to Invitations, and to Revoke: those that still let in.
struct Invitations {
  static constexpr std::string_view kType = "invitations";
  std::vector<InvitationInfo> invitations = {};
  friend bool operator==(const Invitations&, const Invitations&) = default;
};

// What follows goes to one participant.

/// A host muted a track of yours; TrackMuted comes as well.
struct MutedByHost {
  static constexpr std::string_view kType = "muted_by_host";
  TrackSid track = {};
  friend bool operator==(const MutedByHost&, const MutedByHost&) = default;
};

/// How the others want a track of pictures of yours from now on. After Joined, and of a new track, it is
/// TrackWanted{} until this says otherwise.
struct Wanted {
  static constexpr std::string_view kType = "track_wanted";
  TrackSid track = {};
  TrackWanted wanted = {};
  friend bool operator==(const Wanted&, const Wanted&) = default;
};

/// How a track of pictures of another reaches this participant from now on. After Joined, and of a new track,
/// it is TrackDelivery{} until this says otherwise.
struct Delivery {
  static constexpr std::string_view kType = "track_delivery";
  TrackSid track = {};
  TrackDelivery delivery = {};
  friend bool operator==(const Delivery&, const Delivery&) = default;
};

struct Pong {
  static constexpr std::string_view kType = "pong";
  std::uint64_t t = 0;  ///< of the Ping
  friend bool operator==(const Pong&, const Pong&) = default;
};

/// Why a connection is closed.
enum class CloseReason : std::uint8_t {
  Left,      ///< the answer to Leave
  Removed,   ///< by a host
  Resumed,   ///< the participant came back on another connection
  Flood,     ///< it sent more than a participant may
  RoomEnds,  ///< the host's program ends
};

/// The last message of a connection that was in the room, or waited.
struct Closed {
  static constexpr std::string_view kType = "closed";
  CloseReason reason = CloseReason::RoomEnds;
  std::string message = {};  ///< a sentence
  friend bool operator==(const Closed&, const Closed&) = default;
};

/// A message of the client had no effect.
struct Error {
  static constexpr std::string_view kType = "error";
  MessageFault code = MessageFault::Malformed;
  std::string message = {};               ///< a sentence
  std::optional<std::string> about = {};  ///< type of the client's message, if it is a known one
  std::optional<std::string> cid = {};    ///< of a Publish
  friend bool operator==(const Error&, const Error&) = default;
};

}  // namespace server

using ServerMessage =
    std::variant<server::Joined, server::Waiting, server::Refused, server::Published,
                 server::ParticipantJoined, server::ParticipantLeft, server::TrackPublished,
                 server::TrackUnpublished, server::TrackMuted, server::Speakers, server::Quality,
                 server::Chat, server::Hand, server::RoomUpdated, server::WaitingList, server::Invitation,
                 server::Invitations, server::MutedByHost, server::Wanted, server::Delivery, server::Pong,
                 server::Closed, server::Error>;

/// Bytes of the longest message of a server; Joined in a full room is shorter.
inline constexpr std::size_t kLongestServerMessage = 524'288;
/// Bytes of the longest sentence and of the longest link in a message.
inline constexpr std::size_t kLongestMessageText = 1024;

/// The value of "type" of a message. Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] std::string_view typeOf(const ServerMessage& message) noexcept;

/// A message of a server, which may lie as well; else as parseClientMessage(), with kLongestServerMessage.
/// Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] Result<ServerMessage> parseServerMessage(std::string_view json);

/// One line, which parseServerMessage() reads as `message`, if the members keep to their ranges.
/// Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] std::string toJson(const ServerMessage& message);

}  // namespace tactus::conference
