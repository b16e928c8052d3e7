// SPDX-License-Identifier: Apache-2.0
#include "conference/hosted_room_place.h"

#include <gtest/gtest.h>

#include "conference/door/room_link.h"
#include "conference/embedded_room.h"

namespace tactus::conference::testing {

HostedRoomPlace::HostedRoomPlace(const HostedRoomOptions& options)
    : m_certificate(Certificate::make({}).value()) {
  auto host = RoomHost::start({options, {"127.0.0.1", 0, {}}, "127.0.0.1"}, m_certificate);
  EXPECT_TRUE(host.ok()) << host.error().message;
  m_host = std::move(host).value();
  m_network.emplace(m_host->port());
  for (const Role role : {Role::Host, Role::Guest}) {
    RoomLink link = RoomLink::parse(m_host->invite(role).value().link).value();
    link.port = m_network->port();
    m_links[static_cast<int>(role)] = link.text();
  }
}

std::unique_ptr<Room> HostedRoomPlace::participant(Role role, RoomListener& listener) {
  auto room = EmbeddedRoom::create(link(role), listener);
  EXPECT_TRUE(room.ok());
  return std::move(room).value();
}

}  // namespace tactus::conference::testing
