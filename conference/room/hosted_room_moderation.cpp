// SPDX-License-Identifier: Apache-2.0
// What hosts of a hosted room do.
#include <algorithm>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_state.h"

namespace tactus::conference {
namespace {

constexpr const char* kNobodyWaits = "Nobody of this identifier waits in the lobby.";

}  // namespace

void HostedRoom::on(Participant& host, const client::Admit& admit, Now) {
  Connection* const connection = findWaiting(admit.sid);
  if (connection == nullptr) return complain(host, MessageFault::NotFound, kNobodyWaits, admit);
  if (m_participants.size() >= m_options.mostParticipants)
    return complain(host, MessageFault::TooMany, "The room is full, so nobody can be let in.", admit);
  enter(*connection, connection->name, Role::Guest);
  tellWaitingList();
}

void HostedRoom::on(Participant& host, const client::Deny& deny, Now) {
  const Connection* const connection = findWaiting(deny.sid);
  if (connection == nullptr) return complain(host, MessageFault::NotFound, kNobodyWaits, deny);
  finish(connection->id, server::Refused{RefusalReason::Removed, "A host of the room did not let you in."});
}

void HostedRoom::on(Participant& host, const client::Remove& remove, Now) {
  if (find(remove.sid) == nullptr)
    return complain(host, MessageFault::NotFound, "Nobody of this identifier is in the room.", remove);
  leave(remove.sid, LeaveReason::Removed,
        {server::CloseReason::Removed, "A host removed you from the room."});
}

void HostedRoom::on(Participant& host, const client::MuteParticipant& mute, Now) {
  Participant* const who = find(mute.sid);
  TrackInfo* const track = who == nullptr ? nullptr : trackOf(who->info, mute.track);
  if (track == nullptr)
    return complain(host, MessageFault::NotFound, "Nobody of this identifier publishes such a track.", mute);
  if (!mute.muted && !who->info.ingress)
    return complain(host, MessageFault::Forbidden, "Only who publishes a track can unmute it.", mute);
  if (track->muted == mute.muted) return;
  if (mute.muted) send(*who, server::MutedByHost{track->sid});
  setMuted(*who, *track, mute.muted);
}

void HostedRoom::on(Participant&, const client::Lock& lock, Now now) {
  RoomInfo info = m_info;
  info.locked = lock.locked;
  updateRoom(info, now.at);
}

void HostedRoom::on(Participant&, const client::Lobby& lobby, Now now) {
  RoomInfo info = m_info;
  info.lobby = lobby.on;
  updateRoom(info, now.at);
}

void HostedRoom::updateRoom(const RoomInfo& info, TimePoint now) {
  if (info == m_info) return;
  m_info = info;
  sendToAll(server::RoomUpdated{m_info});
  if (!m_info.locked && !m_info.lobby) letInWhoWaits(now);
}

/// Nobody waits in a room that is open.
void HostedRoom::letInWhoWaits(TimePoint) {
  for (const WaitingInfo& each : waiting()) {
    Connection& connection = *findWaiting(each.sid);
    if (m_participants.size() >= m_options.mostParticipants) {
      finish(connection.id, server::Refused{RefusalReason::Full, "The room is full."});
    } else {
      enter(connection, connection.name, Role::Guest);
      tellWaitingList();
    }
  }
}

void HostedRoom::on(Participant& host, const client::Invite& invite, Now now) {
  const auto invitation = m_invitations.add(invite.role, invite.expiresIn, now.at);
  if (!invitation) return complain(host, MessageFault::TooMany, invitation.error().message, invite);
  send(host, server::Invitation{invitation.value()});
}

void HostedRoom::on(Participant& host, const client::Revoke& revoke, Now now) {
  if (!m_invitations.revoke(revoke.sid, now.at))
    return complain(host, MessageFault::NotFound, "There is no such invitation.", revoke);
  std::vector<ConnectionId> refused;
  for (const auto& [id, connection] : m_connections)
    if (connection->stage == ConnectionStage::Waiting && connection->invitation == revoke.sid)
      refused.push_back(id);
  for (const ConnectionId id : refused)
    finish(id, server::Refused{RefusalReason::Expired,
                               "The invitation is not valid any more; ask for a new one."});
  send(host, server::Invitations{m_invitations.list(now.at)});
}

void HostedRoom::on(Participant& host, const client::Invitations&, Now now) {
  send(host, server::Invitations{m_invitations.list(now.at)});
}

}  // namespace tactus::conference
