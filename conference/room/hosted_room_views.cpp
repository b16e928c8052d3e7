// SPDX-License-Identifier: Apache-2.0
// What is known of a hosted room, and how it is told.
#include <algorithm>

#include "conference/room/hosted_room.h"
#include "conference/room/hosted_room_state.h"

namespace tactus::conference {

std::vector<Outgoing> HostedRoom::takeOutbox() {
  return std::exchange(m_outbox, {});
}

std::vector<RoomNews> HostedRoom::takeNews() {
  return std::exchange(m_news, {});
}

RoomView HostedRoom::viewOf(const Participant& who) const {
  RoomView view{m_info, who.info, {}, m_chat.lines(), m_speakers.list(), {}};
  for (const auto& each : m_participants)
    if (each.get() != &who) view.others.push_back(each->info);
  if (who.info.role == Role::Host) view.waiting = waiting();
  return view;
}

std::optional<RoomView> HostedRoom::viewOf(const ParticipantSid& sid) const {
  const Participant* const who = find(sid);
  return who == nullptr ? std::nullopt : std::optional(viewOf(*who));
}

std::vector<ParticipantInfo> HostedRoom::participants() const {
  std::vector<ParticipantInfo> all;
  for (const auto& each : m_participants) all.push_back(each->info);
  return all;
}

std::optional<ParticipantSid> HostedRoom::participantOf(const SessionKey& session) const {
  std::optional<ParticipantSid> found;
  for (const auto& each : m_participants)
    if (each->session == session) found = each->info.sid;
  return found;
}

TrackSetting HostedRoom::settingOf(const ParticipantSid& receiver, const TrackSid& track) const {
  const Participant* const who = find(receiver);
  if (who == nullptr) return {};
  const auto found = who->settings.find(track);
  return found == who->settings.end() ? TrackSetting{} : found->second;
}

std::vector<WaitingInfo> HostedRoom::waiting() const {
  std::vector<WaitingInfo> all;
  for (const auto& [id, connection] : m_connections)
    if (connection->stage == ConnectionStage::Waiting) all.push_back({connection->sid, connection->name});
  return all;
}

HostedRoom::Connection* HostedRoom::find(ConnectionId id) {
  const auto found = m_connections.find(id);
  return found == m_connections.end() ? nullptr : found->second.get();
}

HostedRoom::Connection* HostedRoom::findWaiting(const ParticipantSid& sid) {
  for (const auto& [id, connection] : m_connections)
    if (connection->stage == ConnectionStage::Waiting && connection->sid == sid) return connection.get();
  return nullptr;
}

HostedRoom::Participant* HostedRoom::find(const ParticipantSid& sid) const {
  for (const auto& each : m_participants)
    if (each->info.sid == sid) return each.get();
  return nullptr;
}

void HostedRoom::send(const Participant& to, ServerMessage message) {
  if (to.connection) send(*to.connection, std::move(message));
}

void HostedRoom::sendToAll(const ServerMessage& message, const Participant* but) {
  for (const auto& each : m_participants)
    if (each.get() != but) send(*each, message);
}

void HostedRoom::finish(ConnectionId to, ServerMessage lastWord) {
  const bool waited = find(to)->stage == ConnectionStage::Waiting;
  m_connections.erase(to);
  m_outbox.push_back({to, std::move(lastWord), true});
  if (waited) tellWaitingList();
}

void HostedRoom::complain(ConnectionId to, MessageFault code, std::string sentence,
                          const ClientMessage* about) {
  server::Error error{code, std::move(sentence), {}, {}};
  if (about != nullptr) error.about = std::string(typeOf(*about));
  if (about != nullptr && std::holds_alternative<client::Publish>(*about))
    error.cid = std::get<client::Publish>(*about).cid;
  send(to, std::move(error));
}

void HostedRoom::complain(const Participant& to, MessageFault code, std::string sentence,
                          const ClientMessage& about) {
  if (to.connection) complain(*to.connection, code, std::move(sentence), &about);
}

void HostedRoom::tellWaitingList() {
  const server::WaitingList list{waiting()};
  for (const auto& each : m_participants)
    if (each->info.role == Role::Host) send(*each, list);
  m_news.push_back(list);
}

}  // namespace tactus::conference
