// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "conference/room/client_message.h"
#include "conference/room/room.h"
#include "conference/room/session_key.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// When a participant takes its host for gone, and how it tries again. Plain data.
struct RoomPatience {
  periodic::Duration ping = std::chrono::seconds(5);      ///< between pings
  periodic::Duration silence = std::chrono::seconds(15);  ///< without a word: the connection is broken
  /// The first and the longest wait between tries to come back; it doubles.
  periodic::Duration shortestWait = std::chrono::milliseconds(250), longestWait = std::chrono::seconds(4);
  periodic::Duration giveUp = std::chrono::seconds(30);   ///< after the connection broke, as the host does
  periodic::Duration connect = std::chrono::seconds(10);  ///< for one try, up to the open WebSocket
};

/// A stay in a room that another Tactus hosts (docs/room-protocol.md), on a thread of its own. A connection
/// that breaks is made anew, and the stay goes on. Thread-safe: yes. Real-time-safe: no.
class EmbeddedRoom final : public Room {
 public:
  /// The listener outlives the room. InvalidArgument: `link` is no link to a room, or has no fingerprint.
  [[nodiscard]] static Result<std::unique_ptr<EmbeddedRoom>> create(std::string_view link,
                                                                    RoomListener& listener,
                                                                    const RoomPatience& patience = {});
  ~EmbeddedRoom() override;

  void join(const std::string& name) override;
  void leave() override;
  void publish(const std::string& cid, const TrackDescription& description, bool muted) override;
  void unpublish(const TrackSid& sid) override;
  void mute(const TrackSid& sid, bool muted) override;
  void set(const TrackSid& sid, const TrackSetting& setting) override;
  void tellSending(const TrackSid& sid, const TrackDelivery& sending) override;
  void say(const std::string& text) override;
  void raiseHand(bool raised) override;
  void reportLevel(double level) override;
  void reportQuality(ConnectionQuality quality) override;
  void admit(const ParticipantSid& sid) override;
  void deny(const ParticipantSid& sid) override;
  void remove(const ParticipantSid& sid) override;
  void muteParticipant(const ParticipantSid& sid, const TrackSid& track, bool muted) override;
  void lock(bool locked) override;
  void setLobby(bool on) override;
  void invite(Role role, std::optional<std::chrono::seconds> life) override;
  void revoke(const InvitationSid& sid) override;
  void listInvitations() override;
  [[nodiscard]] RoomPhase phase() const override;
  [[nodiscard]] RoomView view() const override;

  /// The secret that speaks for this participant beside the connection: the bearer of WHIP and WHEP. Absent
  /// before it has joined.
  [[nodiscard]] std::optional<SessionKey> session() const;

 private:
  class Inside;
  explicit EmbeddedRoom(std::unique_ptr<Inside> inside);
  void request(ClientMessage message);

  const std::unique_ptr<Inside> m_inside;
};

}  // namespace tactus::conference
