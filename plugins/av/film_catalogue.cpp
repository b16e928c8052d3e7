// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/film_catalogue.h"

#include <algorithm>

#include "plugins/av/film_facts.h"
#include "plugins/av/packet_format.h"

namespace tactus::plugins::av {

FilmCatalogue::FilmCatalogue(GstElement* element)
    : m_element(element), m_prefix("tactus-" + std::to_string(g_random_int())) {}

void FilmCatalogue::open(const Demuxer& film) {
  for (const FilmStream& stream : film.streams()) {
    if (stream.isCover() || stream.kind == AVMEDIA_TYPE_SUBTITLE) continue;
    m_streams.push_back({stream.index, stream.kind, streamIdOf(m_prefix, stream),
                         capsOf(*stream.parameters, stream.rate), streamTags(film, stream)});
  }
  const std::lock_guard lock(m_mutex);
  m_film.reset(collectionOf(film, m_prefix));
}

const FilmCatalogue::Stream* FilmCatalogue::find(int index) const {
  const auto found = std::find_if(m_streams.begin(), m_streams.end(),
                                  [=](const Stream& stream) { return stream.index == index; });
  return found != m_streams.end() ? &*found : nullptr;
}

const FilmCatalogue::Stream* FilmCatalogue::named(AVMediaType kind, const GList* ids) const {
  const Stream* named = nullptr;
  for (; ids != nullptr; ids = ids->next)
    for (const Stream& stream : m_streams)
      if (stream.kind == kind && stream.id == static_cast<const char*>(ids->data)) named = &stream;
  return named;
}

void FilmCatalogue::post(const std::vector<SubtitleFeed::StreamPtr>& files,
                         const std::function<bool(const char* id)>& isChosen) {
  const std::lock_guard order(m_telling);
  GstStreamCollection* collection = gst_stream_collection_new(m_prefix.c_str());
  {
    const std::lock_guard lock(m_mutex);
    if (!m_film) {
      gst_object_unref(collection);
      return;
    }
    for (guint i = 0; i < gst_stream_collection_get_size(m_film.get()); ++i)
      gst_stream_collection_add_stream(
          collection, GST_STREAM(gst_object_ref(gst_stream_collection_get_stream(m_film.get(), i))));
    for (const auto& file : files) gst_stream_collection_add_stream(collection, streamOf(*file));
    m_all.reset(GST_STREAM_COLLECTION(gst_object_ref(collection)));
  }
  (void)gst_element_post_message(m_element,
                                 gst_message_new_stream_collection(GST_OBJECT_CAST(m_element), collection));
  gst_object_unref(collection);
  postChosen(isChosen);
}

void FilmCatalogue::postChosen(const std::function<bool(const char* id)>& isChosen) {
  CollectionPtr collection;
  {
    const std::lock_guard lock(m_mutex);
    if (!m_all) return;
    collection.reset(GST_STREAM_COLLECTION(gst_object_ref(m_all.get())));
  }
  GstMessage* message = gst_message_new_streams_selected(GST_OBJECT_CAST(m_element), collection.get());
  for (guint i = 0; i < gst_stream_collection_get_size(collection.get()); ++i) {
    GstStream* entry = gst_stream_collection_get_stream(collection.get(), i);  // borrowed
    if (isChosen(gst_stream_get_stream_id(entry))) gst_message_streams_selected_add(message, entry);
  }
  (void)gst_element_post_message(m_element, message);
}

}  // namespace tactus::plugins::av
