// SPDX-License-Identifier: Apache-2.0
#include "media/playback/tracks.h"

#include <algorithm>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

std::string tagOf(const GstTagList* tags, const char* name) {
  gchar* text = nullptr;
  if (tags == nullptr || gst_tag_list_get_string(tags, name, &text) == FALSE) return {};
  return plugins::CharPtr(text).get();
}

const char* codecTag(TrackKind kind) {
  switch (kind) {
    case TrackKind::Video:
      return GST_TAG_VIDEO_CODEC;
    case TrackKind::Audio:
      return GST_TAG_AUDIO_CODEC;
    case TrackKind::Subtitle:
      break;
  }
  return GST_TAG_SUBTITLE_CODEC;
}

std::optional<TrackKind> kindOf(GstStreamType type) {
  if ((type & GST_STREAM_TYPE_VIDEO) != 0) return TrackKind::Video;
  if ((type & GST_STREAM_TYPE_AUDIO) != 0) return TrackKind::Audio;
  if ((type & GST_STREAM_TYPE_TEXT) != 0) return TrackKind::Subtitle;
  return {};
}

}  // namespace

void TrackList::add(TrackKind kind, const GstTagList* tags, std::string streamId, bool selected) {
  Entry entry{kind, {}, std::move(streamId)};
  entry.track.index = static_cast<int>(
      std::count_if(m_entries.begin(), m_entries.end(), [=](const Entry& e) { return e.kind == kind; }));
  entry.track.title = tagOf(tags, GST_TAG_TITLE);
  entry.track.language = tagOf(tags, GST_TAG_LANGUAGE_CODE);
  entry.track.codec = tagOf(tags, codecTag(kind));
  entry.track.selected = selected;
  m_entries.push_back(std::move(entry));
}

void TrackList::setCollection(GstStreamCollection* collection) {
  std::set<std::string> selected;
  for (const auto& entry : m_entries) {
    if (entry.track.selected) selected.insert(entry.streamId);
  }
  const std::string second = secondId();
  m_entries.clear();
  for (guint i = 0; i < gst_stream_collection_get_size(collection); ++i) {
    GstStream* stream = gst_stream_collection_get_stream(collection, i);
    const auto kind = kindOf(gst_stream_get_stream_type(stream));
    if (!kind) continue;
    const plugins::TagListPtr tags(gst_stream_get_tags(stream));
    const std::string id = gst_stream_get_stream_id(stream);
    add(*kind, tags.get(), id, selected.contains(id));
    m_entries.back().track.second = id == second;
  }
}

void TrackList::setSelected(GstMessage* message) {
  std::set<std::string> selected;
  for (guint i = 0; i < gst_message_streams_selected_get_size(message); ++i) {
    GstStream* stream = gst_message_streams_selected_get_stream(message, i);
    selected.insert(gst_stream_get_stream_id(stream));
    gst_object_unref(stream);
  }
  for (auto& entry : m_entries) entry.track.selected = selected.contains(entry.streamId);
}

std::vector<Track> TrackList::tracks(TrackKind kind) const {
  std::vector<Track> result;
  for (const auto& entry : m_entries) {
    if (entry.kind == kind) result.push_back(entry.track);
  }
  return result;
}

std::string TrackList::secondId() const {
  for (const auto& entry : m_entries)
    if (entry.track.second) return entry.streamId;
  return {};
}

std::string TrackList::selectSecond(int index) {
  for (auto& entry : m_entries)
    entry.track.second = entry.kind == TrackKind::Subtitle && entry.track.index == index;
  return secondId();
}

void TrackList::select(GstElement* selector, TrackKind kind, int index) {
  for (auto& entry : m_entries) {
    if (entry.kind == kind) entry.track.selected = entry.track.index == index;
  }
  GList* ids = nullptr;
  for (const auto& entry : m_entries) {
    if (entry.track.selected) ids = g_list_append(ids, const_cast<char*>(entry.streamId.c_str()));
  }
  if (ids != nullptr) gst_element_send_event(selector, gst_event_new_select_streams(ids));
  g_list_free(ids);
}

}  // namespace tactus::media
