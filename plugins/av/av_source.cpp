// SPDX-License-Identifier: Apache-2.0
// `tactusavsrc`: reads a film by libavformat, in a thread of its own, and gives pictures and sound a pad
// each, whose thread takes what was read ahead.
#include "plugins/av/av_source.h"

#include <chrono>
#include <utility>

#include "plugins/av/av_limits.h"
#include "plugins/av/av_log.h"
#include "plugins/av/film_source.h"
#include "plugins/av/packet_format.h"
#include "plugins/elements.h"

using namespace tactus;
using namespace tactus::plugins;

namespace {

/// The properties.
struct Wanted {
  std::string path;
  periodic::Duration patience = std::chrono::seconds(10);
};

struct Reading {
  explicit Reading(GstElement* element) : source(element) {}
  av::FilmSource source;
  Wanted wanted;  // under the element's lock
};

enum Property { kLocation = 1, kTimeout };

}  // namespace

struct TactusAvSrc {
  GstElement parent;
  Reading* reading;
};
struct TactusAvSrcClass {
  GstElementClass parent;
};

G_DEFINE_TYPE(TactusAvSrc, tactus_av_src, GST_TYPE_ELEMENT)

namespace {

Reading& of(gpointer element) noexcept {
  return *reinterpret_cast<TactusAvSrc*>(element)->reading;
}

Wanted wantedOf(gpointer element) {
  GST_OBJECT_LOCK(element);
  Wanted wanted = of(element).wanted;
  GST_OBJECT_UNLOCK(element);
  return wanted;
}

GstStateChangeReturn changeState(GstElement* element, GstStateChange change) {
  av::FilmSource& source = of(element).source;
  const bool begins = change == GST_STATE_CHANGE_READY_TO_PAUSED;
  const bool ends = change == GST_STATE_CHANGE_PAUSED_TO_READY;
  const Wanted wanted = wantedOf(element);
  if (begins && wanted.path.empty()) {
    GST_ELEMENT_ERROR(element, RESOURCE, NOT_FOUND, ("There is no name to open."), (nullptr));
    return GST_STATE_CHANGE_FAILURE;
  }
  if (ends) source.halt();
  const auto result = GST_ELEMENT_CLASS(tactus_av_src_parent_class)->change_state(element, change);
  if (result == GST_STATE_CHANGE_FAILURE) return result;
  if (begins) source.start(wanted.path, wanted.patience);
  if (ends) source.stop();
  return result;
}

gboolean sendEvent(GstElement* element, GstEvent* event) {
  const EventPtr held(event);
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEEK) return of(element).source.seek(event) ? TRUE : FALSE;
  if (GST_EVENT_TYPE(event) == GST_EVENT_SELECT_STREAMS)
    return of(element).source.select(event) ? TRUE : FALSE;
  return FALSE;
}

gboolean query(GstElement* element, GstQuery* query) {
  return of(element).source.answer(query) ? TRUE : FALSE;
}

void setProperty(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  const gchar* path = id == kLocation ? g_value_get_string(value) : nullptr;
  GST_OBJECT_LOCK(object);
  if (id == kLocation) of(object).wanted.path = path != nullptr ? path : "";
  if (id == kTimeout) of(object).wanted.patience = std::chrono::nanoseconds(g_value_get_int64(value));
  GST_OBJECT_UNLOCK(object);
  if (id != kLocation && id != kTimeout) G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
}

void getProperty(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id == kLocation) {
    g_value_set_string(value, wantedOf(object).path.c_str());
  } else if (id == kTimeout) {
    g_value_set_int64(value, wantedOf(object).patience.count());
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

}  // namespace

static void tactus_av_src_init(TactusAvSrc* self) {
  self->reading = new Reading(GST_ELEMENT_CAST(self));
  GST_OBJECT_FLAG_SET(self, GST_ELEMENT_FLAG_SOURCE);
}

static void tactus_av_src_class_init(TactusAvSrcClass* klass) {
  av::logToGStreamer();
  av::boundAllocations();
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = setProperty;
  object->get_property = getProperty;
  object->finalize = [](GObject* self) {
    delete reinterpret_cast<TactusAvSrc*>(self)->reading;
    G_OBJECT_CLASS(tactus_av_src_parent_class)->finalize(self);
  };
  g_object_class_install_property(
      object, kLocation,
      g_param_spec_string("location", "Location", "The film: a path, fd://N, stream://N, http:// or https://",
                          nullptr, static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
  g_object_class_install_property(
      object, kTimeout,
      g_param_spec_int64("timeout", "Timeout", "A server that says nothing for so long has stalled (ns)",
                         GST_MSECOND, G_MAXINT64, 10 * GST_SECOND,
                         static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
  auto* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element, "Tactus reader", "Source/Demuxer",
                                        "Reads films by libavformat", "The Tactus authors");
  const CapsPtr packets(av::packetCaps());
  for (const char* name : {"video", "audio"})
    gst_element_class_add_pad_template(
        element, gst_pad_template_new(name, GST_PAD_SRC, GST_PAD_SOMETIMES, packets.get()));
  element->change_state = changeState;
  element->send_event = sendEvent;
  element->query = query;
}

namespace tactus::plugins {

GType avSourceType() {
  return tactus_av_src_get_type();
}

namespace av {

void setReaderHooks(GstElement* source, ThreadHooks hooks) {
  of(source).source.setReaderHooks(std::move(hooks));
}

std::shared_ptr<SubtitleFeed> subtitlesOf(GstElement* source) {
  return of(source).source.subtitles();
}

void addSubtitles(GstElement* source, SubtitleFile file, bool chosen) {
  of(source).source.addSubtitles(std::move(file), chosen);
}

void beginAt(GstElement* source, periodic::Duration position) {
  of(source).source.beginAt(position);
}

void askWhatFollows(GstElement* source) {
  of(source).source.askWhatFollows();
}

bool follow(GstElement* source, const std::string& path, std::vector<SubtitleFile> files) {
  return of(source).source.follow(path, wantedOf(source).patience, std::move(files));
}

bool goOn(GstElement* source) {
  return of(source).source.goOn();
}

void closePast(GstElement* source) {
  of(source).source.closePast();
}

}  // namespace av

}  // namespace tactus::plugins
