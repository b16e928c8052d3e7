// SPDX-License-Identifier: Apache-2.0
#include "conference/room_host.h"

#include <future>
#include <utility>

#include "conference/door/room_link.h"
#include "conference/page_files.h"

namespace tactus::conference {
namespace {

periodic::TimePoint now() {
  return periodic::MonotonicClock::now();
}

WallTime calendar() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::system_clock::now());
}

}  // namespace

RoomHost::RoomHost(const Options& options, std::string fingerprint, News news)
    : m_linkHost(options.linkHost),
      m_fingerprint(std::move(fingerprint)),
      m_news(std::move(news)),
      m_room(options.room, kernelRandomBytes, [this](std::string_view token) { return linkOf(token); }) {}

Result<std::unique_ptr<RoomHost>> RoomHost::start(Options options, const Certificate& certificate,
                                                  Routes routes, News news,
                                                  std::unique_ptr<RoomMedia> media) {
  addPage(routes);
  std::unique_ptr<RoomHost> host(new RoomHost(options, certificate.fingerprint(), std::move(news)));
  host->m_media = std::move(media);
  if (host->m_media) host->m_media->addTo(routes, host->askedByMedia());
  auto door = Door::open(options.door, certificate, *host, std::move(routes));
  if (!door.ok()) return door.error();
  host->m_door = std::move(door).value();
  host->m_sending = host->m_door.get();
  return host;
}

RoomHost::~RoomHost() {
  if (!m_door) return;
  // What is sent before the door begins to close still goes.
  std::promise<void> told;
  m_door->post([&] {
    m_room.end("The host has closed the room.");
    flush();
    told.set_value();
  });
  told.get_future().wait();
}

Result<InvitationInfo> RoomHost::invite(Role role, std::optional<std::chrono::seconds> life) {
  std::promise<Result<InvitationInfo>> made;
  post([&](HostedRoom& room) { made.set_value(room.invite(role, life, now())); });
  return made.get_future().get();
}

void RoomHost::post(std::function<void(HostedRoom&)> action) {
  m_door->post([this, action = std::move(action)] {
    action(m_room);
    flush();
  });
}

bool RoomHost::admits(std::string_view token) {
  return m_room.admits(token, now());
}

void RoomHost::opened(ConnectionId connection, const std::string& token, const std::string&) {
  m_room.opened(connection, token, now());
  flush();
}

void RoomHost::received(ConnectionId connection, std::string_view message) {
  m_room.received(connection, message, {now(), calendar()});
  flush();
}

void RoomHost::closed(ConnectionId connection) {
  m_room.closed(connection, now());
  flush();
}

void RoomHost::tick() {
  if (m_media) {
    for (const auto& each : m_media->takeEndedIngresses()) m_room.endIngress(each.sid, each.reason);
    m_room.deliver(m_media->deliveries());
  }
  m_room.tick(now());
  flush();
}

void RoomHost::flush() {
  for (const Outgoing& each : m_room.takeOutbox()) {
    m_sending->send(each.to, toJson(each.message));
    if (each.close) m_sending->close(each.to, CloseCode::Normal, {});
  }
  for (const RoomNews& each : m_room.takeNews()) {
    if (m_media) m_media->take(each);
    if (m_news) m_news(each);
  }
}

RoomMedia::Room RoomHost::askedByMedia() {
  return {.whoOf = [this](std::string_view bearer) { return participantOf(bearer); },
          .beginIngress =
              [this](std::string_view token, const std::string& name, const auto& sources) {
                auto begun = m_room.beginIngress(token, name, sources, now());
                flush();
                return begun;
              }};
}

std::optional<ParticipantSid> RoomHost::participantOf(std::string_view bearer) const {
  const auto session = SessionKey::parse(bearer);
  return session ? m_room.participantOf(*session) : std::nullopt;
}

std::string RoomHost::linkOf(std::string_view token) const {
  auto parsed = Token::parse(token);
  if (!parsed) return {};  // the room's tokens have 192 bits
  return RoomLink{m_linkHost, m_sending->port(), std::move(*parsed), m_fingerprint}.text();
}

}  // namespace tactus::conference
