// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "conference/carriage/stream_key.h"
#include "conference/room/room_view.h"
#include "media/room/picture_size.h"

namespace tactus::conference {

/// How the pictures of a stream are shown to who receives it.
struct ShownPictures {
  bool visible = true;            ///< false: they need not come
  media::PictureSize place = {};  ///< into which they are fitted; 0 x 0: as they are
  TrackPriority priority = TrackPriority::Normal;
  friend bool operator==(const ShownPictures&, const ShownPictures&) = default;
};

/// What a participant is to tell the room of how it wants the pictures of others: nothing that it has told
/// already. Places are rounded up to 32 pixels, so that small changes are none. Thread-safe: no.
/// Real-time-safe: no.
class TrackSettings {
 public:
  using Shown = std::map<StreamKey, ShownPictures>;
  /// How all streams are shown from now on. A stream that is left out is wanted as it is.
  void show(Shown shown) { m_shown = std::move(shown); }
  /// Whether no more than the smaller one of two sizes is to come, however large it is shown.
  void setSmaller(const StreamKey& key, bool smaller) {
    smaller ? (void)m_smaller.insert(key) : (void)m_smaller.erase(key);
  }
  /// Into which the pictures of this stream are fitted; 0 x 0: as they are.
  [[nodiscard]] media::PictureSize placeOf(const StreamKey& key) const {
    const auto shown = m_shown.find(key);
    return shown == m_shown.end() ? media::PictureSize() : shown->second.place;
  }
  /// Whether the pictures of this stream need to come.
  [[nodiscard]] bool wants(const StreamKey& key) const {
    const auto shown = m_shown.find(key);
    return shown == m_shown.end() || shown->second.visible;
  }
  /// The room may have forgotten what it was told.
  void forget() { m_told.clear(); }
  /// What is to be told now, and counts as told.
  [[nodiscard]] std::vector<std::pair<TrackSid, TrackSetting>> takeNews(const RoomView& view);

 private:
  Shown m_shown;
  std::set<StreamKey> m_smaller;
  std::map<TrackSid, TrackSetting> m_told;
};

}  // namespace tactus::conference
