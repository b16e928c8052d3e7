// SPDX-License-Identifier: Apache-2.0
// `tactusavdec`: any decoder of libavcodec, in software or on a device, for the packets of `tactusavsrc`. It
// decodes in the thread that brings the packets, whose loop is ours.
#include <gst/audio/audio.h>
#include <gst/video/video-event.h>
#include <gst/video/video.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/av/av_limits.h"
#include "plugins/av/av_log.h"
#include "plugins/av/decoded_picture.h"
#include "plugins/av/decoded_sound.h"
#include "plugins/av/decoder.h"
#include "plugins/av/decoder_choice.h"
#include "plugins/av/frame_times.h"
#include "plugins/av/known_format.h"
#include "plugins/av/packet_format.h"
#include "plugins/elements.h"

using namespace tactus;
using namespace tactus::plugins;

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

struct Decoding {
  std::atomic<int> threads{1};
  std::atomic<av::HardwareWish> wish{av::HardwareWish::None};

  // Streaming thread only.
  std::unique_ptr<av::Decoder> decoder;
  av::DecoderChoice choice;
  av::ParametersPtr parameters;  // of the stream
  bool pictures = false;
  AVRational rate{0, 1};
  bool discont = false;  // what is decoded next does not follow what was before
  av::FrameTimes times;
  guint64 decoded = 0, damaged = 0;
  std::optional<GstVideoInfo> video;
  std::optional<GstAudioInfo> audio;
  bool interlaced = false;  // since one picture was
  av::KnownFormat known;
  std::vector<EventPtr> afterTheFormat;  // sticky events that must not come before it
};

enum Property { kMaxThreads = 1, kHardware };
guint opensSignal = 0;

}  // namespace

struct TactusAvDec {
  GstElement parent;
  GstPad* sink;
  GstPad* source;
  Decoding* decoding;
};
struct TactusAvDecClass {
  GstElementClass parent;
};

G_DEFINE_TYPE(TactusAvDec, tactus_av_dec, GST_TYPE_ELEMENT)

namespace {

TactusAvDec& of(gpointer element) noexcept {
  return *reinterpret_cast<TactusAvDec*>(element);
}

/// One warning for each packet or picture: who plays the film counts pictures. Of sound a decoder does
/// without the first packets after a cut, and says that they are damaged.
void noteDamage(TactusAvDec& self) {
  ++self.decoding->damaged;
  if (!self.decoding->pictures) return;
  GST_ELEMENT_WARNING(&self, STREAM, DECODE, ("The stream is damaged."), (nullptr));
}

/// What waited for the format.
void pushWaiting(TactusAvDec& self) {
  for (auto& event : std::exchange(self.decoding->afterTheFormat, {}))
    (void)gst_pad_push_event(self.source, event.release());
}

/// Caps first, then what waited for them.
bool pushFormat(TactusAvDec& self, CapsPtr caps) {
  const bool taken = gst_pad_push_event(self.source, gst_event_new_caps(caps.get())) != FALSE;
  pushWaiting(self);
  return taken;
}

bool negotiate(TactusAvDec& self, const AVFrame& frame) {
  Decoding& decoding = *self.decoding;
  if (!decoding.pictures) {
    const auto info = av::infoOf(frame);
    if (!info) return false;
    if (decoding.audio && gst_audio_info_is_equal(&*info, &*decoding.audio) != FALSE) return true;
    decoding.audio = info;
    return pushFormat(self, CapsPtr(gst_audio_info_to_caps(&*info)));
  }
  auto info = av::infoOf(frame, decoding.rate);
  if (!info) return false;
  decoding.interlaced = decoding.interlaced || frame.interlaced_frame != 0;
  if (decoding.interlaced) info->interlace_mode = GST_VIDEO_INTERLACE_MODE_MIXED;
  if (decoding.video && gst_video_info_is_equal(&*info, &*decoding.video) != FALSE) return true;
  decoding.video = info;
  return pushFormat(self, CapsPtr(gst_video_info_to_caps(&*info)));
}

void setFields(const AVFrame& frame, GstBuffer* buffer) {
  if (frame.interlaced_frame != 0) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_INTERLACED);
  if (frame.top_field_first != 0) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_TFF);
  if (frame.repeat_pict == 1) GST_BUFFER_FLAG_SET(buffer, GST_VIDEO_BUFFER_FLAG_RFF);
}

BufferPtr bufferOf(TactusAvDec& self, const AVFrame& frame) {
  Decoding& decoding = *self.decoding;
  if (!decoding.pictures) return av::bufferOf(frame, *decoding.audio);
  BufferPtr buffer = av::bufferOf(frame, *decoding.video);
  if (buffer && decoding.interlaced) setFields(frame, buffer.get());
  return buffer;
}

GstFlowReturn push(TactusAvDec& self, av::FramePtr frame) {
  Decoding& decoding = *self.decoding;
  if ((frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame->decode_error_flags != 0) noteDamage(self);
  if (decoding.pictures) frame = decoding.known.of(std::move(frame));
  if (!frame || !negotiate(self, *frame)) {
    noteDamage(self);
    return GST_FLOW_OK;
  }
  BufferPtr buffer = bufferOf(self, *frame);
  if (!buffer || !decoding.times.set(*frame, decoding.rate, buffer.get())) return GST_FLOW_OK;
  if (std::exchange(decoding.discont, false)) GST_BUFFER_FLAG_SET(buffer.get(), GST_BUFFER_FLAG_DISCONT);
  ++decoding.decoded;
  return gst_pad_push(self.source, buffer.release());
}

GstFlowReturn pushDecoded(TactusAvDec& self) {
  GstFlowReturn flow = GST_FLOW_OK;
  while (flow == GST_FLOW_OK) {
    av::FramePtr frame = self.decoding->decoder->receive();
    if (!frame) break;
    flow = push(self, std::move(frame));
  }
  return flow;
}

void drain(TactusAvDec& self) {
  if (!self.decoding->decoder) return;
  self.decoding->decoder->drain();
  (void)pushDecoded(self);
  self.decoding->decoder->flush();
}

/// What decodes the pictures, and why it is no device although one is wished.
void tellDecoder(TactusAvDec& self) {
  const av::DecoderChoice& choice = self.decoding->choice;
  const std::string device(choice.chosen() != nullptr ? nameOf(choice.chosen()->kind) : "");
  gst_element_post_message(
      GST_ELEMENT_CAST(&self),
      gst_message_new_element(GST_OBJECT_CAST(&self),
                              gst_structure_new("tactus-decoder", "device", G_TYPE_STRING, device.c_str(),
                                                "why", G_TYPE_STRING, choice.why().c_str(), nullptr)));
}

bool openDecoder(TactusAvDec& self) {
  Decoding& decoding = *self.decoding;
  for (;;) {
    const auto wish = decoding.pictures ? decoding.wish.load(kRelaxed) : av::HardwareWish::None;
    const av::HardwareDevice* device = decoding.choice.choose(wish);
    const std::string name(device != nullptr ? nameOf(device->kind) : "");
    g_signal_emit(&self, opensSignal, 0, name.c_str());
    auto opened =
        av::Decoder::open(*decoding.parameters, decoding.rate, decoding.threads.load(kRelaxed), device);
    if (opened.ok()) {
      decoding.decoder = std::move(opened).value();
      if (decoding.pictures) tellDecoder(self);
      return true;
    }
    if (device == nullptr) {
      decoding.decoder.reset();
      GST_ELEMENT_ERROR(&self, STREAM, CODEC_NOT_FOUND, ("%s", opened.error().message.c_str()), (nullptr));
      return false;
    }
    decoding.choice.refuse(*decoding.parameters);
  }
}

/// Another decoder can go on from a keyframe only.
bool followWish(TactusAvDec& self) {
  Decoding& decoding = *self.decoding;
  const auto wish = decoding.wish.load(kRelaxed);
  if (!decoding.pictures || !decoding.choice.isOld(wish)) return true;
  const av::HardwareDevice* before = decoding.choice.chosen();
  if (decoding.choice.choose(wish) == before) {
    tellDecoder(self);
    return true;
  }
  drain(self);
  return openDecoder(self);
}

/// The device does not decode the stream, or no longer. In its midst nothing is shown until a keyframe comes.
bool leaveDevice(TactusAvDec& self) {
  self.decoding->choice.refuse(*self.decoding->parameters);
  drain(self);
  return openDecoder(self);
}

GstFlowReturn onPacket(GstPad*, GstObject* parent, GstBuffer* buffer) {
  TactusAvDec& self = of(parent);
  Decoding& decoding = *self.decoding;
  const BufferPtr held(buffer);
  const AVPacket* packet = av::packetOf(buffer);
  if (!decoding.decoder || packet == nullptr) return GST_FLOW_NOT_NEGOTIATED;
  if (!GST_BUFFER_FLAG_IS_SET(buffer, GST_BUFFER_FLAG_DELTA_UNIT) && !followWish(self))
    return GST_FLOW_NOT_NEGOTIATED;
  if (GST_BUFFER_IS_DISCONT(buffer)) {
    decoding.discont = true;
    decoding.times.forget();
  }
  for (;;) {
    const auto fate = decoding.decoder->send(packet);
    if (fate == av::Decoder::Fate::Refused) {
      if (!leaveDevice(self)) return GST_FLOW_NOT_NEGOTIATED;
      continue;
    }
    if (fate == av::Decoder::Fate::Damaged) noteDamage(self);
    const GstFlowReturn flow = pushDecoded(self);
    if (flow != GST_FLOW_OK || fate != av::Decoder::Fate::Full) return flow;
  }
}

bool open(TactusAvDec& self, GstEvent* event) {
  drain(self);
  GstCaps* caps = nullptr;  // borrowed
  gst_event_parse_caps(event, &caps);
  const AVCodecParameters* parameters = av::parametersOf(caps);
  if (parameters == nullptr) return false;
  Decoding& decoding = *self.decoding;
  decoding.parameters = av::copyOf(*parameters);
  if (!decoding.parameters) return false;
  decoding.pictures = parameters->codec_type == AVMEDIA_TYPE_VIDEO;
  decoding.rate = av::rateOf(caps);
  decoding.video.reset();
  decoding.audio.reset();
  decoding.interlaced = false;
  decoding.choice.forget();
  return openDecoder(self);
}

/// What comes behind the format in a stream of events waits until there is one.
gboolean forward(TactusAvDec& self, GstEvent* event) {
  const bool waits = GST_EVENT_IS_STICKY(event) && GST_EVENT_TYPE(event) > GST_EVENT_CAPS &&
                     GST_EVENT_TYPE(event) != GST_EVENT_EOS && !self.decoding->video && !self.decoding->audio;
  if (!waits) return gst_pad_push_event(self.source, event);
  self.decoding->afterTheFormat.emplace_back(event);
  return TRUE;
}

void end(TactusAvDec& self) {
  drain(self);
  pushWaiting(self);
  if (self.decoding->decoded == 0 && self.decoding->damaged > 0)
    GST_ELEMENT_ERROR(&self, STREAM, DECODE, ("Nothing of the stream can be decoded."), (nullptr));
}

gboolean onEvent(GstPad*, GstObject* parent, GstEvent* event) {
  TactusAvDec& self = of(parent);
  gboolean in = FALSE;
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START:
      drain(self);  // before what comes next is announced
      return gst_pad_push_event(self.source, event);
    case GST_EVENT_CAPS: {
      const EventPtr held(event);
      return open(self, event) ? TRUE : FALSE;
    }
    case GST_EVENT_FLUSH_STOP:
      if (self.decoding->decoder) self.decoding->decoder->flush();
      self.decoding->times.forget();
      return gst_pad_push_event(self.source, event);
    case GST_EVENT_EOS:
      end(self);
      return gst_pad_push_event(self.source, event);
    case GST_EVENT_CUSTOM_DOWNSTREAM:
      // A still: what is kept back for the order of pictures is the picture to show.
      if (gst_video_event_parse_still_frame(event, &in) != FALSE && in != FALSE) drain(self);
      return gst_pad_push_event(self.source, event);
    default:
      return forward(self, event);
  }
}

GstStateChangeReturn changeState(GstElement* element, GstStateChange change) {
  const auto result = GST_ELEMENT_CLASS(tactus_av_dec_parent_class)->change_state(element, change);
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) {
    Decoding& decoding = *of(element).decoding;
    decoding.decoder.reset();
    decoding.video.reset();
    decoding.audio.reset();
    decoding.afterTheFormat.clear();
    decoding.times.forget();
    decoding.decoded = decoding.damaged = 0;
  }
  return result;
}

void setProperty(GObject* object, guint id, const GValue* value, GParamSpec* spec) {
  if (id == kMaxThreads) {
    of(object).decoding->threads.store(g_value_get_int(value), kRelaxed);
  } else if (id == kHardware) {
    const char* name = g_value_get_string(value);
    const auto wish = av::hardwareWishOf(name != nullptr ? name : "");
    if (!wish) return g_warning("tactusavdec: hardware is auto, no, vaapi or cuda");
    if (*wish != av::HardwareWish::None) av::Hardware::lookFor();
    of(object).decoding->wish.store(*wish, kRelaxed);
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

void getProperty(GObject* object, guint id, GValue* value, GParamSpec* spec) {
  if (id == kMaxThreads) {
    g_value_set_int(value, of(object).decoding->threads.load(kRelaxed));
  } else if (id == kHardware) {
    g_value_set_string(value, std::string(nameOf(of(object).decoding->wish.load(kRelaxed))).c_str());
  } else {
    G_OBJECT_WARN_INVALID_PROPERTY_ID(object, id, spec);
  }
}

}  // namespace

static void tactus_av_dec_init(TactusAvDec* self) {
  self->decoding = new Decoding;
  auto* klass = GST_ELEMENT_GET_CLASS(self);
  self->sink = gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "sink"), "sink");
  self->source = gst_pad_new_from_template(gst_element_class_get_pad_template(klass, "src"), "src");
  gst_pad_set_chain_function(self->sink, onPacket);
  gst_pad_set_event_function(self->sink, onEvent);
  gst_pad_use_fixed_caps(self->source);
  gst_element_add_pad(GST_ELEMENT_CAST(self), self->sink);
  gst_element_add_pad(GST_ELEMENT_CAST(self), self->source);
}

static void tactus_av_dec_class_init(TactusAvDecClass* klass) {
  av::logToGStreamer();
  av::boundAllocations();
  auto* object = G_OBJECT_CLASS(klass);
  object->set_property = setProperty;
  object->get_property = getProperty;
  object->finalize = [](GObject* self) {
    delete of(self).decoding;
    G_OBJECT_CLASS(tactus_av_dec_parent_class)->finalize(self);
  };
  g_object_class_install_property(
      object, kMaxThreads,
      g_param_spec_int("max-threads", "Threads", "How many threads decode; holds from the next stream on", 1,
                       64, 1, static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
  g_object_class_install_property(
      object, kHardware,
      g_param_spec_string(
          "hardware", "Hardware",
          "Device that may decode pictures, from the next keyframe on: auto, no, vaapi or cuda", "no",
          static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS)));
  // In the streaming thread, before a decoder is opened; the device that is to decode, empty in software.
  opensSignal = g_signal_new("opens", G_TYPE_FROM_CLASS(klass), G_SIGNAL_RUN_LAST, 0, nullptr, nullptr,
                             nullptr, G_TYPE_NONE, 1, G_TYPE_STRING);
  auto* element = GST_ELEMENT_CLASS(klass);
  gst_element_class_set_static_metadata(element, "Tactus decoder", "Codec/Decoder/Video/Audio",
                                        "Decodes what tactusavsrc reads, by libavcodec",
                                        "The Tactus authors");
  const CapsPtr packets(av::packetCaps());
  const CapsPtr raw(gst_caps_from_string("video/x-raw; audio/x-raw, layout=(string)interleaved"));
  gst_element_class_add_pad_template(
      element, gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, packets.get()));
  gst_element_class_add_pad_template(element,
                                     gst_pad_template_new("src", GST_PAD_SRC, GST_PAD_ALWAYS, raw.get()));
  element->change_state = changeState;
}

namespace tactus::plugins {

GType avDecoderType() {
  return tactus_av_dec_get_type();
}

}  // namespace tactus::plugins
