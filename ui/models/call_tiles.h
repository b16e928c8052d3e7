// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "conference/carriage/stream_key.h"
#include "conference/room/room_view.h"

namespace tactus::ui {

/// What one place of a call's window shows.
struct CallTileFacts {
  conference::StreamKey key = {};
  std::string name = {};
  bool you = false;
  bool pictured = false;  ///< pictures are sent, or are to come
  bool audible = false;   ///< sound is sent
  bool hand = false;      ///< raised
  bool speaking = false;
  conference::ConnectionQuality quality = conference::ConnectionQuality::Good;
  friend bool operator==(const CallTileFacts&, const CallTileFacts&) = default;
};

/// Thread-safe: yes (pure).
[[nodiscard]] bool isSpeaking(const conference::RoomView& view, const conference::ParticipantSid& who);

/// The places of a room: the screens that are shared, then a place for each of the others whether it sends
/// anything or not, then oneself. Thread-safe: yes (pure).
[[nodiscard]] std::vector<CallTileFacts> callTilesOf(const conference::RoomView& view);

/// Which place is large where one is to be: the last screen, else who speaks loudest, else `before`, if it is
/// still there, else the first of the others; nullptr: nobody is there. Thread-safe: yes (pure).
[[nodiscard]] const CallTileFacts* spotlightOf(const std::vector<CallTileFacts>& tiles,
                                               const conference::RoomView& view,
                                               const conference::StreamKey& before);

}  // namespace tactus::ui
