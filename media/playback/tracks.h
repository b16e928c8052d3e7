// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <set>
#include <string>
#include <vector>

#include "media/playback/player.h"

namespace tactus::media {

/// The tracks of one item, behind playbin3's stream collections and playbin's numbered streams alike.
/// Thread-safe: no (the player's lock guards it).
class TrackList {
 public:
  /// playbin3: a new collection, or what of it is selected.
  void setCollection(GstStreamCollection* collection);
  void setSelected(GstMessage* streamsSelected);
  /// playbin: asks the element. Not from a streaming thread.
  void readFrom(GstElement* playbin);

  [[nodiscard]] std::vector<Track> tracks(TrackKind kind) const;
  /// Chooses one of its kind (-1 = none) on either element.
  void select(GstElement* playbin, TrackKind kind, int index);
  /// Marks subtitles as those above (-1 = none), and says which stream they are; empty for none.
  std::string selectSecond(int index);

 private:
  struct Entry {
    TrackKind kind;
    Track track;
    std::string streamId;  ///< playbin3 only
  };
  [[nodiscard]] std::string secondId() const;
  void add(TrackKind kind, const GstTagList* tags, std::string streamId, bool selected);
  std::vector<Entry> m_entries;
  bool m_collection = false;
};

}  // namespace tactus::media
