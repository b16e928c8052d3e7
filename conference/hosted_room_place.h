// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: a room hosted on the loopback device, behind a network that can fail.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "conference/door/certificate.h"
#include "conference/room/room_place.h"
#include "conference/room_host.h"
#include "conference/tcp_relay.h"

namespace tactus::conference::testing {

class HostedRoomPlace final : public RoomPlace {
 public:
  explicit HostedRoomPlace(const HostedRoomOptions& options = {});

  [[nodiscard]] std::unique_ptr<Room> participant(Role role, RoomListener& listener) override;

  /// Leads through the network.
  [[nodiscard]] std::string link(Role role) const { return m_links[static_cast<int>(role)]; }
  [[nodiscard]] TcpRelay& network() { return *m_network; }
  [[nodiscard]] RoomHost& host() { return *m_host; }
  /// The host ends the room as it should.
  void end() { m_host.reset(); }

 private:
  const Certificate m_certificate;
  std::unique_ptr<RoomHost> m_host;
  std::optional<TcpRelay> m_network;
  std::string m_links[2];
};

}  // namespace tactus::conference::testing
