// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_sink.h"

#include <gst/video/gstvideosink.h>
#include <gst/video/video.h>

#include <algorithm>
#include <atomic>
#include <string>

#include "plugins/elements.h"
#include "plugins/gst_handle.h"
#include "plugins/orientation.h"
#include "plugins/picture_conversion.h"
#include "plugins/picture_timing.h"
#include "plugins/sink_attachments.h"
#include "plugins/sink_formats.h"
#include "plugins/snapshot.h"
#include "plugins/stream_end.h"

using namespace tactus;
using namespace tactus::plugins;
using periodic::Duration;
using periodic::TimePoint;

namespace {

// What Task::abandon() gets for a picture that was shown ahead of time (preroll): its laxity would mean
// nothing.
constexpr std::int64_t kShownEarly = -1;

constexpr Duration kLongestPreroll = std::chrono::seconds(3);  // for what lies over the picture

/// The C++ half of the element.
struct Sink {
  SinkAttachments attachments;
  periodic::KernelTime kernelTime;

  // Streaming thread only (under the pad's stream lock).
  GstPadChainFunction chain = nullptr;  // the base class's
  GstVideoInfo info{};
  PictureConversion conversion;
  bool configured = false;
  StreamEnd end;
  bool reachedPrepare = false;  // the frame in the chain function was not dropped on the way
  // The frame that waits for its display time, and for whom it was converted. A reference is held so that the
  // address stays its own.
  BufferPtr prepared, planar;                // `planar`: what is shown of it to a target that converts itself
  std::shared_ptr<VideoTarget> preparedFor;  // shared: the window may close meanwhile
  BufferPtr shownEarly;                      // in preroll; basesink renders the same buffer once it plays
  periodic::FrequencyFilter counting;        // for films whose pictures have no numbers

  VideoSinkCounters counters;
  void forgetFrames() noexcept {
    prepared.reset();
    planar.reset();
    preparedFor.reset();
    shownEarly.reset();
  }
};

}  // namespace

struct TactusVideoSink {
  GstVideoSink parent;
  Sink* sink;
};
struct TactusVideoSinkClass {
  GstVideoSinkClass parent;
};

G_DEFINE_TYPE(TactusVideoSink, tactus_video_sink, GST_TYPE_VIDEO_SINK)

namespace {

Sink& sinkOf(gpointer element) noexcept {
  return *reinterpret_cast<TactusVideoSink*>(element)->sink;
}

GstCaps* getCaps(GstBaseSink* base, GstCaps* filter) {
  const auto target = sinkOf(base).attachments.current().target;
  CapsPtr caps(sinkCaps(target && !target->wantsRgb32()));
  if (filter == nullptr) return caps.release();
  return gst_caps_intersect_full(filter, caps.get(), GST_CAPS_INTERSECT_FIRST);
}

gboolean setCaps(GstBaseSink* base, GstCaps* caps) {
  Sink& sink = sinkOf(base);
  if (!gst_video_info_from_caps(&sink.info, caps)) return FALSE;
  sink.attachments.capsChanged();
  return TRUE;
}

gboolean proposeAllocation(GstBaseSink*, GstQuery* query) {
  // We read strides from each buffer, so that a decoder need not copy out of its padded pictures.
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return TRUE;
}

/// Not real-time-safe: after a change of caps, target or orientation only.
bool configure(TactusVideoSink* self, VideoTarget& target, Orientation orientation) noexcept try {
  const auto ready = self->sink->conversion.configure(self->sink->info, orientation, target);
  if (ready.ok()) return true;
  GST_ELEMENT_ERROR(self, STREAM, FORMAT, ("%s", ready.error().message.c_str()), (nullptr));
  return false;
} catch (const std::exception& failure) {  // out of memory; nothing may pass into GStreamer's C frames
  GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("There is no memory for pictures of this size."),
                    ("%s", failure.what()));
  return false;
}

/// By what the frames' instants are read: as the task's packets are, where there is one.
periodic::TimeSource& timeOf(Sink& sink, const periodic::Task* task) noexcept {
  return task != nullptr ? task->time() : sink.kernelTime;
}

/// The costly half, ahead of the wait for the display time. basesink calls it for a preroll and again for the
/// same buffer once it plays.
GstFlowReturn prepare(GstBaseSink* base, GstBuffer* buffer) {
  auto* self = reinterpret_cast<TactusVideoSink*>(base);
  Sink& sink = *self->sink;
  sink.reachedPrepare = true;
  const auto [attached, changed] = sink.attachments.takeChanges();
  const auto& target = attached.target;
  if (changed) {
    sink.configured = false;
    sink.forgetFrames();
  }
  if (sink.shownEarly.get() == buffer || sink.prepared.get() == buffer) return GST_FLOW_OK;
  sink.forgetFrames();
  if (!target) return GST_FLOW_OK;
  if (attached.filter) sink.conversion.setSize(attached.filter->size());
  if (sink.configured && target->wantsRgb32() && sink.conversion.outgrown(*target)) sink.configured = false;
  if (!sink.configured && !configure(self, *target, attached.orientation)) return GST_FLOW_NOT_NEGOTIATED;
  sink.configured = true;
  const auto timing = timesOf(base, buffer, frameDuration(sink.info, buffer),
                              timeOf(sink, attached.task.get()), kLongestPreroll);
  if (!target->wantsRgb32()) sink.planar = sink.conversion.planar(buffer, timing, attached.overlay.get());
  const bool ready =
      target->wantsRgb32()
          ? sink.conversion.convert(*target, buffer, timing, attached.task.get(), attached.overlay.get())
          : sink.planar != nullptr;
  if (!ready) return GST_FLOW_OK;
  sink.prepared.reset(gst_buffer_ref(buffer));
  sink.preparedFor = target;
  return GST_FLOW_OK;
}

void reportShown(GstBaseSink* base, GstBuffer* buffer, const std::function<void(FrameSpan)>& shown) {
  const auto begin = filmInstant(base->segment, buffer);
  if (!begin) return;
  shown({*begin, *begin + frameDuration(sinkOf(base).info, buffer).count()});
}

/// The cheap half, at the display time. False when nobody could be shown the frame.
bool handOver(GstBaseSink* base, GstBuffer* buffer, const Attached& attached, TimePoint due) noexcept {
  Sink& sink = sinkOf(base);
  // A target set since prepare() has no converted picture yet; it gets one now rather than none.
  if (sink.prepared.get() != buffer || sink.preparedFor != attached.target) {
    sink.forgetFrames();
    if (prepare(base, buffer) != GST_FLOW_OK || sink.prepared.get() != buffer) return false;
  }
  const auto target = std::exchange(sink.preparedFor, nullptr);
  sink.prepared.reset();
  if (sink.conversion.laidOver() != attached.above)
    (void)sink.attachments.setAbove(sink.conversion.laidOver());
  // Told first: who sees the picture may ask at once where it ends.
  if (attached.shown && *attached.shown) reportShown(base, buffer, *attached.shown);
  const BufferPtr planar = std::move(sink.planar);
  const bool replaced =
      target->wantsRgb32() ? target->presentRgb32(due) : target->presentPlanar(planar.get(), due);
  if (replaced) sink.counters.drop(DropReason::Replaced);
  return true;
}

GstFlowReturn prerollFrame(GstBaseSink* base, GstBuffer* buffer) {
  Sink& sink = sinkOf(base);
  if (sink.shownEarly.get() == buffer) return GST_FLOW_OK;
  const Attached attached = sink.attachments.current();
  if (handOver(base, buffer, attached, timeOf(sink, attached.task.get()).now()))
    sink.shownEarly.reset(gst_buffer_ref(buffer));
  if (attached.task) attached.task->abandon(kShownEarly);
  return GST_FLOW_OK;
}

GstFlowReturn showFrame(GstVideoSink* video, GstBuffer* buffer) {
  auto* base = GST_BASE_SINK_CAST(video);
  Sink& sink = sinkOf(video);
  const Attached attached = sink.attachments.current();
  if (const BufferPtr early = std::move(sink.shownEarly); early.get() == buffer) {
    sink.counters.submit();
    return GST_FLOW_OK;
  }
  const TimePoint due = dueOnScreen(base, buffer, timeOf(sink, attached.task.get()));
  if (!handOver(base, buffer, attached, due)) {
    sink.counters.drop(DropReason::Hidden);
    if (attached.task) attached.task->abandon(static_cast<std::int64_t>(DropReason::Hidden));
    return GST_FLOW_OK;
  }
  sink.counters.submit();
  // The picture may stay until the next one is due: that is the deadline of the hand-over.
  if (attached.task) attached.task->complete(due + frameDuration(sink.info, buffer));
  return GST_FLOW_OK;
}

/// Whether the picture is to be given up. In PAUSED everything passes: it is what the user looks at.
bool sheds(GstBaseSink* base, PictureFilter& filter, GstBuffer* buffer) noexcept {
  if (GST_STATE(base) != GST_STATE_PLAYING) return false;
  if (GST_BUFFER_PTS_IS_VALID(buffer)) {
    if (const auto runs = filter.runs(Duration(static_cast<std::int64_t>(GST_BUFFER_PTS(buffer)))))
      return !*runs;
  }
  auto& counting = sinkOf(base).counting;
  counting.setFrequency(filter.frequency());
  return !counting.next();
}

/// Around the base class's chain function: sees every frame, and which of them it dropped. (Its `stats`
/// property also counts skipped steps, and starts anew with every flush.)
GstFlowReturn onFrame(GstPad* pad, GstObject* parent, GstBuffer* buffer) {
  auto* base = GST_BASE_SINK_CAST(parent);
  Sink& sink = sinkOf(parent);
  const Attached attached = sink.attachments.current();
  const auto& task = attached.task;
  sink.counters.arrive();
  if (attached.filter && sheds(base, *attached.filter, buffer)) {
    sink.counters.drop(DropReason::ShedBeforeConversion);
    gst_buffer_unref(buffer);
    return GST_FLOW_OK;
  }
  if (task) task->pass({}, periodic::ByteCount{gst_buffer_get_size(buffer)});
  sink.reachedPrepare = false;
  const GstClockTime stamp = GST_BUFFER_PTS(buffer);
  const GstClockTime stop =
      GST_BUFFER_DURATION_IS_VALID(buffer) ? stamp + GST_BUFFER_DURATION(buffer) : stamp;
  sink.end.note(base->segment, stop);
  const GstFlowReturn result = sink.chain(pad, parent, buffer);
  if (result != GST_FLOW_OK || sink.reachedPrepare) return result;
  // Outside the segment: decoded only to reach a seek's target. In PAUSED: passed over by a step.
  const bool inside = gst_segment_clip(&base->segment, GST_FORMAT_TIME, stamp, stop, nullptr, nullptr);
  if (!inside || GST_STATE(base) != GST_STATE_PLAYING) {
    if (task) task->abandon(kShownEarly);
    return result;
  }
  sink.counters.drop(DropReason::LateAtSink);
  if (task) task->abandon(static_cast<std::int64_t>(DropReason::LateAtSink));
  return result;
}

GstFlowReturn onFrameList(GstPad* pad, GstObject* parent, GstBufferList* list) {
  GstFlowReturn result = GST_FLOW_OK;
  for (guint i = 0; i < gst_buffer_list_length(list) && result == GST_FLOW_OK; ++i) {
    result = onFrame(pad, parent, gst_buffer_ref(gst_buffer_list_get(list, i)));
  }
  gst_buffer_list_unref(list);
  return result;
}

/// With the preroll lock held. False if a flush came first.
bool beginStream(GstBaseSink* base, GstEvent* event) {
  Sink& sink = sinkOf(base);
  if (!sink.end.await(base)) return false;
  setOrientation(GST_ELEMENT_CAST(base), {});  // the next film has its own tags
  guint group = 0;
  const auto told = sink.attachments.current().stream;
  if (!told || !*told || gst_event_parse_group_id(event, &group) == FALSE) return true;
  GST_BASE_SINK_PREROLL_UNLOCK(base);  // who is told has locks of its own
  (*told)(group);
  GST_BASE_SINK_PREROLL_LOCK(base);
  return true;
}

gboolean onEvent(GstBaseSink* base, GstEvent* event) {
  Sink& sink = sinkOf(base);
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_STOP:
      sink.forgetFrames();
      sink.end.forget();
      break;
    case GST_EVENT_STREAM_START:
      if (beginStream(base, event)) break;
      gst_event_unref(event);
      return FALSE;
    case GST_EVENT_TAG:
      if (const auto orientation = orientationIn(event)) setOrientation(GST_ELEMENT_CAST(base), *orientation);
      break;
    default:
      break;
  }
  return GST_BASE_SINK_CLASS(tactus_video_sink_parent_class)->event(base, event);
}

GstStateChangeReturn changeState(GstElement* element, GstStateChange change) {
  const auto result = GST_ELEMENT_CLASS(tactus_video_sink_parent_class)->change_state(element, change);
  // The streaming thread has left the pad by now.
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) sinkOf(element).forgetFrames();
  return result;
}

}  // namespace

static void tactus_video_sink_init(TactusVideoSink* self) {
  self->sink = new Sink;
  auto* base = GST_BASE_SINK_CAST(self);
  gst_base_sink_set_qos_enabled(base, TRUE);
  // basesink adds this to the frame's own duration: at 30 fps a picture is given up 53 ms, a frame and a
  // half, after its time. Earlier, and one hiccup costs a picture that could still be seen; later, and the
  // one after next is due as well.
  gst_base_sink_set_max_lateness(base, 20 * GST_MSECOND);
  gst_base_sink_set_processing_deadline(base, 15 * GST_MSECOND);
  GstPad* pad = GST_BASE_SINK_PAD(base);
  self->sink->chain = GST_PAD_CHAINFUNC(pad);
  gst_pad_set_chain_function(pad, onFrame);
  gst_pad_set_chain_list_function(pad, onFrameList);
}

static void tactus_video_sink_class_init(TactusVideoSinkClass* klass) {
  auto* object = G_OBJECT_CLASS(klass);
  auto* element = GST_ELEMENT_CLASS(klass);
  auto* base = GST_BASE_SINK_CLASS(klass);
  object->finalize = [](GObject* self) {
    delete reinterpret_cast<TactusVideoSink*>(self)->sink;
    G_OBJECT_CLASS(tactus_video_sink_parent_class)->finalize(self);
  };
  gst_element_class_set_static_metadata(element, "Tactus video sink", "Sink/Video",
                                        "Hands pictures to a tile at their display time",
                                        "The Tactus authors");
  const CapsPtr caps(sinkCaps(false));
  gst_element_class_add_pad_template(element,
                                     gst_pad_template_new("sink", GST_PAD_SINK, GST_PAD_ALWAYS, caps.get()));
  element->change_state = changeState;
  base->get_caps = getCaps;
  base->set_caps = setCaps;
  base->propose_allocation = proposeAllocation;
  base->prepare = prepare;
  base->preroll = prerollFrame;
  base->event = onEvent;
  GST_VIDEO_SINK_CLASS(klass)->show_frame = showFrame;
}

namespace tactus::plugins {

void setVideoTarget(GstElement* element, std::shared_ptr<VideoTarget> target) {
  const bool planar = target && !target->wantsRgb32();
  const auto old = sinkOf(element).attachments.setTarget(std::move(target));
  const bool wasPlanar = old && !old->wantsRgb32();
  if (planar != wasPlanar) gst_pad_push_event(GST_BASE_SINK_PAD(element), gst_event_new_reconfigure());
}

void setVideoSinkTask(GstElement* element, std::shared_ptr<periodic::Task> task) {
  (void)sinkOf(element).attachments.setTask(std::move(task));
}

void setPictureFilter(GstElement* element, std::shared_ptr<PictureFilter> filter) {
  (void)sinkOf(element).attachments.setFilter(std::move(filter));
}

void setPictureOverlay(GstElement* element, std::shared_ptr<PictureOverlay> overlay) {
  (void)sinkOf(element).attachments.setOverlay(std::move(overlay));
}

VideoSinkStatistics videoSinkStatistics(GstElement* element) {
  const Sink& sink = sinkOf(element);
  VideoSinkStatistics result = sink.counters.read();
  for (std::size_t i = 0; i < result.scaled.size(); ++i)
    result.scaled[i] = sink.conversion.scaled(static_cast<ScaleQuality>(i));
  return result;
}

ShownPicture shownPicture(GstElement* element) {
  GstSample* last = nullptr;
  g_object_get(element, "last-sample", &last, nullptr);
  const Attached attached = sinkOf(element).attachments.current();
  return {SamplePtr(last), attached.orientation, attached.above};
}

Result<Rgb32Picture> snapshot(GstElement* element) {
  const ShownPicture shown = shownPicture(element);
  return snapshotOf(shown.sample.get(), shown.orientation);
}

void setOrientation(GstElement* element, Orientation orientation) {
  sinkOf(element).attachments.setOrientation(orientation);
}

void setFrameShownCallback(GstElement* element, std::function<void(FrameSpan)> callback) {
  (void)sinkOf(element).attachments.setShown(
      std::make_shared<const std::function<void(FrameSpan)>>(std::move(callback)));
}

void setStreamCallback(GstElement* element, std::function<void(guint)> callback) {
  (void)sinkOf(element).attachments.setStream(
      std::make_shared<const std::function<void(guint)>>(std::move(callback)));
}

GType videoSinkType() {
  return tactus_video_sink_get_type();
}

}  // namespace tactus::plugins
