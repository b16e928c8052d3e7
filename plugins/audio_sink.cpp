// SPDX-License-Identifier: Apache-2.0
#include "plugins/audio_sink.h"

#include <gst/audio/audio.h>
#include <gst/audio/gstaudiosink.h>

#include <memory>
#include <mutex>
#include <span>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/elements.h"
#include "plugins/gst_handle.h"
#include "plugins/pipewire_output.h"

using namespace tactus;
using namespace tactus::plugins;

namespace {

struct Output {
  // Guards all below but the placement; delay() takes it whenever somebody asks the pipeline's clock, hence
  // the priority inheritance.
  periodic::PriorityInheritanceMutex mutex;
  std::string target;
  std::string name = "Tactus";
  AudioSinkState state;
  bool lost = false;  // connected once, and not now
  // Exists from prepare() to unprepare(). The ring buffer's thread runs only in between, and so uses it
  // unlocked.
  std::unique_ptr<PipeWireOutput> stream;
  int rate = 48000;
  ChannelPlacement placement;  // the streaming thread's alone
};

enum Property { kPropertyTarget = 1, kPropertyName, kPropertyConnected };

}  // namespace

struct TactusAudioSink {
  GstAudioSink parent;
  Output* output;
};
struct TactusAudioSinkClass {
  GstAudioSinkClass parent;
};

G_DEFINE_TYPE(TactusAudioSink, tactus_audio_sink, GST_TYPE_AUDIO_SINK)

namespace {

Output& outputOf(gpointer element) noexcept {
  return *reinterpret_cast<TactusAudioSink*>(element)->output;
}

void onConnection(TactusAudioSink* self, bool connected, const std::string& reason) {
  {
    const std::lock_guard lock(self->output->mutex);
    auto& output = *self->output;
    if (connected && output.lost) ++output.state.reconnects;
    output.lost = !connected && (output.lost || output.state.connected);
    output.state.connected = connected;
    output.state.reason = reason;
  }
  g_object_notify(G_OBJECT(self), "connected");
  GstStructure* fields = gst_structure_new("tactus-audio-output", "connected", G_TYPE_BOOLEAN, connected,
                                           "reason", G_TYPE_STRING, reason.c_str(), nullptr);
  gst_element_post_message(GST_ELEMENT_CAST(self), gst_message_new_element(GST_OBJECT_CAST(self), fields));
}

/// The format of the ring, whatever channels the sound has.
CapsPtr ringCaps(int rate) {
  return CapsPtr(gst_caps_new_simple("audio/x-raw", "format", G_TYPE_STRING, "F32LE", "layout", G_TYPE_STRING,
                                     "interleaved", "rate", G_TYPE_INT, rate, "channels", G_TYPE_INT,
                                     static_cast<int>(kSpeakers), "channel-mask", GST_TYPE_BITMASK,
                                     kSpeakerMask, nullptr));
}

/// Any channels, but no other rate while there is a ring.
GstCaps* getCaps(GstBaseSink* sink, GstCaps* filter) {
  CapsPtr caps(gst_pad_get_pad_template_caps(GST_BASE_SINK_PAD(sink)));
  {
    auto& output = outputOf(sink);
    const std::lock_guard lock(output.mutex);
    if (output.stream) {
      caps.reset(gst_caps_make_writable(caps.release()));
      gst_caps_set_simple(caps.get(), "rate", G_TYPE_INT, output.rate, nullptr);
    }
  }
  if (filter == nullptr) return caps.release();
  return gst_caps_intersect_full(filter, caps.get(), GST_CAPS_INTERSECT_FIRST);
}

/// The base class is told the ring's format alone. It would make a new ring for any other: what waits in the
/// old one would be lost, and the clock would jump.
gboolean setCaps(GstBaseSink* sink, GstCaps* caps) {
  GstAudioInfo sound;
  if (gst_audio_info_from_caps(&sound, caps) == FALSE) return FALSE;
  auto& output = outputOf(sink);
  output.placement = ChannelPlacement(sound);
  {
    const std::lock_guard lock(output.mutex);
    if (output.stream) output.stream->widen(output.placement.speakers());
  }
  // The next samples go where their time says, even if the sound before them ends later, as it does where
  // recordings are joined.
  GST_AUDIO_BASE_SINK(sink)->next_sample = G_MAXUINT64;
  return GST_BASE_SINK_CLASS(tactus_audio_sink_parent_class)
      ->set_caps(sink, ringCaps(GST_AUDIO_INFO_RATE(&sound)).get());
}

/// The sound in the ring's format.
GstBuffer* payload(GstAudioBaseSink* sink, GstBuffer* sound) {
  const auto& placement = outputOf(sink).placement;
  GstMapInfo from;
  if (gst_buffer_map(sound, &from, GST_MAP_READ) == FALSE) return nullptr;
  const std::span samples(reinterpret_cast<const float*>(from.data), from.size / sizeof(float));
  const std::size_t frames = samples.size() / placement.channels();
  BufferPtr spread(gst_buffer_new_allocate(nullptr, frames * sizeof(SpeakerFrame), nullptr));
  GstMapInfo into;
  if (spread && gst_buffer_map(spread.get(), &into, GST_MAP_WRITE) != FALSE) {
    placement.spread(samples, {reinterpret_cast<SpeakerFrame*>(into.data), frames});
    gst_buffer_unmap(spread.get(), &into);
    gst_buffer_copy_into(spread.get(), sound,
                         static_cast<GstBufferCopyFlags>(GST_BUFFER_COPY_FLAGS | GST_BUFFER_COPY_TIMESTAMPS),
                         0, G_MAXSIZE);
  }
  gst_buffer_unmap(sound, &from);
  return spread.release();
}

gboolean prepare(GstAudioSink* sink, GstAudioRingBufferSpec* spec) {
  auto* self = reinterpret_cast<TactusAudioSink*>(sink);
  auto& output = *self->output;
  try {
    const int rate = GST_AUDIO_INFO_RATE(&spec->info);
    PipeWireOutput::Config config;
    config.rate = rate;
    config.speakers = output.placement.speakers();
    {
      const std::lock_guard lock(output.mutex);
      config.target = output.target;
      config.name = output.name;
    }
    auto stream = std::make_unique<PipeWireOutput>(
        std::move(config),
        [self](bool connected, const std::string& reason) { onConnection(self, connected, reason); });
    const std::lock_guard lock(output.mutex);
    output.rate = rate;
    output.stream = std::move(stream);
    return TRUE;
  } catch (const std::exception&
               failure) {  // out of memory or threads; nothing may pass into GStreamer's C frames
    GST_ELEMENT_ERROR(sink, RESOURCE, OPEN_WRITE, ("The sound could not be set up."), ("%s", failure.what()));
    return FALSE;
  }
}

gboolean unprepare(GstAudioSink* sink) {
  auto& output = outputOf(sink);
  std::unique_ptr<PipeWireOutput> ended;  // ends outside the lock, which its handler takes
  {
    const std::lock_guard lock(output.mutex);
    if (output.stream) output.state.underruns += output.stream->underruns();
    ended = std::move(output.stream);
  }
  ended.reset();
  const std::lock_guard lock(output.mutex);
  output.state.connected = false;
  output.state.reason.clear();
  output.lost = false;
  return TRUE;
}

gint write(GstAudioSink* sink, gpointer data, guint length) {
  outputOf(sink).stream->write(static_cast<const std::byte*>(data), length);
  return static_cast<gint>(length);
}

guint delay(GstAudioSink* sink) {
  auto& output = outputOf(sink);
  const std::lock_guard lock(output.mutex);
  if (!output.stream) return 0;
  return static_cast<guint>(output.stream->delay().count() * output.rate / 1'000'000'000);
}

void halt(GstAudioSink* sink, PipeWireOutput::Remainder remainder) {
  auto& output = outputOf(sink);
  const std::lock_guard lock(output.mutex);
  if (output.stream) output.stream->pause(remainder);
}

void setProperty(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  auto& output = outputOf(object);
  const std::lock_guard lock(output.mutex);
  const char* text = g_value_get_string(value);
  switch (id) {
    case kPropertyTarget:
      output.target = text != nullptr ? text : "";
      break;
    case kPropertyName:
      output.name = text != nullptr ? text : "";
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

void getProperty(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  auto& output = outputOf(object);
  const std::lock_guard lock(output.mutex);
  switch (id) {
    case kPropertyTarget:
      g_value_set_string(value, output.target.c_str());
      break;
    case kPropertyName:
      g_value_set_string(value, output.name.c_str());
      break;
    case kPropertyConnected:
      g_value_set_boolean(value, output.state.connected);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

}  // namespace

static void tactus_audio_sink_init(TactusAudioSink* self) {
  self->output = new Output;
  // 10 ms segments as GStreamer's default; 100 ms in its ring on top of the 60 ms of ours.
  g_object_set(self, "buffer-time", G_GINT64_CONSTANT(100000), nullptr);
}

static void tactus_audio_sink_class_init(TactusAudioSinkClass* klass) {
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = setProperty;
  object->get_property = getProperty;
  object->finalize = [](GObject* self) {
    delete reinterpret_cast<TactusAudioSink*>(self)->output;
    G_OBJECT_CLASS(tactus_audio_sink_parent_class)->finalize(self);
  };
  const auto both = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_property(
      object, kPropertyTarget,
      g_param_spec_string("target-object", "Target",
                          "PipeWire node name or serial; empty is the default device", "", both));
  g_object_class_install_property(
      object, kPropertyName,
      g_param_spec_string("stream-name", "Name", "What a mixer shows", "Tactus", both));
  g_object_class_install_property(
      object, kPropertyConnected,
      g_param_spec_boolean("connected", "Connected", "Whether sound reaches a device", FALSE,
                           static_cast<GParamFlags>(G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)));
  auto* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element, "Tactus audio sink", "Sink/Audio",
                                        "Plays to PipeWire and survives its absence", "The Tactus authors");
  const CapsPtr caps(
      gst_caps_from_string("audio/x-raw, format=F32LE, layout=interleaved, "
                           "rate=(int)[8000, 384000], channels=(int)[1, 8]"));
  gst_element_class_add_pad_template(element,
                                     gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps.get()));
  GST_BASE_SINK_CLASS(klass)->get_caps = getCaps;
  GST_BASE_SINK_CLASS(klass)->set_caps = setCaps;
  GST_AUDIO_BASE_SINK_CLASS(klass)->payload = payload;
  auto* sink = GST_AUDIO_SINK_CLASS(klass);
  sink->open = [](GstAudioSink*) -> gboolean { return TRUE; };
  sink->close = [](GstAudioSink*) -> gboolean { return TRUE; };
  sink->prepare = prepare;
  sink->unprepare = unprepare;
  sink->write = write;
  sink->delay = delay;
  sink->reset = [](GstAudioSink* self) { halt(self, PipeWireOutput::Remainder::Discard); };
  sink->pause = [](GstAudioSink* self) { halt(self, PipeWireOutput::Remainder::Keep); };
}

namespace tactus::plugins {

AudioSinkState audioSinkState(GstElement* element) {
  auto& output = outputOf(element);
  const std::lock_guard lock(output.mutex);
  AudioSinkState state = output.state;
  if (output.stream) state.underruns += output.stream->underruns();
  return state;
}

GType audioSinkType() {
  return tactus_audio_sink_get_type();
}

}  // namespace tactus::plugins
