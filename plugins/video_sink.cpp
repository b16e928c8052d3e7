// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_sink.h"

#include <gst/video/gstvideosink.h>
#include <gst/video/video.h>

#include <atomic>
#include <mutex>
#include <string>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "plugins/aligned_memory.h"
#include "plugins/due_instant.h"
#include "plugins/elements.h"
#include "plugins/gst_handle.h"
#include "plugins/video_converter.h"

using namespace tactus;
using namespace tactus::plugins;
using periodic::Duration;
using periodic::MonotonicClock;
using periodic::TimePoint;

namespace {

constexpr std::size_t kReasons = static_cast<std::size_t>(DropReason::Count_);
constexpr auto kQualities = static_cast<std::size_t>(ScaleQuality::Count_);
/// While a window is being resized, its room changes with every frame.
constexpr Duration kRoomSettles = std::chrono::milliseconds(150);
/// A better quality may take this part of the time that is left, and of a period: a nicer picture is not
/// worth another window's place.
constexpr int kPartOfTimeLeft = 3;
constexpr int kPartOfPeriod = 8;
// relaxed: counters with one writer, read for statistics only.
constexpr auto kRelaxed = std::memory_order_relaxed;

// What Task::abandon() gets for a picture that was shown ahead of time (preroll): its laxity would mean
// nothing.
constexpr std::int64_t kShownEarly = -1;

/// What the application may exchange while the streaming thread runs.
struct Attached {
  std::shared_ptr<VideoTarget> target;   // shared: see setVideoTarget()
  std::shared_ptr<periodic::Task> task;  // shared: see setVideoSinkTask()
  std::shared_ptr<const std::function<void(FrameSpan)>>
      shown;                              // shared: replaced while a frame may be reporting
  std::shared_ptr<PictureFilter> filter;  // shared: see setPictureFilter()
  Orientation orientation;
};

/// The C++ half of the element.
struct Sink {
  // Guards `attached` and `changed`. Held for a few pointer copies, twice a frame by the streaming thread:
  // priority inheritance bounds that wait, where std::atomic<std::shared_ptr> would spin against a preempted
  // holder.
  periodic::PriorityInheritanceMutex mutex;
  Attached attached;
  bool changed = true;  // target, orientation or caps are new

  // Streaming thread only (under the pad's stream lock).
  GstPadChainFunction chain = nullptr;  // the base class's
  GstVideoInfo info{};
  VideoConverter converter;
  bool configured = false;
  PictureRoom room, roomAhead;  // in force; and the target's newest, until it has stayed the same for a while
  TimePoint roomChanged{};
  std::array<Duration, kQualities> cost{};  // of converting one picture at each quality, falling slowly
  bool reachedPrepare = false;              // the frame in the chain function was not dropped on the way
  // The frame that waits for its display time, and for whom it was converted. A reference is held so that the
  // address stays its own.
  BufferPtr prepared;
  std::shared_ptr<VideoTarget> preparedFor;  // shared: the window may close meanwhile
  BufferPtr shownEarly;                      // in preroll; basesink renders the same buffer once it plays
  periodic::FrequencyFilter counting;        // for films whose pictures have no numbers

  std::atomic<std::uint64_t> framesIn{0}, submitted{0};
  std::array<std::atomic<std::uint64_t>, kReasons> dropped{};
  std::array<std::atomic<std::uint64_t>, kQualities> scaled{};

  void count(DropReason reason) noexcept { dropped[static_cast<std::size_t>(reason)].fetch_add(1, kRelaxed); }
  void forgetFrames() noexcept {
    prepared.reset();
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

GstCaps* templateCaps(bool planar) {
  const std::string formats = planar ? "{ I420, NV12, BGRx }" : VideoConverter::formats();
  const std::string text = "video/x-raw, format=(string)" + formats +
                           ", width=(int)[1, 32767], height=(int)[1, 32767], framerate=(fraction)[0/1, max]";
  return gst_caps_from_string(text.c_str());
}

bool planarTakes(GstVideoFormat format) noexcept {
  return format == GST_VIDEO_FORMAT_I420 || format == GST_VIDEO_FORMAT_NV12 ||
         format == GST_VIDEO_FORMAT_BGRx;
}

Attached attachedOf(Sink& sink) noexcept {
  const std::lock_guard lock(sink.mutex);
  return sink.attached;
}

GstCaps* getCaps(GstBaseSink* base, GstCaps* filter) {
  const auto target = attachedOf(sinkOf(base)).target;
  CapsPtr caps(templateCaps(target && !target->wantsRgb32()));
  if (filter == nullptr) return caps.release();
  return gst_caps_intersect_full(filter, caps.get(), GST_CAPS_INTERSECT_FIRST);
}

gboolean setCaps(GstBaseSink* base, GstCaps* caps) {
  Sink& sink = sinkOf(base);
  if (!gst_video_info_from_caps(&sink.info, caps)) return FALSE;
  const std::lock_guard lock(sink.mutex);
  sink.changed = true;
  return TRUE;
}

gboolean proposeAllocation(GstBaseSink*, GstQuery* query) {
  // We read strides from each buffer, so that a decoder need not copy out of its padded pictures.
  gst_query_add_allocation_meta(query, GST_VIDEO_META_API_TYPE, nullptr);
  return TRUE;
}

/// Not real-time-safe: after a change of caps, target or orientation only.
bool configure(TactusVideoSink* self, VideoTarget& target, Orientation orientation) noexcept try {
  Sink& sink = *self->sink;
  if (target.wantsRgb32()) {
    sink.room = sink.roomAhead = target.room();
    sink.cost.fill(Duration{0});
    const auto ready = sink.converter.configure(sink.info, orientation, sink.room);
    if (!ready.ok()) {
      GST_ELEMENT_ERROR(self, STREAM, FORMAT, ("%s", ready.error().message.c_str()), (nullptr));
      return false;
    }
  }
  PictureFormat picture;
  picture.width = GST_VIDEO_INFO_WIDTH(&sink.info);
  picture.height = GST_VIDEO_INFO_HEIGHT(&sink.info);
  picture.parNumerator = GST_VIDEO_INFO_PAR_N(&sink.info);
  picture.parDenominator = GST_VIDEO_INFO_PAR_D(&sink.info);
  picture.orientation = orientation;
  if (target.wantsRgb32()) {
    picture.convertedWidth = sink.converter.width();
    picture.convertedHeight = sink.converter.height();
  }
  target.format(picture, sink.info);
  return true;
} catch (const std::exception& failure) {  // out of memory; nothing may pass into GStreamer's C frames
  GST_ELEMENT_ERROR(self, RESOURCE, FAILED, ("There is no memory for pictures of this size."),
                    ("%s", failure.what()));
  return false;
}

/// When the frame is due on the screen; now where nothing can be said of it.
TimePoint dueOnScreen(GstBaseSink* base, GstBuffer* buffer) noexcept {
  const auto running = runningTimeOf(base->segment, buffer);
  const auto due = running ? plugins::dueInstant(GST_ELEMENT_CAST(base), *running) : std::nullopt;
  return due.value_or(MonotonicClock::now());
}

Duration frameDuration(const Sink& sink, GstBuffer* buffer) noexcept {
  if (GST_BUFFER_DURATION_IS_VALID(buffer))
    return Duration(static_cast<std::int64_t>(GST_BUFFER_DURATION(buffer)));
  const int numerator = GST_VIDEO_INFO_FPS_N(&sink.info);
  if (numerator <= 0) return std::chrono::milliseconds(40);
  return Duration(static_cast<std::int64_t>(
      gst_util_uint64_scale_int(GST_SECOND, GST_VIDEO_INFO_FPS_D(&sink.info), numerator)));
}

/// The best scaling that there is time for: until the picture is due, and, as LBAP_poll says, until the next
/// one of the stream arrives logically. Who is behind its stream scales fast.
ScaleQuality affordable(Sink& sink, GstBuffer* buffer, TimePoint due) noexcept {
  const TimePoint now = MonotonicClock::now();
  Duration left = due - now;
  if (const auto task = attachedOf(sink).task) {
    const periodic::Verdict next = task->poll();
    if (next.conformance == periodic::Conformance::Critical) return ScaleQuality::Fast;
    left = std::min(left, next.logicalArrival - now);
  }
  const Duration most = std::min(left / kPartOfTimeLeft, frameDuration(sink, buffer) / kPartOfPeriod);
  for (std::size_t quality = kQualities - 1; quality > 0; --quality) {
    // One never tried is tried when there is plenty of time: it costs at most a few times what the fast one
    // does.
    const Duration cost = sink.cost[quality] > Duration::zero() ? sink.cost[quality] : 4 * sink.cost[0];
    if (cost > Duration::zero() && cost <= most) return static_cast<ScaleQuality>(quality);
  }
  return ScaleQuality::Fast;
}

/// Whether the room that the target has for pictures is another one, and not just passing.
bool roomSettled(Sink& sink, const VideoTarget& target) noexcept {
  const PictureRoom room = target.room();
  if (room == sink.room) {
    sink.roomAhead = room;
    return false;
  }
  const TimePoint now = MonotonicClock::now();
  if (room != sink.roomAhead) {
    sink.roomAhead = room;
    sink.roomChanged = now;
    return false;
  }
  return now - sink.roomChanged >= kRoomSettles;
}

/// Converts into a fresh picture of the target; false when the frame cannot be shown.
bool fill(Sink& sink, VideoTarget& target, GstBuffer* buffer, TimePoint due) noexcept {
  const Rgb32View view = target.beginRgb32();
  if (view.data == nullptr || view.width != sink.converter.width() ||
      view.height != sink.converter.height()) {
    return false;
  }
  GstVideoFrame frame;
  const auto flags = static_cast<GstMapFlags>(int{GST_MAP_READ} | int{GST_VIDEO_FRAME_MAP_FLAG_NO_REF});
  if (!gst_video_frame_map(&frame, &sink.info, buffer, flags)) return false;
  if (sink.converter.scales()) {
    const auto quality = static_cast<std::size_t>(affordable(sink, buffer, due));
    const TimePoint begin = MonotonicClock::now();
    sink.converter.convert(frame, view, static_cast<ScaleQuality>(quality));
    auto& cost = sink.cost[quality];
    cost = std::max<Duration>(MonotonicClock::now() - begin, cost - cost / 16);
    sink.scaled[quality].fetch_add(1, kRelaxed);
  } else {
    sink.converter.convert(frame, view);
  }
  gst_video_frame_unmap(&frame);
  return true;
}

/// The costly half, ahead of the wait for the display time. basesink calls it for a preroll and again for the
/// same buffer once it plays.
GstFlowReturn prepare(GstBaseSink* base, GstBuffer* buffer) {
  auto* self = reinterpret_cast<TactusVideoSink*>(base);
  Sink& sink = *self->sink;
  sink.reachedPrepare = true;
  std::shared_ptr<VideoTarget> target;
  Orientation orientation;
  bool changed = false;
  {
    const std::lock_guard lock(sink.mutex);
    target = sink.attached.target;
    orientation = sink.attached.orientation;
    changed = std::exchange(sink.changed, false);
  }
  if (changed) {
    sink.configured = false;
    sink.forgetFrames();
  }
  if (sink.shownEarly.get() == buffer || sink.prepared.get() == buffer) return GST_FLOW_OK;
  sink.forgetFrames();
  if (!target) return GST_FLOW_OK;
  if (sink.configured && target->wantsRgb32() && roomSettled(sink, *target)) sink.configured = false;
  if (!sink.configured && !configure(self, *target, orientation)) return GST_FLOW_NOT_NEGOTIATED;
  sink.configured = true;
  const bool ready = target->wantsRgb32() ? fill(sink, *target, buffer, dueOnScreen(base, buffer))
                                          : planarTakes(GST_VIDEO_INFO_FORMAT(&sink.info));
  if (!ready) return GST_FLOW_OK;
  sink.prepared.reset(gst_buffer_ref(buffer));
  sink.preparedFor = std::move(target);
  return GST_FLOW_OK;
}

void reportShown(GstBaseSink* base, GstBuffer* buffer, const std::function<void(FrameSpan)>& shown) {
  const GstClockTime stream =
      gst_segment_to_stream_time(&base->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (!GST_CLOCK_TIME_IS_VALID(stream)) return;
  const auto begin = static_cast<std::int64_t>(stream);
  shown({begin, begin + frameDuration(sinkOf(base), buffer).count()});
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
  // Told first: who sees the picture may ask at once where it ends.
  if (attached.shown && *attached.shown) reportShown(base, buffer, *attached.shown);
  const bool replaced = target->wantsRgb32() ? target->presentRgb32(due) : target->presentPlanar(buffer, due);
  if (replaced) sink.count(DropReason::Replaced);
  return true;
}

GstFlowReturn prerollFrame(GstBaseSink* base, GstBuffer* buffer) {
  Sink& sink = sinkOf(base);
  if (sink.shownEarly.get() == buffer) return GST_FLOW_OK;
  const Attached attached = attachedOf(sink);
  if (handOver(base, buffer, attached, MonotonicClock::now())) sink.shownEarly.reset(gst_buffer_ref(buffer));
  if (attached.task) attached.task->abandon(kShownEarly);
  return GST_FLOW_OK;
}

GstFlowReturn showFrame(GstVideoSink* video, GstBuffer* buffer) {
  auto* base = GST_BASE_SINK_CAST(video);
  Sink& sink = sinkOf(video);
  const Attached attached = attachedOf(sink);
  if (const BufferPtr early = std::move(sink.shownEarly); early.get() == buffer) {
    sink.submitted.fetch_add(1, kRelaxed);
    return GST_FLOW_OK;
  }
  const TimePoint due = dueOnScreen(base, buffer);
  if (!handOver(base, buffer, attached, due)) {
    sink.count(DropReason::Hidden);
    if (attached.task) attached.task->abandon(static_cast<std::int64_t>(DropReason::Hidden));
    return GST_FLOW_OK;
  }
  sink.submitted.fetch_add(1, kRelaxed);
  // The picture may stay until the next one is due: that is the deadline of the hand-over.
  if (attached.task) attached.task->complete(due + frameDuration(sink, buffer));
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
  const Attached attached = attachedOf(sink);
  const auto& task = attached.task;
  sink.framesIn.fetch_add(1, kRelaxed);
  if (attached.filter && sheds(base, *attached.filter, buffer)) {
    sink.count(DropReason::ShedBeforeConversion);
    gst_buffer_unref(buffer);
    return GST_FLOW_OK;
  }
  if (task) task->pass({}, periodic::ByteCount{gst_buffer_get_size(buffer)});
  sink.reachedPrepare = false;
  const GstClockTime stamp = GST_BUFFER_PTS(buffer);
  const GstClockTime stop =
      GST_BUFFER_DURATION_IS_VALID(buffer) ? stamp + GST_BUFFER_DURATION(buffer) : stamp;
  const GstFlowReturn result = sink.chain(pad, parent, buffer);
  if (result != GST_FLOW_OK || sink.reachedPrepare) return result;
  // Outside the segment: decoded only to reach a seek's target. In PAUSED: passed over by a step.
  const bool inside = gst_segment_clip(&base->segment, GST_FORMAT_TIME, stamp, stop, nullptr, nullptr);
  if (!inside || GST_STATE(base) != GST_STATE_PLAYING) {
    if (task) task->abandon(kShownEarly);
    return result;
  }
  sink.count(DropReason::LateAtSink);
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

gboolean onEvent(GstBaseSink* base, GstEvent* event) {
  Sink& sink = sinkOf(base);
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_FLUSH_STOP:
      sink.forgetFrames();
      break;
    case GST_EVENT_STREAM_START:
      setOrientation(GST_ELEMENT_CAST(base), {});
      break;  // the next film has its own tags
    case GST_EVENT_TAG: {
      GstTagList* tags = nullptr;  // borrowed
      gchar* text = nullptr;
      gst_event_parse_tag(event, &tags);
      if (tags == nullptr || !gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text)) break;
      const CharPtr held(text);
      setOrientation(GST_ELEMENT_CAST(base), orientationOf(text));
      break;
    }
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
  const CapsPtr caps(templateCaps(false));
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

Orientation orientationOf(const char* tag) noexcept {
  const std::string_view text(tag);
  const bool flip = text.starts_with("flip-");
  const std::string_view turn = flip ? text.substr(5) : text;
  int degrees = 0;
  if (turn == "rotate-90") degrees = 90;
  if (turn == "rotate-180") degrees = 180;
  if (turn == "rotate-270") degrees = 270;
  // GStreamer flips before it turns, we mirror afterwards: for a quarter turn that is the opposite turn.
  if (flip && degrees % 180 == 90) degrees = 360 - degrees;
  return {degrees, flip};
}

void setVideoTarget(GstElement* element, std::shared_ptr<VideoTarget> target) {
  Sink& sink = sinkOf(element);
  const bool planar = target && !target->wantsRgb32();
  {
    const std::lock_guard lock(sink.mutex);
    std::swap(sink.attached.target, target);
    sink.changed = true;
  }
  // Outside the lock from here: `target` is now the old one, and may be the last reference to it.
  const bool wasPlanar = target && !target->wantsRgb32();
  if (planar != wasPlanar) gst_pad_push_event(GST_BASE_SINK_PAD(element), gst_event_new_reconfigure());
}

void setVideoSinkTask(GstElement* element, std::shared_ptr<periodic::Task> task) {
  Sink& sink = sinkOf(element);
  const std::lock_guard lock(sink.mutex);
  std::swap(sink.attached.task, task);
}

void setPictureFilter(GstElement* element, std::shared_ptr<PictureFilter> filter) {
  Sink& sink = sinkOf(element);
  const std::lock_guard lock(sink.mutex);
  std::swap(sink.attached.filter, filter);
}

VideoSinkStatistics videoSinkStatistics(GstElement* element) {
  const Sink& sink = sinkOf(element);
  VideoSinkStatistics result;
  result.framesIn = sink.framesIn.load(kRelaxed);
  result.submitted = sink.submitted.load(kRelaxed);
  for (std::size_t i = 0; i < kReasons; ++i) result.dropped[i] = sink.dropped[i].load(kRelaxed);
  for (std::size_t i = 0; i < kQualities; ++i) result.scaled[i] = sink.scaled[i].load(kRelaxed);
  return result;
}

Result<Rgb32Picture> snapshot(GstElement* element) {
  GstSample* last = nullptr;
  g_object_get(element, "last-sample", &last, nullptr);
  const SamplePtr sample(last);
  GstVideoInfo info{};
  if (!sample || gst_sample_get_buffer(sample.get()) == nullptr ||
      gst_sample_get_caps(sample.get()) == nullptr ||
      !gst_video_info_from_caps(&info, gst_sample_get_caps(sample.get()))) {
    return Error{ErrorCode::Unavailable, "There is no picture yet."};
  }
  VideoConverter converter;
  if (auto ready = converter.configure(info, attachedOf(sinkOf(element)).orientation); !ready.ok())
    return ready.error();
  Rgb32Picture picture;
  picture.width = converter.width();
  picture.height = converter.height();
  picture.stride = static_cast<int>(alignedRow(picture.width));
  picture.pixels = allocatePicture(alignedRow(picture.width), picture.height);
  GstVideoFrame frame;
  if (!picture.pixels ||
      !gst_video_frame_map(&frame, &info, gst_sample_get_buffer(sample.get()), GST_MAP_READ))
    return Error{ErrorCode::System, "There is no memory for pictures of this size."};
  converter.convert(frame, {picture.pixels.get(), picture.width, picture.height, picture.stride});
  gst_video_frame_unmap(&frame);
  return picture;
}

void setOrientation(GstElement* element, Orientation orientation) {
  Sink& sink = sinkOf(element);
  const std::lock_guard lock(sink.mutex);
  if (sink.attached.orientation == orientation) return;
  sink.attached.orientation = orientation;
  sink.changed = true;
}

void setFrameShownCallback(GstElement* element, std::function<void(FrameSpan)> callback) {
  Sink& sink = sinkOf(element);
  auto shared = std::make_shared<const std::function<void(FrameSpan)>>(std::move(callback));
  const std::lock_guard lock(sink.mutex);
  std::swap(sink.attached.shown, shared);
}

GType videoSinkType() {
  return tactus_video_sink_get_type();
}

}  // namespace tactus::plugins
