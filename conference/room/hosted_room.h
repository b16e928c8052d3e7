// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "conference/room/active_speakers.h"
#include "conference/room/chat_history.h"
#include "conference/room/client_message.h"
#include "conference/room/connection_id.h"
#include "conference/room/invitation_book.h"
#include "conference/room/picture_delivery.h"
#include "conference/room/random_text.h"
#include "conference/room/room_facts.h"
#include "conference/room/room_view.h"
#include "conference/room/server_message.h"
#include "conference/room/token_bucket.h"
#include "core/periodic/time/time.h"

namespace tactus::conference {

/// What a room grants. Plain data.
struct HostedRoomOptions {
  std::string name = "Room";                             ///< as plainName(), at most kLongestName bytes
  std::size_t mostParticipants = 8;                      ///< 1 ... kMostParticipants; who is lost counts
  std::size_t mostWaiting = 32;                          ///< in the lobby
  bool lobby = false;                                    ///< at first
  Budget messages = {100, 20};                           ///< of one connection; more: it is closed
  Budget chatBytes = {16'384, 2'048};                    ///< of one connection; more: the line is refused
  periodic::Duration resume = std::chrono::seconds(30);  ///< a participant stays after its connection broke
};

/// One message of the room to a connection, in order.
struct Outgoing {
  ConnectionId to = {};
  ServerMessage message = {};
  bool close = false;  ///< the connection is closed after it; the room knows it no more
  friend bool operator==(const Outgoing&, const Outgoing&) = default;
};

/// How somebody wants to receive a track from now on.
struct SettingChanged {
  ParticipantSid receiver = {};
  TrackSid track = {};
  TrackSetting setting = {};
  friend bool operator==(const SettingChanged&, const SettingChanged&) = default;
};

/// What the publisher of a track of pictures sends of it from now on, by its own word.
struct SendingChanged {
  TrackSid track = {};
  TrackDelivery sending = {};
  friend bool operator==(const SendingChanged&, const SendingChanged&) = default;
};

/// What changed in the room, for whoever carries its media or shows it to its owner.
using RoomNews = std::variant<server::ParticipantJoined, server::ParticipantLeft, server::TrackPublished,
                              server::TrackUnpublished, server::TrackMuted, server::Quality,
                              server::WaitingList, SettingChanged, SendingChanged>;

/// The room that a program hosts: who is in it, what they publish and say, and what each may do. It has no
/// clock, no thread and no socket: connections come and go, say messages, and what is to be sent to them is
/// in the outbox. Nobody speaks for another; only hosts moderate; who waits in the lobby is told nothing of
/// the room. What leaves for one connection is bounded by what the others may say: `messages` of each of
/// them, which are small but for chat (`chatBytes`). Thread-safe: no. Real-time-safe: no (allocates).
class HostedRoom {
 public:
  /// The two clocks: one that only goes forward, for all decisions, and the calendar's, for chat.
  struct Now {
    periodic::TimePoint at = {};
    WallTime wall = {};
  };

  HostedRoom(HostedRoomOptions options, RandomBytes random, InvitationBook::LinkOf linkOf);
  ~HostedRoom();
  HostedRoom(const HostedRoom&) = delete;
  HostedRoom& operator=(const HostedRoom&) = delete;

  /// Whether a connection with this token may come: its invitation lets in, or somebody came by it who is
  /// still in the room and may have to come back. Takes as long whichever token is given, if it is none.
  [[nodiscard]] bool admits(std::string_view token, periodic::TimePoint now) const;
  /// A connection that admits() let in.
  void opened(ConnectionId id, std::string_view token, periodic::TimePoint now);
  /// A message of a client. Of connections that the room does not know nothing is heard.
  void received(ConnectionId id, std::string_view json, Now now);
  /// The connection broke. A participant is lost at first, and may come back.
  void closed(ConnectionId id, periodic::TimePoint now);
  /// A participant without a connection, which publishes a track of each of these sources and is in the room
  /// until endIngress(): whoever sends by WHIP alone. It is let in, or refused, as a client that joins with
  /// this token and name is, and is a guest, whichever token it has; but it cannot wait in the lobby, and
  /// with an invitation by which a host removed an ingress of this name none of this name comes any more.
  [[nodiscard]] std::variant<ParticipantSid, server::Refused> beginIngress(
      std::string_view token, const std::string& name, const std::vector<TrackSource>& sources,
      periodic::TimePoint now);
  /// It may have left the room already. `reason`: Left or Lost.
  void endIngress(const ParticipantSid& sid, LeaveReason reason);
  /// What happens by time alone: speakers, the end of what is lost. To be called a few times a second.
  void tick(periodic::TimePoint now);
  /// How pictures reach their receivers now: each of these is told what it has not been told yet since it
  /// joined. To be called a few times a second; those of nobody in the room are passed over.
  void deliver(std::span<const PictureDelivery> deliveries);
  /// Closes all connections, with `message` for people. Nobody is in the room afterwards.
  void end(const std::string& message);

  /// For the owner of the room. Refused: as InvitationBook::add().
  [[nodiscard]] Result<InvitationInfo> invite(Role role, std::optional<std::chrono::seconds> life,
                                              periodic::TimePoint now);

  /// What has been said since the last call, in order.
  [[nodiscard]] std::vector<Outgoing> takeOutbox();
  /// What has changed since the last call, in order.
  [[nodiscard]] std::vector<RoomNews> takeNews();

  /// What everybody may know, as participant `sid` sees it; nullopt: it is not in the room.
  [[nodiscard]] std::optional<RoomView> viewOf(const ParticipantSid& sid) const;
  [[nodiscard]] const RoomInfo& room() const noexcept { return m_info; }
  /// In the order in which they came.
  [[nodiscard]] std::vector<ParticipantInfo> participants() const;
  /// Whose session it is; nullopt: nobody's. For resources beside the connection (WHIP, WHEP).
  [[nodiscard]] std::optional<ParticipantSid> participantOf(const SessionKey& session) const;
  /// How `receiver` wants to receive a track.
  [[nodiscard]] TrackSetting settingOf(const ParticipantSid& receiver, const TrackSid& track) const;

 private:
  struct Connection;
  struct Participant;
  struct RemovedIngress {
    InvitationSid invitation;
    std::string name;  // that it asked for
    friend bool operator==(const RemovedIngress&, const RemovedIngress&) = default;
  };
  using TimePoint = periodic::TimePoint;

  // What a connection may do before it has joined.
  void dispatch(Connection& connection, const ClientMessage& message, Now now);
  void join(Connection& connection, const client::Join& join, TimePoint now);
  bool resume(Connection& connection, const client::Join& join, TimePoint now);
  void wait(Connection& connection, const client::Join& join);
  void enter(Connection& connection, const std::string& name, Role role);
  Participant& add(const std::string& name, Role role, const InvitationSid& invitation);
  void attach(Connection& connection, Participant& participant);

  // What a participant may do.
  void on(Participant& who, const client::Leave& leave, Now now);
  void on(Participant& who, const client::Publish& publish, Now now);
  void on(Participant& who, const client::Unpublish& unpublish, Now now);
  void on(Participant& who, const client::Mute& mute, Now now);
  void on(Participant& who, const client::SetTrack& track, Now now);
  void on(Participant& who, const client::Chat& chat, Now now);
  void on(Participant& who, const client::Hand& hand, Now now);
  void on(Participant& who, const client::Level& level, Now now);
  void on(Participant& who, const client::Quality& quality, Now now);
  void on(Participant& who, const client::Sending& sending, Now now);

  // What a host may do.
  void on(Participant& host, const client::Admit& admit, Now now);
  void on(Participant& host, const client::Deny& deny, Now now);
  void on(Participant& host, const client::Remove& remove, Now now);
  void on(Participant& host, const client::MuteParticipant& mute, Now now);
  void on(Participant& host, const client::Lock& lock, Now now);
  void on(Participant& host, const client::Lobby& lobby, Now now);
  void on(Participant& host, const client::Invite& invite, Now now);
  void on(Participant& host, const client::Revoke& revoke, Now now);
  void on(Participant& host, const client::Invitations& invitations, Now now);

  void leave(const ParticipantSid& sid, LeaveReason reason, const server::Closed& word);
  void bar(const Participant& removed);
  void addTrack(Participant& who, const TrackInfo& track);
  void setMuted(Participant& owner, TrackInfo& track, bool muted);
  void setQuality(Participant& who, ConnectionQuality quality);
  void letInWhoWaits(TimePoint now);
  void updateRoom(const RoomInfo& info, TimePoint now);
  void tellWaitingList();
  void tellWanted(Participant& publisher);
  void tellAllWanted();
  void tellWantedAgain(const Participant& publisher);
  void forgetDeliveries(Participant& who);
  void forgetDeliveries(const TrackSid& track);

  [[nodiscard]] Connection* find(ConnectionId id);
  [[nodiscard]] Connection* findWaiting(const ParticipantSid& sid);
  [[nodiscard]] Participant* find(const ParticipantSid& sid) const;
  [[nodiscard]] bool cameBy(const InvitationSid& invitation) const;
  [[nodiscard]] std::optional<server::Refused> refusalOf(std::optional<Role> invited,
                                                         const std::string& name) const;
  [[nodiscard]] std::optional<server::Refused> refusalIfFull() const;
  [[nodiscard]] std::vector<WaitingInfo> waiting() const;
  [[nodiscard]] std::string uniqueName(const std::string& name) const;
  [[nodiscard]] static const TrackInfo* newestTrack(const Participant& publisher, TrackSource source);
  [[nodiscard]] RoomView viewOf(const Participant& who) const;
  [[nodiscard]] std::optional<TrackWanted> wantedOf(const Participant& publisher,
                                                    const TrackSid& track) const;

  void send(ConnectionId to, ServerMessage message) { m_outbox.push_back({to, std::move(message)}); }
  void send(const Participant& to, ServerMessage message);
  void sendToAll(const ServerMessage& message, const Participant* but = nullptr);
  void finish(ConnectionId to, ServerMessage lastWord);
  void complain(ConnectionId to, MessageFault code, std::string sentence, const ClientMessage* about);
  void complain(const Participant& to, MessageFault code, std::string sentence, const ClientMessage& about);

  const HostedRoomOptions m_options;
  const RandomBytes m_random;
  InvitationBook m_invitations;
  RoomInfo m_info;
  std::map<ConnectionId, std::unique_ptr<Connection>> m_connections;
  std::vector<std::unique_ptr<Participant>> m_participants;  // in the order in which they came
  std::vector<SessionKey> m_removed;                         // of the newest that a host removed
  std::vector<RemovedIngress> m_removedIngresses;            // the newest
  ChatHistory m_chat;
  ActiveSpeakers m_speakers;
  std::vector<Outgoing> m_outbox;
  std::vector<RoomNews> m_news;
};

}  // namespace tactus::conference
