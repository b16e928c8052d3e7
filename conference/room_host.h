// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "conference/carriage/room_media.h"
#include "conference/door/certificate.h"
#include "conference/door/door.h"
#include "conference/room/hosted_room.h"
#include "core/periodic/result.h"

namespace tactus::conference {

/// A room with its door: connections speak to the room, what it says is sent to them, and the page is served.
/// Invitations and all else of the room end with it.
class RoomHost final : private DoorListener {
 public:
  struct Options {
    HostedRoomOptions room = {};
    DoorOptions door = {};
    std::string linkHost;  ///< name or numeric address that links have: the certificate is valid for it
  };
  /// Called on the door's thread, which it must not keep waiting.
  using News = std::function<void(const RoomNews&)>;

  /// Opens the room and its door. `routes`: others, beside those of the page and the media. Without `media`
  /// nobody is seen or heard. As Door::open().
  [[nodiscard]] static Result<std::unique_ptr<RoomHost>> start(Options options,
                                                               const Certificate& certificate,
                                                               Routes routes = {}, News news = {},
                                                               std::unique_ptr<RoomMedia> media = nullptr);
  /// Tells everybody that the room ends, and closes the door.
  ~RoomHost() override;
  RoomHost(const RoomHost&) = delete;
  RoomHost& operator=(const RoomHost&) = delete;

  /// A new invitation, with its link. `life`: how long it lets in; absent: as long as the room exists.
  /// Waits for the door's thread, and is not called on it. Refused: as HostedRoom::invite().
  /// Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] Result<InvitationInfo> invite(Role role, std::optional<std::chrono::seconds> life = {});
  [[nodiscard]] std::uint16_t port() const noexcept { return m_door->port(); }
  /// Runs `action` with the room on the door's thread, later. What the room then says is sent.
  /// Thread-safe: yes. Real-time-safe: no.
  void post(std::function<void(HostedRoom&)> action);

 private:
  RoomHost(const Options& options, std::string fingerprint, News news);

  // The door's thread.
  [[nodiscard]] bool admits(std::string_view token) override;
  void opened(ConnectionId connection, const std::string& token, const std::string& peer) override;
  void received(ConnectionId connection, std::string_view message) override;
  void closed(ConnectionId connection) override;
  void tick() override;
  void flush();
  [[nodiscard]] std::string linkOf(std::string_view token) const;
  [[nodiscard]] RoomMedia::Room askedByMedia();
  [[nodiscard]] std::optional<ParticipantSid> participantOf(std::string_view bearer) const;

  const std::string m_linkHost, m_fingerprint;
  const News m_news;
  HostedRoom m_room;  // of the door's thread, once that is open
  // Written before the first invitation is posted to the door's thread; without one, nobody is spoken to.
  Door* m_sending = nullptr;
  std::unique_ptr<RoomMedia> m_media;  // may be absent; goes after the door, which has its routes
  std::unique_ptr<Door> m_door;
};

}  // namespace tactus::conference
