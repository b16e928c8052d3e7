// SPDX-License-Identifier: Apache-2.0
#include "conference/embedded_room.h"

#include <utility>

#include "conference/door/context_thread.h"
#include "conference/room_stay.h"

namespace tactus::conference {

class EmbeddedRoom::Inside {
 public:
  Inside(RoomLink link, RoomListener& listener, const RoomPatience& patience) : m_thread("room") {
    m_thread.run([&] {
      m_stay = std::make_unique<RoomStay>(m_thread.context(), std::move(link), listener, patience, m_shared);
    });
  }
  ~Inside() {
    post([](RoomStay& stay) { stay.leave(); });
    {
      std::unique_lock lock(m_shared.mutex);
      m_shared.ended.wait(lock, [this] { return m_shared.phase == RoomPhase::Ended; });
    }
    m_thread.run([this] { m_stay.reset(); });
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

  template <typename Action>
  void post(Action action) {
    m_thread.post([this, action = std::move(action)] { action(*m_stay); });
  }
  [[nodiscard]] SharedStay& shared() noexcept { return m_shared; }

 private:
  SharedStay m_shared;
  std::unique_ptr<RoomStay> m_stay;  // of the thread
  ContextThread m_thread;
};

Result<std::unique_ptr<EmbeddedRoom>> EmbeddedRoom::create(std::string_view link, RoomListener& listener,
                                                           const RoomPatience& patience) {
  auto parsed = RoomLink::parse(link);
  if (!parsed) return parsed.error();
  if (parsed.value().fingerprint.empty())
    return Error{ErrorCode::InvalidArgument,
                 "The link has no fingerprint, so that the host cannot be told from an impostor: ask for the "
                 "whole link, with what follows the \"#\"."};
  return std::unique_ptr<EmbeddedRoom>(
      new EmbeddedRoom(std::make_unique<Inside>(std::move(parsed).value(), listener, patience)));
}

EmbeddedRoom::EmbeddedRoom(std::unique_ptr<Inside> inside) : m_inside(std::move(inside)) {}

EmbeddedRoom::~EmbeddedRoom() = default;

void EmbeddedRoom::request(ClientMessage message) {
  m_inside->post([message = std::move(message)](RoomStay& stay) { stay.request(message); });
}

void EmbeddedRoom::join(const std::string& name) {
  m_inside->post([name](RoomStay& stay) { stay.join(name); });
}

void EmbeddedRoom::leave() {
  m_inside->post([](RoomStay& stay) { stay.leave(); });
}

void EmbeddedRoom::publish(const std::string& cid, const TrackDescription& description, bool muted) {
  request(client::Publish{cid, description, muted});
}

void EmbeddedRoom::unpublish(const TrackSid& sid) {
  request(client::Unpublish{sid});
}

void EmbeddedRoom::mute(const TrackSid& sid, bool muted) {
  request(client::Mute{sid, muted});
}

void EmbeddedRoom::set(const TrackSid& sid, const TrackSetting& setting) {
  request(client::SetTrack{sid, setting});
}

void EmbeddedRoom::tellSending(const TrackSid& sid, const TrackDelivery& sending) {
  request(client::Sending{sid, sending});
}

void EmbeddedRoom::say(const std::string& text) {
  request(client::Chat{text});
}

void EmbeddedRoom::raiseHand(bool raised) {
  request(client::Hand{raised});
}

void EmbeddedRoom::reportLevel(double level) {
  m_inside->post([level](RoomStay& stay) { stay.reportLevel(level); });
}

void EmbeddedRoom::reportQuality(ConnectionQuality quality) {
  request(client::Quality{quality});
}

void EmbeddedRoom::admit(const ParticipantSid& sid) {
  request(client::Admit{sid});
}

void EmbeddedRoom::deny(const ParticipantSid& sid) {
  request(client::Deny{sid});
}

void EmbeddedRoom::remove(const ParticipantSid& sid) {
  request(client::Remove{sid});
}

void EmbeddedRoom::muteParticipant(const ParticipantSid& sid, const TrackSid& track, bool muted) {
  request(client::MuteParticipant{sid, track, muted});
}

void EmbeddedRoom::lock(bool locked) {
  request(client::Lock{locked});
}

void EmbeddedRoom::setLobby(bool on) {
  request(client::Lobby{on});
}

void EmbeddedRoom::invite(Role role, std::optional<std::chrono::seconds> life) {
  request(client::Invite{role, life});
}

void EmbeddedRoom::revoke(const InvitationSid& sid) {
  request(client::Revoke{sid});
}

void EmbeddedRoom::listInvitations() {
  request(client::Invitations{});
}

RoomPhase EmbeddedRoom::phase() const {
  const std::lock_guard lock(m_inside->shared().mutex);
  return m_inside->shared().phase;
}

RoomView EmbeddedRoom::view() const {
  const std::lock_guard lock(m_inside->shared().mutex);
  return m_inside->shared().view;
}

std::optional<SessionKey> EmbeddedRoom::session() const {
  const std::lock_guard lock(m_inside->shared().mutex);
  return m_inside->shared().session;
}

}  // namespace tactus::conference
