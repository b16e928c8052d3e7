// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <set>
#include <string>
#include <vector>

#include "media/playback/player.h"

namespace tactus::media {

/// The tracks of one item, as its stream collections tell them.
/// Thread-safe: no (the player's lock guards it).
class TrackList {
 public:
  /// A new collection, or what of it is selected.
  void setCollection(GstStreamCollection* collection);
  void setSelected(GstMessage* streamsSelected);

  [[nodiscard]] std::vector<Track> tracks(TrackKind kind) const;
  /// Chooses one of its kind (-1 = none).
  void select(GstElement* selector, TrackKind kind, int index);
  /// Marks subtitles as those above (-1 = none), and says which stream they are; empty for none.
  std::string selectSecond(int index);

 private:
  struct Entry {
    TrackKind kind;
    Track track;
    std::string streamId;
  };
  [[nodiscard]] std::string secondId() const;
  void add(TrackKind kind, const GstTagList* tags, std::string streamId, bool selected);
  std::vector<Entry> m_entries;
};

}  // namespace tactus::media
