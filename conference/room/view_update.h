// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conference/room/chat_history.h"
#include "conference/room/room_view.h"
#include "conference/room/server_message.h"

namespace tactus::conference {

/// A participant's view of the room, brought up to date by each message of the server. What makes no sense
/// (of a participant that is not there, say) changes nothing. Thread-safe: no. Real-time-safe: no.
class ViewUpdate {
 public:
  /// Whether it made sense.
  bool apply(const ServerMessage& message);
  [[nodiscard]] const RoomView& view() const noexcept { return m_view; }

 private:
  bool on(const server::Joined& joined);
  bool on(const server::Published& published);
  bool on(const server::ParticipantJoined& joined);
  bool on(const server::ParticipantLeft& left);
  bool on(const server::TrackPublished& published);
  bool on(const server::TrackUnpublished& unpublished);
  bool on(const server::TrackMuted& muted);
  bool on(const server::Speakers& speakers);
  bool on(const server::Quality& quality);
  bool on(const server::Chat& chat);
  bool on(const server::Hand& hand);
  bool on(const server::RoomUpdated& updated);
  bool on(const server::WaitingList& list);
  bool on(const server::Wanted& wanted);
  bool on(const server::Delivery& delivery);
  /// Says nothing of the room.
  template <typename Other>
  bool on(const Other&) {
    return true;
  }
  bool addTrack(ParticipantInfo* participant, const TrackInfo& track);

  RoomView m_view;
  ChatHistory m_chat;
};

}  // namespace tactus::conference
