// SPDX-License-Identifier: Apache-2.0
#include "plugins/video_sink.h"

#include <gst/video/gstvideosink.h>
#include <gst/video/video.h>

#include <atomic>
#include <mutex>
#include <string>

#include "core/periodic/priority_inheritance_mutex.h"
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
// relaxed: counters with one writer, read for statistics only.
constexpr auto kRelaxed = std::memory_order_relaxed;

/// The C++ half of the element.
struct Sink {
  // What others may exchange while the streaming thread runs. Held for a pointer copy; taken by the streaming
  // thread once a frame, hence the priority inheritance.
  periodic::PriorityInheritanceMutex mutex;
  std::shared_ptr<VideoTarget> target;   // shared: see setVideoTarget()
  std::shared_ptr<periodic::Task> task;  // shared: see setVideoSinkTask()
  std::shared_ptr<const std::function<void(std::int64_t)>>
      shown;  // shared: replaced while a frame may be reporting
  Orientation orientation;
  bool formatChanged = true;

  // Streaming thread only (under the pad's stream lock).
  GstVideoInfo info{};
  VideoConverter converter;
  bool configured = false;
  GstBuffer* prepared =
      nullptr;  // the buffer that the target's open BGRx picture was converted from; not owned
  std::uint64_t preparedStamp = 0;
  GstClockTime lastPreroll = GST_CLOCK_TIME_NONE;

  std::atomic<std::uint64_t> framesIn{0}, submitted{0};
  std::array<std::atomic<std::uint64_t>, kReasons> dropped{};

  void count(DropReason reason) noexcept { dropped[static_cast<std::size_t>(reason)].fetch_add(1, kRelaxed); }
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

struct Attached {
  std::shared_ptr<VideoTarget> target;
  std::shared_ptr<periodic::Task> task;
  Orientation orientation;
  bool formatChanged;
};

Attached attachedOf(Sink& sink) noexcept {
  const std::lock_guard lock(sink.mutex);
  return {sink.target, sink.task, sink.orientation, std::exchange(sink.formatChanged, false)};
}

GstCaps* templateCaps(bool planar) {
  const std::string formats = planar ? "{ I420, NV12 }" : VideoConverter::formats();
  const std::string text = "video/x-raw, format=(string)" + formats +
                           ", width=(int)[1, 32767], height=(int)[1, 32767], framerate=(fraction)[0/1, max]";
  return gst_caps_from_string(text.c_str());
}

GstCaps* getCaps(GstBaseSink* base, GstCaps* filter) {
  Sink& sink = sinkOf(base);
  bool planar = false;
  {
    const std::lock_guard lock(sink.mutex);
    planar = sink.target && !sink.target->wantsRgb32();
  }
  CapsPtr caps(templateCaps(planar));
  if (filter == nullptr) return caps.release();
  return gst_caps_intersect_full(filter, caps.get(), GST_CAPS_INTERSECT_FIRST);
}

gboolean setCaps(GstBaseSink* base, GstCaps* caps) {
  Sink& sink = sinkOf(base);
  if (!gst_video_info_from_caps(&sink.info, caps)) return FALSE;
  const std::lock_guard lock(sink.mutex);
  sink.formatChanged = true;
  return TRUE;
}

bool configure(TactusVideoSink* self, const Attached& attached) {
  Sink& sink = *self->sink;
  if (attached.target->wantsRgb32()) {
    const auto ready = sink.converter.configure(sink.info, attached.orientation);
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
  picture.orientation = attached.orientation;
  attached.target->format(picture, sink.info);
  return true;
}

/// Converts into a fresh picture of the target; false when the frame cannot be shown.
bool fill(Sink& sink, VideoTarget& target, GstBuffer* buffer) noexcept {
  const Rgb32View view = target.beginRgb32();
  if (view.data == nullptr || view.width != sink.converter.width() || view.height != sink.converter.height())
    return false;
  GstVideoFrame frame;
  if (!gst_video_frame_map(
          &frame, &sink.info, buffer,
          static_cast<GstMapFlags>(int{GST_MAP_READ} | int{GST_VIDEO_FRAME_MAP_FLAG_NO_REF}))) {
    return false;
  }
  sink.converter.convert(frame, view);
  gst_video_frame_unmap(&frame);
  return true;
}

/// Called before the wait for the display time: the costly half.
GstFlowReturn prepare(GstBaseSink* base, GstBuffer* buffer) {
  auto* self = reinterpret_cast<TactusVideoSink*>(base);
  Sink& sink = *self->sink;
  const Attached attached = attachedOf(sink);
  if (attached.task) attached.task->pass();
  sink.framesIn.fetch_add(1, kRelaxed);
  sink.prepared = nullptr;
  if (!attached.target) return GST_FLOW_OK;
  if (attached.formatChanged || !sink.configured) {
    sink.configured = configure(self, attached);
    if (!sink.configured) return GST_FLOW_NOT_NEGOTIATED;
  }
  if (!attached.target->wantsRgb32() || fill(sink, *attached.target, buffer)) sink.prepared = buffer;
  return GST_FLOW_OK;
}

/// When the frame is due on the screen, in CLOCK_MONOTONIC; now if the pipeline has no clock yet.
TimePoint dueInstant(GstBaseSink* base, GstBuffer* buffer) noexcept {
  const TimePoint now = MonotonicClock::now();
  if (!GST_BUFFER_PTS_IS_VALID(buffer) || base->segment.format != GST_FORMAT_TIME) return now;
  const GstClockTime running =
      gst_segment_to_running_time(&base->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  GST_OBJECT_LOCK(base);
  GstClock* clock = GST_ELEMENT_CLOCK(base);
  const GstClockTime baseTime = GST_ELEMENT_CAST(base)->base_time;
  if (clock != nullptr) gst_object_ref(clock);
  GST_OBJECT_UNLOCK(base);
  const ClockPtr held(clock);
  if (!held || !GST_CLOCK_TIME_IS_VALID(running)) return now;
  const auto ahead = static_cast<std::int64_t>(baseTime + running + gst_base_sink_get_latency(base)) -
                     static_cast<std::int64_t>(gst_clock_get_time(held.get()));
  return now + Duration(ahead);
}

Duration frameDuration(const Sink& sink, GstBuffer* buffer) noexcept {
  if (GST_BUFFER_DURATION_IS_VALID(buffer))
    return Duration(static_cast<std::int64_t>(GST_BUFFER_DURATION(buffer)));
  const int numerator = GST_VIDEO_INFO_FPS_N(&sink.info);
  if (numerator <= 0) return std::chrono::milliseconds(40);
  return Duration(static_cast<std::int64_t>(
      gst_util_uint64_scale_int(GST_SECOND, GST_VIDEO_INFO_FPS_D(&sink.info), numerator)));
}

void present(TactusVideoSink* self, GstBuffer* buffer, bool preroll) noexcept {
  Sink& sink = *self->sink;
  std::shared_ptr<VideoTarget> target;
  std::shared_ptr<periodic::Task> task;
  std::shared_ptr<const std::function<void(std::int64_t)>> shown;
  {
    const std::lock_guard lock(sink.mutex);
    target = sink.target;
    task = sink.task;
    shown = sink.shown;
  }
  if (!target || sink.prepared != buffer) {
    if (!preroll) sink.count(DropReason::Hidden);
    if (task) task->abandon(static_cast<std::int64_t>(DropReason::Hidden));
    return;
  }
  auto* base = GST_BASE_SINK_CAST(self);
  const TimePoint due = preroll ? MonotonicClock::now() : dueInstant(base, buffer);
  sink.prepared = nullptr;
  const bool replaced = target->wantsRgb32() ? target->presentRgb32(due) : target->presentPlanar(buffer, due);
  if (replaced) sink.count(DropReason::Replaced);
  if (!preroll) sink.submitted.fetch_add(1, kRelaxed);
  if (task && preroll) task->abandon(-1);
  // The picture may stay until the next one is due: that is the deadline of the hand-over.
  if (task && !preroll) task->complete(due + frameDuration(sink, buffer));
  if (!shown || !*shown) return;
  const GstClockTime stream =
      gst_segment_to_stream_time(&base->segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer));
  if (GST_CLOCK_TIME_IS_VALID(stream)) (*shown)(static_cast<std::int64_t>(stream));
}

GstFlowReturn prerollFrame(GstBaseSink* base, GstBuffer* buffer) {
  auto* self = reinterpret_cast<TactusVideoSink*>(base);
  present(self, buffer, true);
  // basesink renders the very same buffer when it starts to play: already on the screen.
  self->sink->lastPreroll = GST_BUFFER_PTS(buffer);
  return GST_FLOW_OK;
}

GstFlowReturn showFrame(GstVideoSink* video, GstBuffer* buffer) {
  auto* self = reinterpret_cast<TactusVideoSink*>(video);
  Sink& sink = *self->sink;
  if (GST_CLOCK_TIME_IS_VALID(sink.lastPreroll) && sink.lastPreroll == GST_BUFFER_PTS(buffer)) {
    sink.lastPreroll = GST_CLOCK_TIME_NONE;
    sink.submitted.fetch_add(1, kRelaxed);
    return GST_FLOW_OK;
  }
  sink.lastPreroll = GST_CLOCK_TIME_NONE;
  if (sink.prepared != buffer) (void)prepare(GST_BASE_SINK_CAST(video), buffer);
  present(self, buffer, false);
  return GST_FLOW_OK;
}

gboolean onEvent(GstBaseSink* base, GstEvent* event) {
  Sink& sink = sinkOf(base);
  if (GST_EVENT_TYPE(event) == GST_EVENT_FLUSH_STOP) sink.lastPreroll = GST_CLOCK_TIME_NONE;
  if (GST_EVENT_TYPE(event) == GST_EVENT_TAG) {
    GstTagList* tags = nullptr;
    gst_event_parse_tag(event, &tags);
    gchar* text = nullptr;
    if (tags != nullptr && gst_tag_list_get_string(tags, GST_TAG_IMAGE_ORIENTATION, &text)) {
      const CharPtr held(text);
      setOrientation(GST_ELEMENT_CAST(base), orientationOf(text));
    }
  }
  return GST_BASE_SINK_CLASS(tactus_video_sink_parent_class)->event(base, event);
}

GstStateChangeReturn changeState(GstElement* element, GstStateChange change) {
  Sink& sink = sinkOf(element);
  const auto result = GST_ELEMENT_CLASS(tactus_video_sink_parent_class)->change_state(element, change);
  if (change == GST_STATE_CHANGE_PAUSED_TO_READY) {
    sink.configured = false;
    sink.lastPreroll = GST_CLOCK_TIME_NONE;
    sink.prepared = nullptr;
  }
  return result;
}

}  // namespace

static void tactus_video_sink_init(TactusVideoSink* self) {
  self->sink = new Sink;
  auto* base = GST_BASE_SINK_CAST(self);
  gst_base_sink_set_qos_enabled(base, TRUE);
  // A frame may be shown until the next would be: at 25 fps that is 40 ms; basesink's 20 ms for video sinks
  // would drop frames that a viewer can still use.
  gst_base_sink_set_max_lateness(base, 40 * GST_MSECOND);
  gst_base_sink_set_processing_deadline(base, 15 * GST_MSECOND);
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
  {
    const std::lock_guard lock(sink.mutex);
    std::swap(sink.target, target);
    sink.formatChanged = true;
  }
}

void setVideoSinkTask(GstElement* element, std::shared_ptr<periodic::Task> task) {
  Sink& sink = sinkOf(element);
  const std::lock_guard lock(sink.mutex);
  std::swap(sink.task, task);
}

VideoSinkStatistics videoSinkStatistics(GstElement* element) {
  Sink& sink = sinkOf(element);
  VideoSinkStatistics result;
  result.framesIn = sink.framesIn.load(kRelaxed);
  result.submitted = sink.submitted.load(kRelaxed);
  for (std::size_t i = 0; i < kReasons; ++i) result.dropped[i] = sink.dropped[i].load(kRelaxed);
  GstStructure* stats = nullptr;
  g_object_get(element, "stats", &stats, nullptr);
  if (stats == nullptr) return result;
  guint64 late = 0;
  gst_structure_get_uint64(stats, "dropped", &late);
  gst_structure_free(stats);
  result.dropped[static_cast<std::size_t>(DropReason::LateAtSink)] += late;
  return result;
}

void setOrientation(GstElement* element, Orientation orientation) {
  Sink& sink = sinkOf(element);
  const std::lock_guard lock(sink.mutex);
  if (sink.orientation == orientation) return;
  sink.orientation = orientation;
  sink.formatChanged = true;
}

void setFrameShownCallback(GstElement* element, std::function<void(std::int64_t)> callback) {
  Sink& sink = sinkOf(element);
  auto shared = std::make_shared<const std::function<void(std::int64_t)>>(std::move(callback));
  const std::lock_guard lock(sink.mutex);
  sink.shown = std::move(shared);
}

GType videoSinkType() {
  return tactus_video_sink_get_type();
}

}  // namespace tactus::plugins
