// SPDX-License-Identifier: Apache-2.0
#include "media/playback/pipeline.h"

#include <algorithm>

#include "media/playback/added_element.h"
#include "plugins/audio_sink.h"
#include "plugins/video_sink.h"

namespace tactus::media {
namespace {

// GstPlayFlags: video, audio, text, soft-volume, deinterlace. Without native-video the converters stay, which
// raw formats outside our sinks' caps need; soft-colorbalance (0x400) would cost a pass over every picture.
constexpr int kVideo = 0x1, kAudio = 0x2, kText = 0x4, kSoftVolume = 0x10, kDeinterlace = 0x200;
constexpr double kLeastReserved = 0.05;  // a reservation of nothing is none

}  // namespace

Pipeline::Pipeline(Config config, periodic::Scheduler& scheduler)
    : m_config(std::move(config)), m_adopter(scheduler, m_config.player.label) {}

Result<std::shared_ptr<Pipeline>> Pipeline::create(Config config, periodic::Scheduler& scheduler) {
  std::shared_ptr<Pipeline> pipeline(new Pipeline(std::move(config), scheduler));
  if (auto built = pipeline->build(); !built.ok()) return built.error();
  return pipeline;
}

Pipeline::~Pipeline() {
  if (!m_playbin) return;
  setState(GST_STATE_NULL);
  if (m_bus) gst_bus_set_sync_handler(m_bus.get(), nullptr, nullptr, nullptr);
  if (m_videoSink) {
    plugins::setFrameShownCallback(m_videoSink.get(), {});
    plugins::setVideoTarget(m_videoSink.get(), nullptr);
  }
  g_signal_handlers_disconnect_by_data(m_playbin.get(), this);
  m_gates.detachAll();
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
  setUpSinks();
  setUpPlaybin();
  connectSignals();
  m_adopter.setService(m_config.service);
  setThinning(m_config.thinning);
  m_bus.reset(gst_pipeline_get_bus(GST_PIPELINE(m_playbin.get())));
  gst_bus_set_sync_handler(m_bus.get(), onSyncMessage, this, nullptr);
  reach(StartMark::Opened);
  return {};
}

void Pipeline::setUpSinks() {
  if (!m_config.hidden) reveal();
  plugins::setPictureFilter(m_videoSink.get(), m_filter);
  plugins::setFrameShownCallback(m_videoSink.get(), [this](plugins::FrameSpan span) {
    m_lastShownEnd.store(span.end, std::memory_order_relaxed);
    if (!m_marks.reached(StartMark::FirstShown)) reach(StartMark::FirstShown);
  });
  m_videoStage =
      std::make_unique<SinkStage>(m_videoSink.get(), true, m_adopter, [this] { return displayFrequency(); });
  m_audioStage = std::make_unique<SinkStage>(m_audioSink.get(), false, m_adopter, [] { return 1.0; });
  if (!m_config.player.audioTarget.empty())
    g_object_set(m_audioSink.get(), "target-object", m_config.player.audioTarget.c_str(), nullptr);
}

void Pipeline::setUpPlaybin() {
  int flags = kText | kSoftVolume | kDeinterlace;
  if (m_config.player.video) flags |= kVideo;
  if (m_config.player.audio) flags |= kAudio;
  g_object_set(m_playbin.get(), "uri", m_config.uri.c_str(), "video-sink", m_videoSink.get(), "audio-sink",
               m_audioSink.get(), "flags", flags, "subtitle-font-desc", "Sans Bold 22", nullptr);
  if (!m_config.subtitles.empty())
    g_object_set(m_playbin.get(), "suburi", m_config.subtitles.c_str(), nullptr);
  if (m_config.player.clock)
    gst_pipeline_use_clock(GST_PIPELINE(m_playbin.get()), m_config.player.clock.get());
  // Keeps the pitch at any speed; does nothing at 1.
  if (GstElement* tempo = gst_element_factory_make("scaletempo", nullptr))
    g_object_set(m_playbin.get(), "audio-filter", tempo, nullptr);
}

void Pipeline::connectSignals() {
  using Deep = void (*)(GstBin*, GstBin*, GstElement*, gpointer);
  const Deep added = [](GstBin*, GstBin*, GstElement* element, gpointer self) {
    static_cast<Pipeline*>(self)->onElementAdded(element);
  };
  const Deep removed = [](GstBin*, GstBin*, GstElement* element, gpointer self) {
    static_cast<Pipeline*>(self)->onElementRemoved(element);
  };
  const auto source = +[](GstElement*, GstElement* element, gpointer self) {
    configureSource(element, static_cast<Pipeline*>(self)->m_config.player.networkTimeout);
  };
  const auto finishing = +[](GstElement*, gpointer self) { static_cast<Pipeline*>(self)->onAboutToFinish(); };
  g_signal_connect(m_playbin.get(), "deep-element-added", G_CALLBACK(added), this);
  g_signal_connect(m_playbin.get(), "deep-element-removed", G_CALLBACK(removed), this);
  g_signal_connect(m_playbin.get(), "source-setup", G_CALLBACK(source), this);
  g_signal_connect(m_playbin.get(), "about-to-finish", G_CALLBACK(finishing), this);
}

void Pipeline::postToPlayer(const char* name) {
  GstElement* playbin = m_playbin.get();
  gst_element_post_message(playbin,
                           gst_message_new_application(GST_OBJECT(playbin), gst_structure_new_empty(name)));
}

/// playbin 1.22 goes on by itself only where there is one stream: with two, one thread waits for the other in
/// its synchronizer while that one waits for the first's pad. (playbin3 hangs where the kinds differ.)
void Pipeline::onAboutToFinish() {
  if (m_config.engine == "playbin" && m_gates.size() <= 1) {
    const std::string next = m_config.next ? m_config.next() : std::string();
    if (!next.empty()) {
      g_object_set(m_playbin.get(), "uri", next.c_str(), nullptr);
      return;
    }
  }
  postToPlayer("tactus-about-to-finish");
}

void Pipeline::reveal() {
  plugins::setVideoTarget(m_videoSink.get(), m_config.target);
}

void Pipeline::hide() {
  plugins::setVideoTarget(m_videoSink.get(), nullptr);
}

void Pipeline::onElementAdded(GstElement* element) {
  switch (roleOf(element)) {
    case ElementRole::TypeFinder:
      letGoWhenConnected(element);
      break;
    case ElementRole::DemuxerOrParser:
      reach(StartMark::TypeFound);
      holdUntilConnected(element);
      break;
    case ElementRole::PictureQueue:
      m_queue.attach(element);
      break;
    case ElementRole::SubtitleRenderer:
      keepTextEventsFromVideo(element);
      break;
    case ElementRole::VideoDecoder:
      addGate(element, true);
      break;
    case ElementRole::AudioDecoder:
      addGate(element, false);
      break;
    case ElementRole::Other:
      break;
  }
}

void Pipeline::onElementRemoved(GstElement* element) {
  m_gates.remove(element);
}

void Pipeline::addGate(GstElement* decoder, bool video) {
  DecoderGate::Config config;
  config.maxThreads = m_config.player.maxDecoderThreads;
  config.filter = m_filter;
  config.sink = plugins::share<plugins::ElementPtr>(video ? m_videoSink.get() : m_audioSink.get());
  config.onFirstDecoded = [this](DecoderGate& gate) {
    if (gate.video()) reach(StartMark::FirstDecoded);
    postToPlayer("tactus-workers");
  };
  if (video) reach(StartMark::DecoderReady);
  m_gates.add(DecoderGate::create(decoder, video, m_adopter, std::move(config)));
}

GstBusSyncReply Pipeline::onSyncMessage(GstBus*, GstMessage* message, gpointer data) {
  auto& self = *static_cast<Pipeline*>(data);
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_STREAM_STATUS) return GST_BUS_PASS;
  self.m_adopter.onStreamStatus(message);
  gst_message_unref(message);
  return GST_BUS_DROP;
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
  return std::max(kLeastReserved, m_gates.reservedFrequency(m_filter->frequency()));
}

void Pipeline::setThinning(Thinning thinning) {
  m_filter->setFrequency(thinning.frequency);
  m_gates.setKeyframesOnly(thinning.keyframesOnly);
  m_videoStage->followFrequency();
}

LoadFigures Pipeline::load() const {
  using periodic::Stage;
  LoadFigures figures;
  figures.decode = m_adopter.counters(Stage::VideoDecode);
  figures.display = m_adopter.counters(Stage::VideoDisplay);
  for (const Stage stage : {Stage::Source, Stage::AudioDecode, Stage::Audio, Stage::Other})
    figures.otherTime += m_adopter.counters(stage).cpuTime;
  figures.waited = m_adopter.waited(Stage::VideoDecode) + m_adopter.waited(Stage::VideoDisplay);
  const auto sink = plugins::videoSinkStatistics(m_videoSink.get());
  using plugins::DropReason;
  figures.late = sink.dropped[static_cast<std::size_t>(DropReason::LateAtSink)];
  figures.untaken = sink.dropped[static_cast<std::size_t>(DropReason::Replaced)];
  figures.nominalRate = nominalRate();
  m_gates.forEachOfPictures([&](const DecoderGate& gate) {
    figures.disposable = gate.shedder().disposable();
    figures.ahead = gate.ahead();
    figures.turn = gate.lead();
    figures.waited += gate.workersWaited();
    figures.segments = gate.segments();
  });
  return figures;
}

void Pipeline::adoptWorkers() {
  m_gates.adoptWorkers();
  m_gates.forEachOfPictures([this](const DecoderGate& gate) {
    if (const auto task = gate.report()) m_queue.fit(*task, gate.pictureBytes());
  });
}

}  // namespace tactus::media
