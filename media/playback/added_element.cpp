// SPDX-License-Identifier: Apache-2.0
#include "media/playback/added_element.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

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

constexpr char kHeld[] = "tactus-held-demuxer";  // data of the type finder

/// The thread that connects may read as well.
GstPadProbeReturn holdOthers(GstPad*, GstPadProbeInfo*, gpointer connecting) {
  return g_thread_self() == connecting ? GST_PAD_PROBE_PASS : GST_PAD_PROBE_OK;
}

class HeldDemuxer {
 public:
  explicit HeldDemuxer(plugins::PadPtr sink)
      : m_sink(std::move(sink)),
        m_probe(gst_pad_add_probe(m_sink.get(), kReads, holdOthers, g_thread_self(), nullptr)) {}
  ~HeldDemuxer() { gst_pad_remove_probe(m_sink.get(), m_probe); }
  HeldDemuxer(const HeldDemuxer&) = delete;
  HeldDemuxer& operator=(const HeldDemuxer&) = delete;

 private:
  static constexpr auto kReads =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BLOCK | GST_PAD_PROBE_TYPE_PULL);
  plugins::PadPtr m_sink;
  gulong m_probe;
};

}  // namespace

ElementRole roleOf(GstElement* element) {
  if (GST_OBJECT_NAME(element) == std::string_view("vqueue")) return ElementRole::PictureQueue;
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr) return ElementRole::Other;
  if (GST_OBJECT_NAME(factory) == std::string_view("typefind")) return ElementRole::TypeFinder;
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

void holdUntilConnected(GstElement* demuxer) {
  const auto bin = plugins::ElementPtr(GST_ELEMENT(gst_element_get_parent(demuxer)));
  // The first that is connected; what comes behind it is connected by its own thread.
  if (!bin || GST_BIN_NUMCHILDREN(bin.get()) != 2) return;
  const plugins::ElementPtr finder(gst_bin_get_by_name(GST_BIN(bin.get()), "typefind"));
  plugins::PadPtr sink(gst_element_get_static_pad(demuxer, "sink"));
  if (finder && sink)
    g_object_set_data_full(G_OBJECT(finder.get()), kHeld, new HeldDemuxer(std::move(sink)),
                           [](gpointer held) { delete static_cast<HeldDemuxer*>(held); });
}

void letGoWhenConnected(GstElement* typeFinder) {
  const auto found = +[](GstElement* finder, guint, GstCaps*, gpointer) {
    g_object_set_data(G_OBJECT(finder), kHeld, nullptr);
  };
  g_signal_connect_after(typeFinder, "have-type", G_CALLBACK(found), nullptr);
}

void keepTextEventsFromVideo(GstElement* subtitleRenderer) {
  const plugins::PadPtr text(gst_element_get_static_pad(subtitleRenderer, "text_sink"));
  if (text)
    gst_pad_add_probe(text.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, keepFromVideo, nullptr, nullptr);
}

}  // namespace tactus::media
