// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: where the suite of every implementation of Room (room_suite.h) finds a room.

#include <memory>

#include "conference/room/room.h"

namespace tactus::conference::testing {

/// A room, empty at first, without lobby or lock, for at least four participants.
class RoomPlace {
 public:
  virtual ~RoomPlace() = default;
  /// Somebody who is invited and has not joined. The listener outlives it; it does not outlive the place.
  [[nodiscard]] virtual std::unique_ptr<Room> participant(Role role, RoomListener& listener) = 0;
};

}  // namespace tactus::conference::testing
