// SPDX-License-Identifier: Apache-2.0
// Participants of a hosted room who have no connection, and who may not come back.
#include <algorithm>
#include <cassert>
#include <utility>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_state.h"

namespace tactus::conference {
namespace {

constexpr std::size_t kMostRemoved = 64;

/// The newest are kept.
template <typename Each>
void keep(std::vector<Each>& removed, Each one) {
  removed.push_back(std::move(one));
  if (removed.size() > kMostRemoved) removed.erase(removed.begin());
}

}  // namespace

std::variant<ParticipantSid, server::Refused> HostedRoom::beginIngress(
    std::string_view token, const std::string& name, const std::vector<TrackSource>& sources, TimePoint now) {
  assert(sources.size() <= kMostTracks);
  const InvitationSid invitation = m_invitations.find(token);
  const auto role = m_invitations.roleOf(invitation, now);
  if (auto refused = refusalOf(role, name)) return std::move(*refused);
  // Programs that stream try again by themselves when their connection ends.
  if (const RemovedIngress same{invitation, name};
      std::find(m_removedIngresses.begin(), m_removedIngresses.end(), same) != m_removedIngresses.end())
    return server::Refused{RefusalReason::Removed,
                           "A host removed the stream of this name from the room; it may come back under "
                           "another name, or with another link."};
  if (*role == Role::Guest && m_info.lobby)
    return server::Refused{RefusalReason::Removed,
                           "The room has a lobby, in which a stream cannot wait: a host can switch the lobby "
                           "off, or give a link for hosts."};
  if (auto refused = refusalIfFull()) return std::move(*refused);
  Participant& who = add(name, Role::Guest, invitation);
  who.ingress = name;
  who.info.ingress = true;
  const server::ParticipantJoined joined{who.info};
  sendToAll(joined);
  m_news.push_back(joined);
  for (const TrackSource source : sources)
    addTrack(who, {*TrackSid::parse("TR_" + randomText(m_random, 9)), {source}, false});
  return who.info.sid;
}

void HostedRoom::endIngress(const ParticipantSid& sid, LeaveReason reason) {
  const Participant* const who = find(sid);
  if (who != nullptr && who->ingress) leave(ParticipantSid(sid), reason, {});
}

/// It is not let in again as what it was: with its session or, without one, by its name.
void HostedRoom::bar(const Participant& removed) {
  if (removed.ingress) return keep(m_removedIngresses, {removed.invitation, *removed.ingress});
  keep(m_removed, removed.session);
}

}  // namespace tactus::conference
