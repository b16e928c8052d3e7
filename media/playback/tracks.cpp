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

constexpr int kTextFlag = 0x4;  // GST_PLAY_FLAG_TEXT
constexpr int kAudioFlag = 0x2;

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
  m_collection = true;
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

void TrackList::readFrom(GstElement* playbin) {
  // playbin3 has no such properties: its collection says it all.
  if (m_collection || g_object_class_find_property(G_OBJECT_GET_CLASS(playbin), "n-video") == nullptr) return;
  m_entries.clear();
  struct Kind {
    TrackKind kind;
    const char *count, *current, *tags;
  };
  for (const Kind& kind : {Kind{TrackKind::Video, "n-video", "current-video", "get-video-tags"},
                           Kind{TrackKind::Audio, "n-audio", "current-audio", "get-audio-tags"},
                           Kind{TrackKind::Subtitle, "n-text", "current-text", "get-text-tags"}}) {
    gint count = 0;
    gint current = -1;
    g_object_get(playbin, kind.count, &count, kind.current, &current, nullptr);
    for (gint i = 0; i < count; ++i) {
      GstTagList* tags = nullptr;
      g_signal_emit_by_name(playbin, kind.tags, i, &tags);
      const plugins::TagListPtr held(tags);
      add(kind.kind, tags, {}, i == current);
    }
  }
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

void TrackList::select(GstElement* playbin, TrackKind kind, int index) {
  for (auto& entry : m_entries) {
    if (entry.kind == kind) entry.track.selected = entry.track.index == index;
  }
  if (m_collection) {
    GList* ids = nullptr;
    for (const auto& entry : m_entries) {
      if (entry.track.selected) ids = g_list_append(ids, const_cast<char*>(entry.streamId.c_str()));
    }
    if (ids != nullptr) gst_element_send_event(playbin, gst_event_new_select_streams(ids));
    g_list_free(ids);
    return;
  }
  const char* current = kind == TrackKind::Video   ? "current-video"
                        : kind == TrackKind::Audio ? "current-audio"
                                                   : "current-text";
  const int flag = kind == TrackKind::Subtitle ? kTextFlag : kind == TrackKind::Audio ? kAudioFlag : 0;
  gint flags = 0;
  g_object_get(playbin, "flags", &flags, nullptr);
  g_object_set(playbin, "flags", index < 0 ? flags & ~flag : flags | flag, nullptr);
  if (index >= 0) g_object_set(playbin, current, index, nullptr);
}

}  // namespace tactus::media
