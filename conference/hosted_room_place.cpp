// SPDX-License-Identifier: Apache-2.0
#include "conference/hosted_room_place.h"

#include <gtest/gtest.h>

#include <future>

#include "conference/embedded_room.h"

namespace tactus::conference::testing {
namespace {

HostedRoom::Now now() {
  return {periodic::MonotonicClock::now(),
          std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now())};
}

}  // namespace

HostedRoomPlace::HostedRoomPlace(const HostedRoomOptions& options, std::uint16_t port)
    : m_certificate(Certificate::make({}).value()),
      m_room(options, kernelRandomBytes, [](std::string_view token) { return std::string(token); }) {
  for (const Role role : {Role::Host, Role::Guest})
    m_tokens[static_cast<int>(role)] = m_room.invite(role, {}, now().at).value().link;
  auto door = Door::open({"127.0.0.1", port, {}}, m_certificate, *this, {});
  EXPECT_TRUE(door.ok()) << door.error().message;
  m_door = std::move(door).value();
  m_port = m_door->port();
}

HostedRoomPlace::~HostedRoomPlace() = default;

std::unique_ptr<Room> HostedRoomPlace::participant(Role role, RoomListener& listener) {
  auto room = EmbeddedRoom::create(link(role), listener);
  EXPECT_TRUE(room.ok());
  return std::move(room).value();
}

std::string HostedRoomPlace::link(Role role) const {
  return "https://127.0.0.1:" + std::to_string(m_port) + "/r/" + m_tokens[static_cast<int>(role)] +
         "#sha256=" + m_certificate.fingerprint();
}

void HostedRoomPlace::run(const std::function<void(HostedRoom&)>& action) {
  std::promise<void> done;
  m_door->post([&] {
    action(m_room);
    deliver();
    done.set_value();
  });
  done.get_future().wait();
}

void HostedRoomPlace::cutAll() {
  run([this](HostedRoom&) {
    for (const ConnectionId each : m_connections) m_door->close(each, CloseCode::GoingAway, "");
  });
}

void HostedRoomPlace::die() {
  m_door.reset();
}

void HostedRoomPlace::end(const std::string& sentence) {
  run([&](HostedRoom& room) { room.end(sentence); });
}

bool HostedRoomPlace::admits(std::string_view token) {
  return m_room.admits(token, now().at);
}

void HostedRoomPlace::opened(ConnectionId connection, const std::string& token, const std::string&) {
  ++m_opened;
  m_connections.push_back(connection);
  m_room.opened(connection, token, now().at);
}

void HostedRoomPlace::received(ConnectionId connection, std::string_view message) {
  m_room.received(connection, message, now());
  deliver();
}

void HostedRoomPlace::closed(ConnectionId connection) {
  std::erase(m_connections, connection);
  m_room.closed(connection, now().at);
  deliver();
}

void HostedRoomPlace::tick() {
  m_room.tick(now().at);
  deliver();
}

void HostedRoomPlace::deliver() {
  for (const Outgoing& each : m_room.takeOutbox()) {
    if (m_door == nullptr) continue;
    m_door->send(each.to, toJson(each.message));
    if (each.close) m_door->close(each.to, CloseCode::Normal, "");
  }
  (void)m_room.takeNews();
}

}  // namespace tactus::conference::testing
