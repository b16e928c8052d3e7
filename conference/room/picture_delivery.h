// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "conference/room/room_facts.h"

namespace tactus::conference {

/// How the pictures of one stream reach one of its receivers.
struct PictureDelivery {
  ParticipantSid receiver = {}, publisher = {};
  TrackSource source = TrackSource::Camera;  ///< Camera or Screen
  TrackDelivery delivery = {};
  friend bool operator==(const PictureDelivery&, const PictureDelivery&) = default;
};

}  // namespace tactus::conference
