// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "conference/carriage/stream_key.h"
#include "conference/room/room_view.h"
#include "media/room/picture_size.h"

namespace tactus::conference {

/// What a stream carries.
struct StreamKinds {
  bool pictures = false, sound = false;
  friend bool operator==(const StreamKinds&, const StreamKinds&) = default;
};

struct PublishedStream {
  std::string participant = {};  ///< its name
  StreamKinds kinds = {};
  std::vector<TrackSid> tracks = {};
  bool picturesMuted = false;
  media::PictureSize halved = {};  ///< of pictures that come in two sizes, the larger; 0 x 0: they do not
};

/// Thread-safe: yes (pure).
[[nodiscard]] inline media::PictureSize sizeOf(const TrackDescription& description) {
  return {static_cast<int>(description.width), static_cast<int>(description.height)};
}

/// All that the others publish, muted or not. Thread-safe: yes (pure).
[[nodiscard]] inline std::map<StreamKey, PublishedStream> streamsOf(const RoomView& view) {
  std::map<StreamKey, PublishedStream> streams;
  for (const ParticipantInfo& other : view.others) {
    for (const TrackInfo& track : other.tracks) {
      const TrackSource source = track.description.source;
      PublishedStream& stream = streams[{other.sid, streamOf(source)}];
      stream.participant = other.name;
      stream.tracks.push_back(track.sid);
      const bool pictures = kindOf(source) == TrackKind::Video;
      (pictures ? stream.kinds.pictures : stream.kinds.sound) = true;
      if (!pictures) continue;
      stream.picturesMuted = track.muted;
      if (track.description.sizes > 1) stream.halved = sizeOf(track.description);
    }
  }
  return streams;
}

}  // namespace tactus::conference
