// SPDX-License-Identifier: Apache-2.0
#include "plugins/av/film_facts.h"

extern "C" {
#include <libavutil/display.h>
}

#include <gst/tag/tag.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tactus::plugins::av {
namespace {

constexpr auto kTags = std::to_array<std::pair<const char*, const char*>>({
    {"title", GST_TAG_TITLE},
    {"artist", GST_TAG_ARTIST},
    {"album", GST_TAG_ALBUM},
    {"album_artist", GST_TAG_ALBUM_ARTIST},
    {"composer", GST_TAG_COMPOSER},
    {"genre", GST_TAG_GENRE},
    {"comment", GST_TAG_COMMENT},
    {"copyright", GST_TAG_COPYRIGHT},
    {"icy-name", GST_TAG_ORGANIZATION},
    {"StreamTitle", GST_TAG_TITLE},
});

constexpr unsigned kMostChapters = 10'000;

/// Null where it is empty, or no text in UTF-8.
const char* textOf(const AVDictionary* dictionary, const char* key) {
  const AVDictionaryEntry* entry = av_dict_get(dictionary, key, nullptr, 0);
  if (entry == nullptr || entry->value[0] == '\0') return nullptr;
  return g_utf8_validate(entry->value, -1, nullptr) != FALSE ? entry->value : nullptr;
}

void addText(GstTagList* tags, const char* tag, const char* text) {
  if (text != nullptr) gst_tag_list_add(tags, GST_TAG_MERGE_KEEP, tag, text, nullptr);
}

void addCover(GstTagList* tags, const Demuxer& film) {
  for (const FilmStream& stream : film.streams()) {
    if (!stream.isCover()) continue;
    const AVPacket& picture = film.container().streams[stream.index]->attached_pic;
    if (picture.size <= 0) continue;
    GstSample* sample = gst_tag_image_data_to_image_sample(picture.data, static_cast<guint>(picture.size),
                                                           GST_TAG_IMAGE_TYPE_FRONT_COVER);
    if (sample == nullptr) continue;
    const SamplePtr held(sample);
    gst_tag_list_add(tags, GST_TAG_MERGE_APPEND, GST_TAG_IMAGE, sample, nullptr);
  }
}

const char* codecTag(AVMediaType kind) {
  if (kind == AVMEDIA_TYPE_VIDEO) return GST_TAG_VIDEO_CODEC;
  return kind == AVMEDIA_TYPE_AUDIO ? GST_TAG_AUDIO_CODEC : GST_TAG_SUBTITLE_CODEC;
}

/// Pictures whose matrix turns by right angles; else upright.
const char* orientationOf(const AVStream& stream) {
  std::size_t size = 0;
  const auto* matrix = reinterpret_cast<const std::int32_t*>(
      av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &size));
  if (matrix == nullptr || size < 9 * sizeof(std::int32_t)) return nullptr;
  const bool mirrored = std::int64_t{matrix[0]} * matrix[4] - std::int64_t{matrix[1]} * matrix[3] < 0;
  std::array<std::int32_t, 9> turned{};
  std::copy_n(matrix, 9, turned.begin());
  if (mirrored) av_display_matrix_flip(turned.data(), 1, 0);
  const double angle = av_display_rotation_get(turned.data());  // counterclockwise
  if (std::isnan(angle)) return nullptr;
  const int quarters = (static_cast<int>(std::lround(-angle / 90)) % 4 + 4) % 4;
  static constexpr std::array<const char*, 4> kTurned{"rotate-0", "rotate-90", "rotate-180", "rotate-270"};
  static constexpr std::array<const char*, 4> kMirrored{"flip-rotate-0", "flip-rotate-90", "flip-rotate-180",
                                                        "flip-rotate-270"};
  return (mirrored ? kMirrored : kTurned)[static_cast<std::size_t>(quarters)];
}

GstStreamType typeOf(AVMediaType kind) {
  if (kind == AVMEDIA_TYPE_VIDEO) return GST_STREAM_TYPE_VIDEO;
  return kind == AVMEDIA_TYPE_AUDIO ? GST_STREAM_TYPE_AUDIO : GST_STREAM_TYPE_TEXT;
}

}  // namespace

std::string streamIdOf(const std::string& prefix, const FilmStream& stream) {
  return prefix + "/" + std::to_string(stream.index);
}

TagListPtr filmTags(const Demuxer& film) {
  TagListPtr tags(gst_tag_list_new_empty());
  gst_tag_list_set_scope(tags.get(), GST_TAG_SCOPE_GLOBAL);
  for (const auto& [theirs, ours] : kTags) addText(tags.get(), ours, textOf(film.tags(), theirs));
  // Ogg and its kin have them with the one stream that they have.
  if (film.streams().size() == 1)
    for (const auto& [theirs, ours] : kTags)
      addText(tags.get(), ours, textOf(film.tagsOf(film.streams().front()), theirs));
  addCover(tags.get(), film);
  return gst_tag_list_is_empty(tags.get()) != FALSE ? nullptr : std::move(tags);
}

TagListPtr streamTags(const Demuxer& film, const FilmStream& stream) {
  TagListPtr tags(gst_tag_list_new_empty());
  addText(tags.get(), GST_TAG_TITLE, textOf(film.tagsOf(stream), "title"));
  if (const char* language = textOf(film.tagsOf(stream), "language"))
    addText(tags.get(), GST_TAG_LANGUAGE_CODE,
            gst_tag_get_language_code(language) != nullptr ? gst_tag_get_language_code(language) : language);
  const AVCodecDescriptor* codec = avcodec_descriptor_get(stream.parameters->codec_id);
  if (codec != nullptr) addText(tags.get(), codecTag(stream.kind), codec->long_name);
  if (stream.kind == AVMEDIA_TYPE_VIDEO)
    addText(tags.get(), GST_TAG_IMAGE_ORIENTATION, orientationOf(*film.container().streams[stream.index]));
  return tags;
}

GstStreamCollection* collectionOf(const Demuxer& film, const std::string& prefix) {
  GstStreamCollection* collection = gst_stream_collection_new(prefix.c_str());
  for (const FilmStream& stream : film.streams()) {
    if (stream.isCover()) continue;
    const bool byDefault = (stream.disposition & AV_DISPOSITION_DEFAULT) != 0;
    GstStream* entry = gst_stream_new(streamIdOf(prefix, stream).c_str(), nullptr, typeOf(stream.kind),
                                      byDefault ? GST_STREAM_FLAG_SELECT : GST_STREAM_FLAG_NONE);
    const TagListPtr tags = streamTags(film, stream);
    gst_stream_set_tags(entry, tags.get());
    gst_stream_collection_add_stream(collection, entry);
  }
  return collection;
}

GstStream* streamOf(const SubtitleStream& file) {
  GstStream* entry = gst_stream_new(file.id.c_str(), nullptr, GST_STREAM_TYPE_TEXT, GST_STREAM_FLAG_NONE);
  const TagListPtr tags(gst_tag_list_new_empty());
  addText(tags.get(), GST_TAG_TITLE, file.title.c_str());
  const AVCodecDescriptor* codec = avcodec_descriptor_get(file.parameters->codec_id);
  if (codec != nullptr) addText(tags.get(), GST_TAG_SUBTITLE_CODEC, codec->long_name);
  gst_stream_set_tags(entry, tags.get());
  return entry;
}

GstToc* contentsOf(const Demuxer& film) {
  const AVFormatContext& container = film.container();
  if (container.nb_chapters == 0) return nullptr;
  GstToc* contents = gst_toc_new(GST_TOC_SCOPE_GLOBAL);
  for (unsigned i = 0; i < std::min(container.nb_chapters, kMostChapters); ++i) {
    const AVChapter& chapter = *container.chapters[i];
    const auto begin = instantOf(chapter.start, chapter.time_base);
    const auto end = instantOf(chapter.end, chapter.time_base);
    const auto length = film.duration();
    if (!begin || begin->count() < 0 || (length && *begin >= *length)) continue;
    GstTocEntry* entry = gst_toc_entry_new(GST_TOC_ENTRY_TYPE_CHAPTER, std::to_string(i).c_str());
    gst_toc_entry_set_start_stop_times(entry, begin->count(), end.value_or(*begin).count());
    if (const char* title = textOf(chapter.metadata, "title"))
      gst_toc_entry_set_tags(entry, gst_tag_list_new(GST_TAG_TITLE, title, nullptr));
    gst_toc_append_entry(contents, entry);
  }
  return contents;
}

}  // namespace tactus::plugins::av
