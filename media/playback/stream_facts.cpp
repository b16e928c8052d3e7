// SPDX-License-Identifier: Apache-2.0
#include "media/playback/stream_facts.h"

#include <gst/video/video.h>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

plugins::CapsPtr formatAt(GstElement* sink) {
  const plugins::PadPtr pad(gst_element_get_static_pad(sink, "sink"));
  return plugins::CapsPtr(gst_pad_get_current_caps(pad.get()));
}

bool addCover(const GstTagList* tags, MediaInfo& info) {
  GstSample* found = nullptr;
  if (info.cover || gst_tag_list_get_sample(tags, GST_TAG_IMAGE, &found) == FALSE) return false;
  const plugins::SamplePtr sample(found);
  GstBuffer* image = gst_sample_get_buffer(sample.get());
  GstMapInfo map;
  if (image == nullptr || gst_buffer_map(image, &map, GST_MAP_READ) == FALSE) return false;
  info.cover = std::make_shared<const std::vector<std::uint8_t>>(map.data, map.data + map.size);
  gst_buffer_unmap(image, &map);
  return true;
}

}  // namespace

StreamFacts StreamFacts::of(const Pipeline& pipeline) {
  StreamFacts facts;
  gint64 duration = -1;
  (void)gst_element_query_duration(pipeline.element(), GST_FORMAT_TIME, &duration);
  if (duration > 0) facts.duration = Duration(duration);
  gboolean seekable = FALSE;
  GstQuery* query = gst_query_new_seeking(GST_FORMAT_TIME);
  if (gst_element_query(pipeline.element(), query) != FALSE)
    gst_query_parse_seeking(query, nullptr, &seekable, nullptr, nullptr);
  gst_query_unref(query);
  facts.seekable = seekable != FALSE;
  facts.hasSound = formatAt(pipeline.audioSink()) != nullptr;
  const plugins::CapsPtr pictures = formatAt(pipeline.videoSink());
  facts.hasPictures = pictures != nullptr;
  GstVideoInfo video;
  if (!pictures || gst_video_info_from_caps(&video, pictures.get()) == FALSE) return facts;
  facts.width =
      static_cast<int>(gst_util_uint64_scale_int(static_cast<guint64>(GST_VIDEO_INFO_WIDTH(&video)),
                                                 GST_VIDEO_INFO_PAR_N(&video), GST_VIDEO_INFO_PAR_D(&video)));
  facts.height = GST_VIDEO_INFO_HEIGHT(&video);
  if (GST_VIDEO_INFO_FPS_D(&video) > 0)
    facts.frameRate = static_cast<double>(GST_VIDEO_INFO_FPS_N(&video)) / GST_VIDEO_INFO_FPS_D(&video);
  return facts;
}

void StreamFacts::addTo(MediaInfo& info) const {
  if (duration) info.duration = duration;
  info.seekable = seekable;
  if (width > 0) {
    info.width = width;
    info.height = height;
    info.frameRate = frameRate;
  }
  info.hasVideo = hasPictures || !info.video.empty();
  info.hasAudio = hasSound || !info.audio.empty();
}

bool addTags(const GstTagList* tags, MediaInfo& info) {
  bool changed = addCover(tags, info);
  // A track's own title comes as a tag too; the film's comes in the global scope.
  gchar* found = nullptr;
  if (gst_tag_list_get_scope(tags) != GST_TAG_SCOPE_GLOBAL ||
      gst_tag_list_get_string(tags, GST_TAG_TITLE, &found) == FALSE)
    return changed;
  const plugins::CharPtr title(found);
  changed = changed || info.title != title.get();
  info.title = title.get();
  return changed;
}

}  // namespace tactus::media
