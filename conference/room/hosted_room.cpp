// SPDX-License-Identifier: Apache-2.0
#include "conference/room/hosted_room.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "conference/room/hosted_room_state.h"
#include "conference/room/plain_text.h"

namespace tactus::conference {
namespace {

/// `name` cut to `most` bytes between characters.
std::string cutName(const std::string& name, std::size_t most) {
  std::string cut = name.substr(0, most);
  while (!isUtf8(cut)) cut.pop_back();
  return cut;
}

}  // namespace

HostedRoom::HostedRoom(HostedRoomOptions options, RandomBytes random, InvitationBook::LinkOf linkOf)
    : m_options(std::move(options)),
      m_random(std::move(random)),
      m_invitations(m_random, std::move(linkOf)),
      m_info{cutName(plainName(m_options.name), kLongestName), false, m_options.lobby} {
  assert(m_options.mostParticipants >= 1 && m_options.mostParticipants <= kMostParticipants);
}

HostedRoom::~HostedRoom() = default;

bool HostedRoom::admits(std::string_view token, TimePoint now) const {
  const InvitationSid invitation = m_invitations.find(token);
  return !invitation.empty() && (m_invitations.roleOf(invitation, now) || cameBy(invitation));
}

bool HostedRoom::cameBy(const InvitationSid& invitation) const {
  return std::any_of(m_participants.begin(), m_participants.end(),
                     [&](const auto& each) { return each->invitation == invitation; });
}

void HostedRoom::opened(ConnectionId id, std::string_view token, TimePoint) {
  m_connections[id] = std::make_unique<Connection>(Connection{
      id, m_invitations.find(token), TokenBucket(m_options.messages), TokenBucket(m_options.chatBytes)});
}

void HostedRoom::received(ConnectionId id, std::string_view json, Now now) {
  Connection* const connection = find(id);
  if (connection == nullptr) return;
  if (!connection->messages.take(now.at)) {
    const std::string sentence = "You send more than " + std::to_string(m_options.messages.perSecond) +
                                 " messages a second, so the room ends the connection.";
    complain(id, MessageFault::Flood, sentence, nullptr);
    const server::Closed word{server::CloseReason::Flood, sentence};
    if (connection->stage == ConnectionStage::Joined)
      return leave(ParticipantSid(connection->sid), LeaveReason::Flood, word);  // a copy: the connection goes
    return finish(id, word);
  }
  const auto message = parseClientMessage(json);
  if (message) return dispatch(*connection, message.value(), now);
  const ErrorCode code = message.error().code;
  const MessageFault fault = code == ErrorCode::Corrupt       ? MessageFault::Malformed
                             : code == ErrorCode::Unsupported ? MessageFault::UnknownType
                                                              : MessageFault::Invalid;
  complain(id, fault, message.error().message, nullptr);
}

void HostedRoom::dispatch(Connection& connection, const ClientMessage& message, Now now) {
  if (const auto* const ping = std::get_if<client::Ping>(&message))
    return send(connection.id, server::Pong{ping->t});
  const auto* const toJoin = std::get_if<client::Join>(&message);
  if (toJoin != nullptr && connection.stage == ConnectionStage::Opened)
    return join(connection, *toJoin, now.at);
  if (toJoin != nullptr)
    return complain(connection.id, MessageFault::OutOfPlace, "You have joined already.", &message);
  if (connection.stage != ConnectionStage::Joined) {
    if (std::holds_alternative<client::Leave>(message))
      return finish(connection.id, server::Closed{server::CloseReason::Left, "You left."});
    return complain(connection.id, MessageFault::OutOfPlace, "You are not in the room yet.", &message);
  }
  Participant& who = *find(connection.sid);
  const bool moderates =
      std::visit([](const auto& each) { return client::kForHosts<decltype(each)>; }, message);
  if (moderates && who.info.role != Role::Host)
    return complain(who, MessageFault::Forbidden, "Only hosts of the room may do this.", message);
  std::visit(
      [&](const auto& each) {
        using Type = std::remove_cvref_t<decltype(each)>;
        if constexpr (!std::is_same_v<Type, client::Ping> && !std::is_same_v<Type, client::Join>)
          on(who, each, now);
      },
      message);
}

void HostedRoom::join(Connection& connection, const client::Join& join, TimePoint now) {
  if (resume(connection, join, now)) return;
  if (join.resume && std::find(m_removed.begin(), m_removed.end(), *join.resume) != m_removed.end())
    return finish(connection.id,
                  server::Refused{RefusalReason::Removed, "A host removed you from the room."});
  const auto role = m_invitations.roleOf(connection.invitation, now);
  if (auto refused = refusalOf(role, join.name)) return finish(connection.id, std::move(*refused));
  if (*role == Role::Guest && m_info.lobby) return wait(connection, join);
  if (auto refused = refusalIfFull()) return finish(connection.id, std::move(*refused));
  enter(connection, join.name, *role);
}

/// Why somebody with an invitation of this role (absent: with none) is not let in, not even into the lobby.
std::optional<server::Refused> HostedRoom::refusalOf(std::optional<Role> invited,
                                                     const std::string& name) const {
  if (!invited)
    return server::Refused{RefusalReason::Expired,
                           "The invitation is not valid any more; ask for a new one."};
  if (name.empty()) return server::Refused{RefusalReason::Name, "The name is empty; give one."};
  if (*invited == Role::Guest && m_info.locked)
    return server::Refused{RefusalReason::Locked, "The room is locked: no one is let in at present."};
  return std::nullopt;
}

std::optional<server::Refused> HostedRoom::refusalIfFull() const {
  if (m_participants.size() < m_options.mostParticipants) return std::nullopt;
  return server::Refused{
      RefusalReason::Full,
      "The room is full: it has " + std::to_string(m_options.mostParticipants) + " participants."};
}

bool HostedRoom::resume(Connection& connection, const client::Join& join, TimePoint) {
  const auto sid = join.resume ? participantOf(*join.resume) : std::nullopt;
  if (!sid) return false;
  Participant& who = *find(*sid);
  if (const auto old = std::exchange(who.connection, std::nullopt))
    finish(*old, server::Closed{server::CloseReason::Resumed, "You are here on another connection."});
  setQuality(who, who.reported);
  attach(connection, who);
  return true;
}

void HostedRoom::wait(Connection& connection, const client::Join& join) {
  if (waiting().size() >= m_options.mostWaiting)
    return finish(connection.id, server::Refused{RefusalReason::Full, "Too many wait for the room already."});
  connection.stage = ConnectionStage::Waiting;
  connection.sid = *ParticipantSid::parse("PA_" + randomText(m_random, 9));
  connection.name = join.name;
  send(connection.id, server::Waiting{});
  tellWaitingList();
}

void HostedRoom::enter(Connection& connection, const std::string& name, Role role) {
  Participant& who = add(name, role, connection.invitation);
  who.session = *SessionKey::parse(randomText(m_random, 24));
  attach(connection, who);
  sendToAll(server::ParticipantJoined{who.info}, &who);
  m_news.push_back(server::ParticipantJoined{who.info});
  tellAllWanted();
}

/// Nobody has heard of it yet.
HostedRoom::Participant& HostedRoom::add(const std::string& name, Role role,
                                         const InvitationSid& invitation) {
  const std::string sid = "PA_" + randomText(m_random, 9);
  auto made = std::make_unique<Participant>();
  made->info = {*ParticipantSid::parse(sid), uniqueName(name), role, false, ConnectionQuality::Good, {}};
  made->invitation = invitation;
  m_participants.push_back(std::move(made));
  return *m_participants.back();
}

/// The connection speaks for the participant from now on, and hears all of the room.
void HostedRoom::attach(Connection& connection, Participant& participant) {
  connection.stage = ConnectionStage::Joined;
  connection.sid = participant.info.sid;
  participant.connection = connection.id;
  RoomView view = viewOf(participant);
  send(connection.id, server::Joined{kRoomProtocolVersion, participant.session, view.room, view.you,
                                     std::move(view.others), std::move(view.chat)});
  if (!view.speakers.empty()) send(connection.id, server::Speakers{std::move(view.speakers)});
  if (!view.waiting.empty()) send(connection.id, server::WaitingList{std::move(view.waiting)});
  tellWantedAgain(participant);
  forgetDeliveries(participant);
}

void HostedRoom::closed(ConnectionId id, TimePoint now) {
  const Connection* const connection = find(id);
  if (connection == nullptr) return;
  const ConnectionStage stage = connection->stage;
  Participant* const who = stage == ConnectionStage::Joined ? find(connection->sid) : nullptr;
  m_connections.erase(id);
  if (stage == ConnectionStage::Waiting) tellWaitingList();
  if (who == nullptr) return;
  who->connection.reset();
  who->lostAt = now;
  setQuality(*who, ConnectionQuality::Lost);
}

void HostedRoom::leave(const ParticipantSid& sid, LeaveReason reason, const server::Closed& word) {
  const auto at = std::find_if(m_participants.begin(), m_participants.end(),
                               [&](const auto& each) { return each->info.sid == sid; });
  const std::unique_ptr<Participant> who = std::move(*at);
  m_participants.erase(at);
  m_speakers.remove(sid);
  for (const TrackInfo& track : who->info.tracks) {
    for (const auto& each : m_participants) each->settings.erase(track.sid);
    forgetDeliveries(track.sid);
  }
  if (reason == LeaveReason::Removed) bar(*who);
  if (who->connection) finish(*who->connection, word);
  sendToAll(server::ParticipantLeft{sid, reason});
  m_news.push_back(server::ParticipantLeft{sid, reason});
  tellAllWanted();
}

void HostedRoom::tick(TimePoint now) {
  std::vector<ParticipantSid> over;
  for (const auto& each : m_participants)
    if (each->isLost() && now >= each->lostAt + m_options.resume) over.push_back(each->info.sid);
  for (const ParticipantSid& sid : over) leave(sid, LeaveReason::Lost, {});
  m_invitations.forget(now, [this](const InvitationSid& sid) { return cameBy(sid); });
  if (auto speakers = m_speakers.update(now)) sendToAll(server::Speakers{std::move(*speakers)});
}

void HostedRoom::end(const std::string& message) {
  for (const auto& each : m_participants)
    m_news.push_back(server::ParticipantLeft{each->info.sid, LeaveReason::Left});
  m_participants.clear();
  while (!m_connections.empty())
    finish(m_connections.begin()->first, server::Closed{server::CloseReason::RoomEnds, message});
}

Result<InvitationInfo> HostedRoom::invite(Role role, std::optional<std::chrono::seconds> life,
                                          TimePoint now) {
  return m_invitations.add(role, life, now);
}

std::string HostedRoom::uniqueName(const std::string& name) const {
  const auto taken = [&](const std::string& wanted) {
    return std::any_of(m_participants.begin(), m_participants.end(),
                       [&](const auto& each) { return each->info.name == wanted; });
  };
  std::string unique = cutName(name, kLongestName);
  for (int i = 2; taken(unique); ++i) {
    const std::string suffix = " (" + std::to_string(i) + ")";
    unique = cutName(name, kLongestName - suffix.size()) + suffix;
  }
  return unique;
}

}  // namespace tactus::conference
