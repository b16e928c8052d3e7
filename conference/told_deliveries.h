// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>

#include "conference/carriage/stream_key.h"
#include "conference/room/room_view.h"
#include "media/sharing/source_limit.h"

namespace tactus::conference {

/// What a receiver's room calls a limit, as the receiver's machine calls it. Thread-safe: yes (pure).
/// Real-time-safe: yes.
[[nodiscard]] media::SourceLimit limitOf(const TrackDelivery& delivery) noexcept;

/// How the pictures of the others reach oneself, as the room has told; it holds as long as the track does.
/// Thread-safe: no. Real-time-safe: no.
class ToldDeliveries {
 public:
  /// Of a track that nobody has in this view: nothing changes.
  void tell(const RoomView& view, const TrackSid& sid, const TrackDelivery& delivery);
  /// What is said of tracks that are gone is forgotten.
  void follow(const RoomView& view);
  /// So is all.
  void forget() { m_told.clear(); }
  /// None: nothing was told.
  [[nodiscard]] media::SourceLimit of(const StreamKey& key) const;

 private:
  struct Told {
    TrackSid track;
    media::SourceLimit limit;
  };
  std::map<StreamKey, Told> m_told;
};

}  // namespace tactus::conference
