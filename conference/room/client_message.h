// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

#include "conference/room/room_facts.h"
#include "conference/room/session_key.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// What a participant's program is; told by itself, decides nothing.
enum class ClientKind : std::uint8_t { Tactus, Browser, Other };

/// What a participant says to the server of an embedded room (docs/room-protocol.md).
namespace client {

struct Join {
  static constexpr std::string_view kType = "join";
  std::string name = {};  ///< as plainName(), at most kLongestName; may be empty, which a room refuses
  ClientKind client = ClientKind::Other;
  std::optional<SessionKey> resume = {};  ///< of a stay whose connection broke
  friend bool operator==(const Join&, const Join&) = default;
};

struct Leave {
  static constexpr std::string_view kType = "leave";
  friend bool operator==(const Leave&, const Leave&) = default;
};

struct Publish {
  static constexpr std::string_view kType = "publish";
  static constexpr std::size_t kLongestCid = 128;
  std::string cid = {};  ///< the client's own name of the track: printable ASCII, 1 ... kLongestCid bytes
  TrackDescription description = {};
  bool muted = false;
  friend bool operator==(const Publish&, const Publish&) = default;
};

struct Unpublish {
  static constexpr std::string_view kType = "unpublish";
  TrackSid sid = {};
  friend bool operator==(const Unpublish&, const Unpublish&) = default;
};

/// A track of one's own.
struct Mute {
  static constexpr std::string_view kType = "mute";
  TrackSid sid = {};
  bool muted = false;
  friend bool operator==(const Mute&, const Mute&) = default;
};

/// How a track of another is to be received.
struct SetTrack {
  static constexpr std::string_view kType = "track_setting";
  TrackSid sid = {};
  TrackSetting setting = {};
  friend bool operator==(const SetTrack&, const SetTrack&) = default;
};

struct Chat {
  static constexpr std::string_view kType = "chat";
  std::string text = {};  ///< as plainText(), 1 ... kLongestChatText bytes
  friend bool operator==(const Chat&, const Chat&) = default;
};

struct Hand {
  static constexpr std::string_view kType = "hand";
  bool raised = false;
  friend bool operator==(const Hand&, const Hand&) = default;
};

struct Ping {
  static constexpr std::string_view kType = "ping";
  std::uint64_t t = 0;  ///< anything up to 2^53 - 1; comes back
  friend bool operator==(const Ping&, const Ping&) = default;
};

/// How loud one's own microphone is.
struct Level {
  static constexpr std::string_view kType = "level";
  double level = 0;  ///< 0 ... 1
  friend bool operator==(const Level&, const Level&) = default;
};

/// How well one's own connection carries what it is to carry; never Lost.
struct Quality {
  static constexpr std::string_view kType = "quality";
  ConnectionQuality quality = ConnectionQuality::Good;
  friend bool operator==(const Quality&, const Quality&) = default;
};

/// What of a track of pictures of one's own is sent, and what limits it.
struct Sending {
  static constexpr std::string_view kType = "track_sending";
  TrackSid sid = {};
  TrackDelivery sending = {};  ///< its limit: None, SenderLine or SenderComputer
  friend bool operator==(const Sending&, const Sending&) = default;
};

// What follows is for hosts.

/// Lets somebody in who waits in the lobby.
struct Admit {
  static constexpr std::string_view kType = "admit";
  ParticipantSid sid = {};
  friend bool operator==(const Admit&, const Admit&) = default;
};

/// Refuses somebody who waits in the lobby.
struct Deny {
  static constexpr std::string_view kType = "deny";
  ParticipantSid sid = {};
  friend bool operator==(const Deny&, const Deny&) = default;
};

struct Remove {
  static constexpr std::string_view kType = "remove";
  ParticipantSid sid = {};
  friend bool operator==(const Remove&, const Remove&) = default;
};

struct MuteParticipant {
  static constexpr std::string_view kType = "mute_participant";
  ParticipantSid sid = {};
  TrackSid track = {};
  bool muted = true;  ///< false: of an ingress alone, which cannot do it itself
  friend bool operator==(const MuteParticipant&, const MuteParticipant&) = default;
};

struct Lock {
  static constexpr std::string_view kType = "lock";
  bool locked = false;
  friend bool operator==(const Lock&, const Lock&) = default;
};

struct Lobby {
  static constexpr std::string_view kType = "lobby";
  bool on = false;
  friend bool operator==(const Lobby&, const Lobby&) = default;
};

struct Invite {
  static constexpr std::string_view kType = "invite";
  static constexpr std::chrono::seconds kLongestLife = std::chrono::hours(24 * 365);
  Role role = Role::Guest;
  std::optional<std::chrono::seconds> expiresIn = {};  ///< 1 s ... kLongestLife; absent: with the room
  friend bool operator==(const Invite&, const Invite&) = default;
};

struct Revoke {
  static constexpr std::string_view kType = "revoke";
  InvitationSid sid = {};
  friend bool operator==(const Revoke&, const Revoke&) = default;
};

/// Asks for the list of invitations.
struct Invitations {
  static constexpr std::string_view kType = "invitations";
  friend bool operator==(const Invitations&, const Invitations&) = default;
};

/// Whether only hosts may say it.
template <typename Message>
inline constexpr bool kForHosts = [] {
  constexpr std::array<std::string_view, 9> kTypes{Admit::kType,           Deny::kType,   Remove::kType,
                                                   MuteParticipant::kType, Lock::kType,   Lobby::kType,
                                                   Invite::kType,          Revoke::kType, Invitations::kType};
  return std::find(kTypes.begin(), kTypes.end(), std::remove_cvref_t<Message>::kType) != kTypes.end();
}();

}  // namespace client

using ClientMessage =
    std::variant<client::Join, client::Leave, client::Publish, client::Unpublish, client::Mute,
                 client::SetTrack, client::Chat, client::Hand, client::Ping, client::Level, client::Quality,
                 client::Sending, client::Admit, client::Deny, client::Remove, client::MuteParticipant,
                 client::Lock, client::Lobby, client::Invite, client::Revoke, client::Invitations>;

/// Bytes of the longest message of a client, and how deep its objects and arrays may be nested.
inline constexpr std::size_t kLongestClientMessage = 65'536;
inline constexpr std::size_t kDeepestMessage = 16;

/// The value of "type" of a message. Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] std::string_view typeOf(const ClientMessage& message) noexcept;

/// A message from anybody. Corrupt: no JSON object of at most kLongestClientMessage bytes and
/// kDeepestMessage levels, or without a type. Unsupported: a type of a later version. InvalidArgument: a
/// field is missing or out of its range. Fields that are not known are passed over. The sentences quote
/// nothing of the message. Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] Result<ClientMessage> parseClientMessage(std::string_view json);

/// One line, which parseClientMessage() reads as `message`, if the members keep to their ranges.
/// Thread-safe: yes. Real-time-safe: no (allocates).
[[nodiscard]] std::string toJson(const ClientMessage& message);

}  // namespace tactus::conference
