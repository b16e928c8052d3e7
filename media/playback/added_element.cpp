// SPDX-License-Identifier: Apache-2.0
#include "media/playback/added_element.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>

#include "plugins/gst_handle.h"

namespace tactus::media {
namespace {

bool hasClass(GstElementFactory* factory, const char* part) {
  return std::strstr(gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS), part) != nullptr;
}

GstPadProbeReturn keepFromVideo(GstPad* pad, GstPadProbeInfo* info, gpointer) {
  GstEvent* event = GST_PAD_PROBE_INFO_EVENT(info);
  if (!GST_EVENT_IS_SERIALIZED(event)) return GST_PAD_PROBE_OK;
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_CAPS:
    case GST_EVENT_SEGMENT:
    case GST_EVENT_GAP:
    case GST_EVENT_EOS:
    case GST_EVENT_FLUSH_STOP:
      return GST_PAD_PROBE_OK;
    default:
      if (GST_EVENT_IS_STICKY(event)) (void)gst_pad_store_sticky_event(pad, event);
      return GST_PAD_PROBE_DROP;
  }
}

}  // namespace

ElementRole roleOf(GstElement* element) {
  if (GST_OBJECT_NAME(element) == std::string_view("vqueue")) return ElementRole::PictureQueue;
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr) return ElementRole::Other;
  if (GST_OBJECT_NAME(factory) == std::string_view("assrender")) return ElementRole::SubtitleRenderer;
  if (gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DECODER)) {
    // Motion JPEG is decoded by what decodes single images.
    if (hasClass(factory, "Video") || hasClass(factory, "Image")) return ElementRole::VideoDecoder;
    if (hasClass(factory, "Audio")) return ElementRole::AudioDecoder;
  }
  if (hasClass(factory, "Demuxer") || hasClass(factory, "Parser")) return ElementRole::DemuxerOrParser;
  return ElementRole::Other;
}

void configureSource(GstElement* source, periodic::Duration timeout) {
  GObjectClass* kind = G_OBJECT_GET_CLASS(source);
  // Elements with a `timeout` of another type mean something else by it.
  if (GParamSpec* spec = g_object_class_find_property(kind, "timeout");
      spec != nullptr && spec->value_type == G_TYPE_UINT) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(timeout).count();
    g_object_set(source, "timeout", static_cast<guint>(std::max<std::int64_t>(1, seconds)), nullptr);
  }
  if (g_object_class_find_property(kind, "user-agent") != nullptr)
    g_object_set(source, "user-agent", "Tactus", nullptr);
}

void keepTextEventsFromVideo(GstElement* subtitleRenderer) {
  const plugins::PadPtr text(gst_element_get_static_pad(subtitleRenderer, "text_sink"));
  if (text)
    gst_pad_add_probe(text.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, keepFromVideo, nullptr, nullptr);
}

}  // namespace tactus::media
