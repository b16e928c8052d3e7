// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: a hosted room behind a real door on the loopback device.

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "conference/door/certificate.h"
#include "conference/door/door.h"
#include "conference/room/hosted_room.h"
#include "conference/room/room_place.h"

namespace tactus::conference::testing {

class HostedRoomPlace final : public RoomPlace, private DoorListener {
 public:
  /// `port` 0: any.
  explicit HostedRoomPlace(const HostedRoomOptions& options = {}, std::uint16_t port = 0);
  ~HostedRoomPlace() override;

  [[nodiscard]] std::unique_ptr<Room> participant(Role role, RoomListener& listener) override;

  [[nodiscard]] std::string link(Role role) const;
  [[nodiscard]] std::uint16_t port() const { return m_port; }
  /// WebSockets that came so far.
  [[nodiscard]] int openedCount() const { return m_opened.load(); }
  /// Drops each connection without a word of the room; its door stays open.
  void cutAll();
  /// The host's program dies without a word: the door closes, nobody is told why.
  void die();
  /// The room ends as it should.
  void end(const std::string& sentence);
  /// Runs `action(HostedRoom&)` on the room's thread, and waits for it.
  void run(const std::function<void(HostedRoom&)>& action);

 private:
  [[nodiscard]] bool admits(std::string_view token) override;
  void opened(ConnectionId connection, const std::string& token, const std::string& peer) override;
  void received(ConnectionId connection, std::string_view message) override;
  void closed(ConnectionId connection) override;
  void tick() override;
  void deliver();

  const Certificate m_certificate;
  HostedRoom m_room;  // of the door's thread while the door is open
  std::string m_tokens[2];
  std::uint16_t m_port = 0;
  std::atomic<int> m_opened{0};
  std::vector<ConnectionId> m_connections;  // of the door's thread
  std::unique_ptr<Door> m_door;             // ends before what it tells
};

}  // namespace tactus::conference::testing
