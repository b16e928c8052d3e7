// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "conference/room/room_facts.h"
#include "conference/room/room_view.h"

namespace tactus::conference {

/// Where a participant's stay in a room stands.
///
///     Idle -> Joining -> (Waiting ->) Joined <-> Reconnecting;  from each but Idle -> Ended, which is final
enum class RoomPhase : std::uint8_t {
  Idle,          ///< join() has not been called
  Joining,       ///< on the way in
  Waiting,       ///< in the lobby
  Joined,        ///< in the room
  Reconnecting,  ///< the connection broke; the participant still is in the room
  Ended,
};

/// Why a stay ended.
enum class RoomEndReason : std::uint8_t {
  Left,         ///< leave()
  Refused,      ///< not let in: `refusal` says why
  Removed,      ///< by a host
  Flood,        ///< more was sent than a participant may
  RoomEnds,     ///< the room is over, or its host is gone
  Unreachable,  ///< no network, or nobody answers there
  NotFound,     ///< the link leads to no room: it is wrong, or not valid any more
  Impostor,     ///< whoever answers is not the host that the link names
  Unsupported,  ///< the server speaks another protocol, or another version of it
  Elsewhere,    ///< the same stay goes on over another connection
};

/// The last that is heard of a stay.
struct RoomEnd {
  RoomEndReason reason = RoomEndReason::Left;
  std::optional<RefusalReason> refusal = {};  ///< of Refused
  std::string sentence = {};                  ///< for people
};

/// Something that was asked for had no effect.
struct RoomFault {
  std::string sentence = {};            ///< for people
  std::optional<std::string> cid = {};  ///< of a track that was to be published
};

/// What a participant is told. Calls come in order, one at a time, on a thread of the room, which they must
/// not keep waiting; no lock is held, so each may call the room. What concerns participants is told of
/// oneself as well. Each call has the whole fact; `view()` of the room already has it, too.
class RoomListener {
 public:
  virtual ~RoomListener() = default;
  /// Not with Ended: that is ended().
  virtual void phaseChanged(RoomPhase) {}
  /// In the room, at first and after each Reconnecting: all that is known. What was missed meanwhile is in it
  /// and is not told otherwise.
  virtual void joined(const RoomView&) {}
  virtual void ended(const RoomEnd&) {}
  virtual void failed(const RoomFault&) {}

  virtual void roomChanged(const RoomInfo&) {}
  virtual void participantJoined(const ParticipantInfo&) {}
  /// Hand or quality.
  virtual void participantChanged(const ParticipantInfo&) {}
  /// As it was at last; its tracks go with it.
  virtual void participantLeft(const ParticipantInfo&, LeaveReason) {}
  /// Also of oneself: then `cid` is that of publish().
  virtual void trackPublished(const ParticipantInfo&, const TrackInfo&, const std::optional<std::string>&) {}
  /// Muted or not; `byHost`: a host muted a track of one's own.
  virtual void trackChanged(const ParticipantInfo&, const TrackInfo&, bool /*byHost*/) {}
  virtual void trackUnpublished(const ParticipantInfo&, const TrackInfo&) {}
  /// How the others together want a track of pictures of one's own. A new track is wanted as it is
  /// (TrackWanted{}), and so is each after joined(), until this says otherwise.
  virtual void trackWanted(const TrackSid&, const TrackWanted&) {}
  /// How a track of pictures of another reaches oneself. After joined(), and of a new track, it is
  /// TrackDelivery{} until this says otherwise.
  virtual void trackDelivered(const TrackSid&, const TrackDelivery&) {}
  virtual void chat(const ChatLine&) {}
  virtual void speakersChanged(const std::vector<Speaker>&) {}

  // Of hosts.
  virtual void waitingChanged(const std::vector<WaitingInfo>&) {}
  /// The answer to invite().
  virtual void invited(const InvitationInfo&) {}
  /// The answer to listInvitations() and to revoke().
  virtual void invitationsListed(const std::vector<InvitationInfo>&) {}
};

/// A participant's stay in a room, whoever's server it is. Nothing waits: what is asked for is sent, and its
/// effect is told to the listener, or failed() is. What is asked for while there is no connection is not
/// kept: failed(). Thread-safe: yes. Real-time-safe: no. The destructor ends the stay as leave() does and is
/// not to be called by the listener; when it returns, the listener is not called any more.
class Room {
 public:
  virtual ~Room() = default;

  /// Once. The room may make the name unique: `view().you` has it.
  virtual void join(const std::string& name) = 0;
  virtual void leave() = 0;

  /// `cid`: the caller's own name of the track, 1 to 128 printable characters of ASCII.
  virtual void publish(const std::string& cid, const TrackDescription& description, bool muted) = 0;
  virtual void unpublish(const TrackSid& sid) = 0;
  virtual void mute(const TrackSid& sid, bool muted) = 0;
  /// How a track of another is to be received. It holds as long as the track does.
  virtual void set(const TrackSid& sid, const TrackSetting& setting) = 0;
  /// What of a track of pictures of one's own is sent, and what limits it: None, SenderLine, SenderComputer.
  virtual void tellSending(const TrackSid& sid, const TrackDelivery& sending) = 0;
  /// 1 to kLongestChatText bytes of UTF-8.
  virtual void say(const std::string& text) = 0;
  virtual void raiseHand(bool raised) = 0;
  /// How loud one's microphone is, 0 to 1. At most five a second are passed on, the newest each.
  virtual void reportLevel(double level) = 0;
  /// Not Lost.
  virtual void reportQuality(ConnectionQuality quality) = 0;

  // For hosts; else failed().
  virtual void admit(const ParticipantSid& sid) = 0;
  virtual void deny(const ParticipantSid& sid) = 0;
  virtual void remove(const ParticipantSid& sid) = 0;
  /// `muted` false: of an ingress alone, which cannot do it itself; others unmute their own tracks.
  virtual void muteParticipant(const ParticipantSid& sid, const TrackSid& track, bool muted) = 0;
  virtual void lock(bool locked) = 0;
  virtual void setLobby(bool on) = 0;
  /// 1 s to a year; absent: as long as the room exists.
  virtual void invite(Role role, std::optional<std::chrono::seconds> life) = 0;
  virtual void revoke(const InvitationSid& sid) = 0;
  virtual void listInvitations() = 0;

  [[nodiscard]] virtual RoomPhase phase() const = 0;
  /// All that is known; of a stay that ended, what was known at last.
  [[nodiscard]] virtual RoomView view() const = 0;
};

}  // namespace tactus::conference
