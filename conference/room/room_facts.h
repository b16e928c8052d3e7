// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "conference/room/sid.h"
#include "core/periodic/time/rate.h"

namespace tactus::conference {

// What is known of a room, whichever server it has. The words are LiveKit's.

/// An instant of the calendar's clock; may jump. Only shown, never compared.
using WallTime = std::chrono::sys_time<std::chrono::milliseconds>;

enum class Role : std::uint8_t {
  Host,   ///< may moderate
  Guest,  ///< speaks for itself only
};
inline constexpr std::array<std::string_view, 2> kRoles{"host", "guest"};

enum class TrackKind : std::uint8_t { Audio, Video };
inline constexpr std::array<std::string_view, 2> kTrackKinds{"audio", "video"};

enum class TrackSource : std::uint8_t { Camera, Microphone, Screen, ScreenAudio };
inline constexpr std::array<std::string_view, 4> kTrackSources{"camera", "microphone", "screen",
                                                               "screen_audio"};

/// How well a participant's connection carries what it is to carry.
enum class ConnectionQuality : std::uint8_t {
  Excellent,
  Good,
  Poor,
  Lost,  ///< the connection broke; the participant may come back
};
inline constexpr std::array<std::string_view, 4> kConnectionQualities{"excellent", "good", "poor", "lost"};

/// Which of the tracks that one participant receives give way first.
enum class TrackPriority : std::uint8_t { High, Normal, Low };
inline constexpr std::array<std::string_view, 3> kTrackPriorities{"high", "normal", "low"};

/// How much of a track of pictures reaches one of its receivers.
enum class DeliveredPictures : std::uint8_t {
  Whole,    ///< as its receiver wants them
  Smaller,  ///< of a smaller size than is wanted
  Fewer,    ///< with gaps
  None,
};
inline constexpr std::array<std::string_view, 4> kDeliveredPictures{"whole", "smaller", "fewer", "none"};

/// What keeps a track of pictures from reaching its receiver as it is wanted.
enum class DeliveryLimit : std::uint8_t {
  None,
  ReceiverLine,    ///< the line from the host to the receiver
  SenderLine,      ///< the line from the sender to the host
  SenderComputer,  ///< the sender's processor
  SenderProgram,   ///< less is sent than is wanted, and the sender gives no reason
};
inline constexpr std::array<std::string_view, 5> kDeliveryLimits{"none", "receiver_line", "sender_line",
                                                                 "sender_computer", "sender_program"};

/// Why a participant is not in the room any more.
enum class LeaveReason : std::uint8_t {
  Left,     ///< by itself
  Removed,  ///< by a host
  Lost,     ///< its connection broke and it did not come back in time
  Flood,    ///< it sent more than a participant may
};
inline constexpr std::array<std::string_view, 4> kLeaveReasons{"left", "removed", "lost", "flood"};

/// Why somebody does not get into a room.
enum class RefusalReason : std::uint8_t {
  Locked,   ///< nobody is let in
  Full,     ///< as many participants as the room may have
  Removed,  ///< a host removed it, or did not let it in
  Expired,  ///< the invitation, or the session to be resumed, is not valid any more
  Name,     ///< the name is empty
};
inline constexpr std::array<std::string_view, 5> kRefusalReasons{"locked", "full", "removed", "expired",
                                                                 "name"};

/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr std::string_view nameOf(Role role) noexcept {
  return kRoles[static_cast<std::size_t>(role)];
}
[[nodiscard]] constexpr std::string_view nameOf(TrackKind kind) noexcept {
  return kTrackKinds[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr std::string_view nameOf(TrackSource source) noexcept {
  return kTrackSources[static_cast<std::size_t>(source)];
}
[[nodiscard]] constexpr std::string_view nameOf(ConnectionQuality quality) noexcept {
  return kConnectionQualities[static_cast<std::size_t>(quality)];
}
[[nodiscard]] constexpr std::string_view nameOf(TrackPriority priority) noexcept {
  return kTrackPriorities[static_cast<std::size_t>(priority)];
}
[[nodiscard]] constexpr std::string_view nameOf(DeliveredPictures pictures) noexcept {
  return kDeliveredPictures[static_cast<std::size_t>(pictures)];
}
[[nodiscard]] constexpr std::string_view nameOf(DeliveryLimit limit) noexcept {
  return kDeliveryLimits[static_cast<std::size_t>(limit)];
}
[[nodiscard]] constexpr std::string_view nameOf(LeaveReason reason) noexcept {
  return kLeaveReasons[static_cast<std::size_t>(reason)];
}
[[nodiscard]] constexpr std::string_view nameOf(RefusalReason reason) noexcept {
  return kRefusalReasons[static_cast<std::size_t>(reason)];
}
/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr TrackKind kindOf(TrackSource source) noexcept {
  return source == TrackSource::Camera || source == TrackSource::Screen ? TrackKind::Video : TrackKind::Audio;
}

/// Bounds of what a room holds; bytes are of UTF-8.
inline constexpr std::size_t kLongestName = 128;             ///< bytes of a participant's or a room's name
inline constexpr std::size_t kLongestChatText = 4096;        ///< bytes of one line of chat
inline constexpr std::size_t kMostChatLines = 100;           ///< that a room keeps for those who come later
inline constexpr std::size_t kMostChatBytes = 65'536;        ///< of the texts of these lines together
inline constexpr std::size_t kMostParticipants = 32;         ///< in one room
inline constexpr std::size_t kMostTracks = 8;                ///< of one participant
inline constexpr std::uint32_t kLargestSize = 16'384;        ///< pixels of a picture's width or height
inline constexpr std::uint32_t kHighestPictureRate = 1000;   ///< pictures a second
inline constexpr std::uint32_t kHighestCarried = 1'000'000;  ///< kbit/s of a line

/// What a published track carries.
struct TrackDescription {
  TrackSource source = TrackSource::Microphone;
  std::uint32_t width = 0, height = 0;      ///< pixels, 0 ... kLargestSize; 0: unknown, and of sound
  std::optional<periodic::Rate> rate = {};  ///< pictures a second, up to kHighestPictureRate; absent: unknown
  std::uint32_t sizes = 1;  ///< in which pictures are sent, 1 or 2; the second is half as wide and high
  friend bool operator==(const TrackDescription&, const TrackDescription&) = default;
};

struct TrackInfo {
  TrackSid sid = {};
  TrackDescription description = {};
  bool muted = false;
  friend bool operator==(const TrackInfo&, const TrackInfo&) = default;
};

struct ParticipantInfo {
  ParticipantSid sid = {};
  std::string name = {};  ///< as plainName(); unique in its room
  Role role = Role::Guest;
  bool hand = false;  ///< raised
  ConnectionQuality quality = ConnectionQuality::Good;
  std::vector<TrackInfo> tracks = {};  ///< in the order in which they were published
  bool ingress = false;                ///< sends a stream by WHIP alone, and hears nothing of the room
  friend bool operator==(const ParticipantInfo&, const ParticipantInfo&) = default;
};

struct RoomInfo {
  std::string name = {};
  bool locked = false;  ///< no guest is let in, except by a host
  bool lobby = false;   ///< guests wait until a host lets them in
  friend bool operator==(const RoomInfo&, const RoomInfo&) = default;
};

struct ChatLine {
  ParticipantSid from = {};  ///< may have left
  std::string name = {};     ///< that it had
  std::string text = {};     ///< as plainText(), at most kLongestChatText
  WallTime at = {};          ///< of the server
  friend bool operator==(const ChatLine&, const ChatLine&) = default;
};

/// Somebody who speaks.
struct Speaker {
  ParticipantSid sid = {};
  double level = 0;  ///< loudness, 0 ... 1
  friend bool operator==(const Speaker&, const Speaker&) = default;
};

/// Somebody in the lobby.
struct WaitingInfo {
  ParticipantSid sid = {};
  std::string name = {};
  friend bool operator==(const WaitingInfo&, const WaitingInfo&) = default;
};

/// How one participant wants to receive one track of another.
struct TrackSetting {
  bool enabled = true;                      ///< false: nothing of it is sent
  std::uint32_t width = 0, height = 0;      ///< the largest wanted, pixels; 0: as it is
  std::optional<periodic::Rate> rate = {};  ///< most pictures a second; absent: as it is
  TrackPriority priority = TrackPriority::Normal;
  friend bool operator==(const TrackSetting&, const TrackSetting&) = default;
};

/// How the others together want a track of pictures: its publisher need not send more.
struct TrackWanted {
  bool enabled = true;                  ///< false: nobody wants it
  std::uint32_t width = 0, height = 0;  ///< the largest that anybody wants, pixels; 0: as it is
  friend bool operator==(const TrackWanted&, const TrackWanted&) = default;
};

/// How a track of pictures reaches one of its receivers, with what was measured. Its sender says the same of
/// what it sends, with a limit of its own: its line, its computer, or none.
struct TrackDelivery {
  DeliveredPictures pictures = DeliveredPictures::Whole;
  DeliveryLimit limit = DeliveryLimit::None;  ///< None iff pictures are Whole
  /// kbit/s that the line of the limit is believed to carry, 1 ... kHighestCarried; absent: not known.
  std::optional<std::uint32_t> carried = {};
  double lost = 0;  ///< share of the packets that this line loses, 0 ... 1
  friend bool operator==(const TrackDelivery&, const TrackDelivery&) = default;
};

/// Whether `now` is to be told to somebody who knows `before`: another state or limit, or figures that differ
/// by more than a quarter (of a share lost: by 0.05). Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] bool isNews(const TrackDelivery& before, const TrackDelivery& now) noexcept;

/// An invitation as hosts see it.
struct InvitationInfo {
  InvitationSid sid = {};
  Role role = Role::Guest;
  std::string link = {};  ///< for whoever is invited; a secret
  /// Until when it lets in; absent: as long as the room exists.
  std::optional<std::chrono::seconds> expiresIn = {};
  friend bool operator==(const InvitationInfo&, const InvitationInfo&) = default;
};

}  // namespace tactus::conference
