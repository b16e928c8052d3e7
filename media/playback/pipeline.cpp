// SPDX-License-Identifier: Apache-2.0
#include "media/playback/pipeline.h"

#include "core/periodic/workload/lbap_composition.h"
#include "media/stage/due_instant.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include "plugins/audio_sink.h"
#include "plugins/video_sink.h"

namespace tactus::media {
namespace {

using periodic::MonotonicClock;
using periodic::TimePoint;

// GstPlayFlags: video, audio, text, soft-volume, deinterlace. Without native-video the converters stay, which
// raw formats outside our sinks' caps need; soft-colorbalance (0x400) would cost a pass over every picture.
constexpr int kVideo = 0x1, kAudio = 0x2, kText = 0x4, kSoftVolume = 0x10, kDeinterlace = 0x200;
/// The queue of decoded pictures holds what composition says, and these for what no analysis knows (disk,
/// network); at most the other, for memory.
constexpr std::uint32_t kSparePictures = 2;
constexpr std::uint32_t kMostPictures = 12;
constexpr Duration kShortestSound = std::chrono::milliseconds(5);
constexpr double kLeastReserved = 0.05;  // a reservation of nothing is none
constexpr guint kQueuedPictures = 5;     // until the decoder has begun

void mark(std::atomic<std::int64_t>& point) {
  std::int64_t unset = 0;
  point.compare_exchange_strong(unset, MonotonicClock::now().time_since_epoch().count(),
                                std::memory_order_relaxed);
}

bool hasClass(GstElement* element, const char* part) {
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr) return false;
  return std::strstr(gst_element_factory_get_metadata(factory, GST_ELEMENT_METADATA_KLASS), part) != nullptr;
}

bool isDecoder(GstElement* element, bool& video) {
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory == nullptr || !gst_element_factory_list_is_type(factory, GST_ELEMENT_FACTORY_TYPE_DECODER))
    return false;
  // Motion JPEG is decoded by what decodes single images.
  video = hasClass(element, "Video") || hasClass(element, "Image");
  return video || hasClass(element, "Audio");
}

/// assrender 1.22 passes what it does not use of its text on to its video: this waits for the lock of the pad
/// behind it, which the video's thread takes anew as soon as it lets go of it, often until the film's end,
/// and all subtitles wait behind it. The video has its own of each; tags with fonts come with all streams.
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

Pipeline::Pipeline(Config config, periodic::Scheduler& scheduler)
    : m_config(std::move(config)), m_adopter(scheduler, m_config.player.label) {
  gst_segment_init(&m_video.segment, GST_FORMAT_TIME);
  gst_segment_init(&m_audio.segment, GST_FORMAT_TIME);
}

Result<std::shared_ptr<Pipeline>> Pipeline::create(Config config, periodic::Scheduler& scheduler) {
  std::shared_ptr<Pipeline> pipeline(new Pipeline(std::move(config), scheduler));
  if (auto built = pipeline->build(); !built.ok()) return built.error();
  return pipeline;
}

Pipeline::~Pipeline() {
  if (!m_playbin) return;
  setState(GST_STATE_NULL);
  gst_bus_set_sync_handler(m_bus.get(), nullptr, nullptr, nullptr);
  if (m_videoSink) {
    plugins::setFrameShownCallback(m_videoSink.get(), {});
    plugins::setVideoTarget(m_videoSink.get(), nullptr);
    plugins::setVideoSinkTask(m_videoSink.get(), nullptr);
  }
  g_signal_handlers_disconnect_by_data(m_playbin.get(), this);
}

Result<void> Pipeline::build() {
  plugins::registerElements();
  const auto make = [](const char* factory) {
    GstElement* element = gst_element_factory_make(factory, nullptr);
    if (element != nullptr) gst_object_ref_sink(element);
    return plugins::ElementPtr(element);
  };
  m_playbin = make(m_config.engine.c_str());
  m_videoSink = make("tactusvideosink");
  m_audioSink = make("tactusaudiosink");
  if (!m_playbin || !m_videoSink || !m_audioSink) {
    return Error{ErrorCode::Unsupported,
                 "GStreamer's playback plugin is missing; install gstreamer1.0-plugins-base."};
  }
  if (!m_config.hidden) reveal();
  plugins::setPictureFilter(m_videoSink.get(), m_filter);
  m_adopter.setService(m_config.service);
  setThinning(m_config.thinning);
  plugins::setFrameShownCallback(m_videoSink.get(), [this](plugins::FrameSpan span) {
    m_lastShownEnd.store(span.end, std::memory_order_relaxed);
    if (m_marks.firstShown.load(std::memory_order_relaxed) == 0) mark(m_marks.firstShown);
  });
  watchSink(m_videoSink.get(), true);
  watchSink(m_audioSink.get(), false);
  if (!m_config.player.audioTarget.empty()) {
    g_object_set(m_audioSink.get(), "target-object", m_config.player.audioTarget.c_str(), nullptr);
  }
  int flags = kText | kSoftVolume | kDeinterlace;
  if (m_config.player.video) flags |= kVideo;
  if (m_config.player.audio) flags |= kAudio;
  g_object_set(m_playbin.get(), "uri", m_config.uri.c_str(), "video-sink", m_videoSink.get(), "audio-sink",
               m_audioSink.get(), "flags", flags, "subtitle-font-desc", "Sans Bold 22", nullptr);
  if (!m_config.subtitles.empty())
    g_object_set(m_playbin.get(), "suburi", m_config.subtitles.c_str(), nullptr);
  // Keeps the pitch at any speed; does nothing at 1.
  if (GstElement* tempo = gst_element_factory_make("scaletempo", nullptr)) {
    g_object_set(m_playbin.get(), "audio-filter", tempo, nullptr);
  }
  g_signal_connect(m_playbin.get(), "deep-element-added",
                   G_CALLBACK(+[](GstBin*, GstBin*, GstElement* element, gpointer self) {
                     static_cast<Pipeline*>(self)->onElementAdded(element);
                   }),
                   this);
  g_signal_connect(m_playbin.get(), "source-setup",
                   G_CALLBACK(+[](GstElement*, GstElement* source, gpointer self) {
                     static_cast<Pipeline*>(self)->configureSource(source);
                   }),
                   this);
  g_signal_connect(
      m_playbin.get(), "about-to-finish",
      G_CALLBACK(+[](GstElement*, gpointer self) { static_cast<Pipeline*>(self)->onAboutToFinish(); }), this);
  m_bus.reset(gst_pipeline_get_bus(GST_PIPELINE(m_playbin.get())));
  gst_bus_set_sync_handler(m_bus.get(), onSyncMessage, this, nullptr);
  mark(m_marks.opened);
  return {};
}

/// playbin 1.22 goes on by itself only where there is one stream: with two, one thread waits for the other in
/// its synchronizer while that one waits for the first's pad. (playbin3 hangs where the kinds differ.)
void Pipeline::onAboutToFinish() {
  std::size_t streams = 0;
  {
    const std::lock_guard lock(m_gatesMutex);
    streams = m_gates.size();
  }
  if (m_config.engine == "playbin" && streams <= 1) {
    const std::string next = m_config.next ? m_config.next() : std::string();
    if (!next.empty()) {
      g_object_set(m_playbin.get(), "uri", next.c_str(), nullptr);
      return;
    }
  }
  gst_element_post_message(m_playbin.get(),
                           gst_message_new_application(GST_OBJECT(m_playbin.get()),
                                                       gst_structure_new_empty("tactus-about-to-finish")));
}

void Pipeline::reveal() {
  plugins::setVideoTarget(m_videoSink.get(), m_config.target);
}

void Pipeline::hide() {
  plugins::setVideoTarget(m_videoSink.get(), nullptr);
}

void Pipeline::configureSource(GstElement* source) {
  const auto seconds =
      std::chrono::duration_cast<std::chrono::seconds>(m_config.player.networkTimeout).count();
  if (GParamSpec* spec = g_object_class_find_property(G_OBJECT_GET_CLASS(source), "timeout");
      spec != nullptr && spec->value_type == G_TYPE_UINT) {
    g_object_set(source, "timeout", static_cast<guint>(std::max<std::int64_t>(1, seconds)), nullptr);
  }
  if (g_object_class_find_property(G_OBJECT_GET_CLASS(source), "user-agent") != nullptr) {
    g_object_set(source, "user-agent", "Tactus", nullptr);
  }
}

void Pipeline::onElementAdded(GstElement* element) {
  if (hasClass(element, "Demuxer") || hasClass(element, "Parser")) mark(m_marks.typeFound);
  if (GST_OBJECT_NAME(element) == std::string_view("vqueue")) {
    g_object_set(element, "max-size-buffers", kQueuedPictures, "max-size-bytes", 0u, "max-size-time",
                 guint64{0}, nullptr);
    const std::lock_guard lock(m_gatesMutex);
    m_pictureQueue = plugins::share<plugins::ElementPtr>(element);
    m_queue = {static_cast<int>(kQueuedPictures), 0};
  }
  GstElementFactory* factory = gst_element_get_factory(element);
  if (factory != nullptr && GST_OBJECT_NAME(factory) == std::string_view("assrender")) {
    const plugins::PadPtr text(gst_element_get_static_pad(element, "text_sink"));
    if (text)
      gst_pad_add_probe(text.get(), GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM, keepFromVideo, nullptr, nullptr);
  }
  bool video = false;
  if (!isDecoder(element, video)) return;
  DecoderGate::Config config;
  config.maxThreads = m_config.player.maxDecoderThreads;
  config.filter = m_filter;
  config.onFirstDecoded = [this](DecoderGate& gate) {
    if (gate.video()) mark(m_marks.firstDecoded);
    gst_element_post_message(
        m_playbin.get(),
        gst_message_new_application(GST_OBJECT(m_playbin.get()), gst_structure_new_empty("tactus-workers")));
  };
  if (video) mark(m_marks.decoderReady);
  const std::lock_guard lock(m_gatesMutex);
  m_gates.push_back(std::make_unique<DecoderGate>(element, video, m_adopter, std::move(config)));
  m_gates.back()->setPlaying(m_playing);
  m_gates.back()->setKeyframesOnly(m_keyframesOnly);
}

QueueSize Pipeline::queue() const {
  const std::lock_guard lock(m_gatesMutex);
  return m_queue;
}

void Pipeline::sizeQueueLocked(const DecoderGate& gate) {
  const auto task = gate.report();
  if (!task || !task->reserved || !m_pictureQueue) return;
  const auto& rate = task->contract.lbap.rate;
  // Pictures leave the decoder as its regulated input shaped by its delay bounds, and wait up to a period for
  // the screen.
  const periodic::LbapContract regulated{rate, 1, periodic::ByteCount{gate.pictureBytes()}};
  Duration longest = rate.period();
  for (const auto& part : task->parts) longest = std::max(longest, part.response);
  const periodic::LbapContract output =
      periodic::outputOf(regulated, {std::min(longest, task->parts.front().demand.processing), longest});
  const std::uint32_t pictures =
      std::min(kMostPictures, periodic::packetsHeld(output, rate.period()) + kSparePictures);
  m_queue = {static_cast<int>(pictures), pictures * gate.pictureBytes()};
  g_object_set(m_pictureQueue.get(), "max-size-buffers", pictures, nullptr);
}

GstBusSyncReply Pipeline::onSyncMessage(GstBus*, GstMessage* message, gpointer data) {
  auto& self = *static_cast<Pipeline*>(data);
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_STREAM_STATUS) return GST_BUS_PASS;
  self.m_adopter.onStreamStatus(message);
  gst_message_unref(message);
  return GST_BUS_DROP;
}

void Pipeline::watchSink(GstElement* sink, bool video) {
  const plugins::PadPtr pad(gst_element_get_static_pad(sink, "sink"));
  const auto type =
      static_cast<GstPadProbeType>(GST_PAD_PROBE_TYPE_BUFFER | GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM);
  const auto probe = video ? +[](GstPad* where, GstPadProbeInfo* info, gpointer data) {
    auto& self = *static_cast<Pipeline*>(data);
    if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) self.onSinkPacket(where, GST_PAD_PROBE_INFO_BUFFER(info), true);
    return GST_PAD_PROBE_OK;
  } : +[](GstPad* where, GstPadProbeInfo* info, gpointer data) {
    auto& self = *static_cast<Pipeline*>(data);
    if ((info->type & GST_PAD_PROBE_TYPE_BUFFER) != 0) {
      self.onSinkPacket(where, GST_PAD_PROBE_INFO_BUFFER(info), false);
    } else if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_SEGMENT) {
      gst_event_copy_segment(GST_PAD_PROBE_INFO_EVENT(info), &self.m_audio.segment);
    }
    return GST_PAD_PROBE_OK;
  };
  gst_pad_add_probe(pad.get(), type, probe, this, nullptr);
}

void Pipeline::onSinkPacket(GstPad*, GstBuffer* buffer, bool video) {
  SinkThread& sink = video ? m_video : m_audio;
  // relaxed: only this sink's streaming threads write it, one at a time.
  if (sink.bound.load(std::memory_order_relaxed) != periodic::currentThreadId()) {
    periodic::TaskContract terms;
    terms.stage = video ? periodic::Stage::VideoDisplay : periodic::Stage::Audio;
    terms.name = std::string(nameOf(terms.stage));
    periodic::Rate rate = periodic::Rate::perSecond(video ? 30 : 50);
    if (GST_BUFFER_DURATION_IS_VALID(buffer) && GST_BUFFER_DURATION(buffer) > 0) {
      const auto measured =
          periodic::Rate::fromPeriod(Duration(static_cast<std::int64_t>(GST_BUFFER_DURATION(buffer))));
      // The first buffer after a seek is cut short and says nothing.
      if (measured.ok() && (video || measured.value().period() >= kShortestSound)) rate = measured.value();
    }
    terms.lbap = {rate, 8};
    terms.early = periodic::EarlyPackets::Clocked;  // the pipeline's clock has its say
    if (video) terms.frequency = displayFrequency();
    sink.task = m_adopter.takeOver(std::move(terms));
    sink.bound.store(periodic::currentThreadId(), std::memory_order_relaxed);
    if (video) {
      plugins::setVideoSinkTask(m_videoSink.get(), sink.task);
      const std::lock_guard lock(m_gatesMutex);
      m_displayTask = sink.task;
    }
  }
  if (video || !sink.task) return;  // the video sink accounts for its packets itself
  sink.task->pass();
  const GstClockTime running =
      GST_BUFFER_PTS_IS_VALID(buffer) && sink.segment.format == GST_FORMAT_TIME
          ? gst_segment_to_running_time(&sink.segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer))
          : GST_CLOCK_TIME_NONE;
  const auto due = GST_STATE(m_audioSink.get()) == GST_STATE_PLAYING ? dueInstant(m_audioSink.get(), running)
                                                                     : std::nullopt;
  // Sound that arrives before it is due to be heard is in time; without a clock nothing can be said.
  if (due) {
    sink.task->complete(*due + std::chrono::nanoseconds(
                                   GST_BUFFER_DURATION_IS_VALID(buffer) ? GST_BUFFER_DURATION(buffer) : 0));
  } else {
    sink.task->abandon(-1);
  }
}

GstStateChangeReturn Pipeline::setState(GstState state) {
  if (state <= GST_STATE_PAUSED) {
    setPlaying(false);
    m_adopter.interruptAll();
  }
  const auto result = gst_element_set_state(m_playbin.get(), state);
  if (state >= GST_STATE_PAUSED) m_adopter.resumeAll();
  return result;
}

void Pipeline::setPlaying(bool playing) {
  const std::lock_guard lock(m_gatesMutex);
  m_playing = playing;
  for (const auto& gate : m_gates) gate->setPlaying(playing);
}

bool Pipeline::seek(double rate, Duration position, SeekMode mode) {
  int flags = GST_SEEK_FLAG_FLUSH;
  flags |= mode == SeekMode::Exact ? GST_SEEK_FLAG_ACCURATE : GST_SEEK_FLAG_KEY_UNIT;
  m_adopter.interruptAll();
  const bool accepted =
      gst_element_seek(m_playbin.get(), rate, GST_FORMAT_TIME, static_cast<GstSeekFlags>(flags),
                       GST_SEEK_TYPE_SET, std::max<gint64>(0, position.count()), GST_SEEK_TYPE_NONE,
                       static_cast<gint64>(GST_CLOCK_TIME_NONE)) != FALSE;
  m_adopter.resumeAll();
  return accepted;
}

/// As often as decoding: a longer period would put the hand-over, which takes little and is due at once,
/// below everybody's decoding.
double Pipeline::displayFrequency() const {
  const std::lock_guard lock(m_gatesMutex);
  double frequency = m_filter->frequency();
  for (const auto& gate : m_gates)
    if (gate->video()) frequency = std::max(frequency, gate->reservedFrequency());
  return std::max(kLeastReserved, frequency);
}

void Pipeline::setThinning(Thinning thinning) {
  m_filter->setFrequency(thinning.frequency);
  std::shared_ptr<periodic::Task> display;
  {
    const std::lock_guard lock(m_gatesMutex);
    m_keyframesOnly = thinning.keyframesOnly;
    for (const auto& gate : m_gates) {
      gate->setKeyframesOnly(thinning.keyframesOnly);
      gate->followFrequency();
    }
    display = m_displayTask;
  }
  if (!display) return;
  (void)display->amend({.frequency = displayFrequency()});  // refused: the old reservation stays
}

LoadFigures Pipeline::load() const {
  using periodic::Stage;
  LoadFigures figures;
  figures.decode = m_adopter.counters(Stage::VideoDecode);
  figures.display = m_adopter.counters(Stage::VideoDisplay);
  for (const Stage stage : {Stage::Source, Stage::AudioDecode, Stage::Audio, Stage::Other})
    figures.otherTime += m_adopter.counters(stage).cpuTime;
  const auto sink = plugins::videoSinkStatistics(m_videoSink.get());
  using plugins::DropReason;
  figures.late = sink.dropped[static_cast<std::size_t>(DropReason::LateAtSink)];
  figures.untaken = sink.dropped[static_cast<std::size_t>(DropReason::Replaced)];
  figures.nominalRate = nominalRate();
  const std::lock_guard lock(m_gatesMutex);
  for (const auto& gate : m_gates) {
    if (!gate->video()) continue;
    figures.disposable = gate->disposable();
    figures.ahead = gate->ahead();
    figures.segments = gate->segments();
  }
  return figures;
}

std::uint64_t Pipeline::shedBeforeDecoding() const {
  const std::lock_guard lock(m_gatesMutex);
  std::uint64_t sum = 0;
  for (const auto& gate : m_gates) sum += gate->shed();
  return sum;
}

std::uint64_t Pipeline::shedToKeyframe() const {
  const std::lock_guard lock(m_gatesMutex);
  std::uint64_t sum = 0;
  for (const auto& gate : m_gates) sum += gate->shedToKeyframe();
  return sum;
}

std::uint64_t Pipeline::decodedPictures() const {
  const std::lock_guard lock(m_gatesMutex);
  std::uint64_t sum = 0;
  for (const auto& gate : m_gates) sum += gate->video() ? gate->decoded() : 0;
  return sum;
}

double Pipeline::nominalRate() const {
  const std::lock_guard lock(m_gatesMutex);
  for (auto gate = m_gates.rbegin(); gate != m_gates.rend(); ++gate) {
    if ((*gate)->video() && (*gate)->nominalRate() > 0) return (*gate)->nominalRate();
  }
  return 0;
}

StartTimes Pipeline::startTimes() const {
  StartTimes times;
  const std::int64_t opened = m_marks.opened.load(std::memory_order_relaxed);
  const auto since = [&](const std::atomic<std::int64_t>& point) -> std::optional<Duration> {
    const std::int64_t at = point.load(std::memory_order_relaxed);
    if (at == 0) return {};
    return Duration(at - opened);
  };
  times.typeFound = since(m_marks.typeFound);
  times.decoderReady = since(m_marks.decoderReady);
  times.firstDecoded = since(m_marks.firstDecoded);
  times.firstShown = since(m_marks.firstShown);
  return times;
}

void Pipeline::adoptWorkers() {
  const std::lock_guard lock(m_gatesMutex);
  for (const auto& gate : m_gates) {
    gate->adoptWorkers();
    if (gate->video()) sizeQueueLocked(*gate);
  }
}

}  // namespace tactus::media
