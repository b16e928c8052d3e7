// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/av/demuxer.h"
#include "plugins/av/subtitle_feed.h"
#include "plugins/gst_handle.h"

namespace tactus::plugins::av {

/// The streams of one film and of the subtitle files beside it, as the element tells them: as a collection,
/// and which of it are chosen. Thread-safe: yes, but for open().
class FilmCatalogue {
 public:
  /// A stream of pictures or sound, as it is told downstream.
  struct Stream {
    int index = -1;  ///< in the container
    AVMediaType kind = AVMEDIA_TYPE_UNKNOWN;
    std::string id;
    CapsPtr caps;
    TagListPtr tags;
  };

  explicit FilmCatalogue(GstElement* element);

  /// "PREFIX/..." are the streams' ids.
  [[nodiscard]] const std::string& prefix() const noexcept { return m_prefix; }
  /// Once, before anybody asks; what it gives is constant.
  void open(const Demuxer& film);
  /// Null without such a stream.
  [[nodiscard]] const Stream* find(int index) const;
  /// The last of this kind that the list of ids names; null if it names none.
  [[nodiscard]] const Stream* named(AVMediaType kind, const GList* ids) const;

  /// Posts the collection, and what of it is chosen. Nothing before the film is open: it is told then.
  void post(const std::vector<SubtitleFeed::StreamPtr>& files,
            const std::function<bool(const char* id)>& isChosen);
  void postChosen(const std::function<bool(const char* id)>& isChosen);

 private:
  using CollectionPtr = std::unique_ptr<GstStreamCollection, Releaser<releaseObject>>;

  GstElement* const m_element;
  const std::string m_prefix;
  std::vector<Stream> m_streams;
  std::mutex m_telling;  // held while they are told, so that the newest list is told last; before m_mutex
  periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  CollectionPtr m_film, m_all;                 // the film's own; those of files as well
};

}  // namespace tactus::plugins::av
