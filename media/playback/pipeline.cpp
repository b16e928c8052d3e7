// SPDX-License-Identifier: Apache-2.0
#include "media/playback/pipeline.h"

#include <algorithm>
#include <utility>

#include "media/playback/media_path.h"
#include "media/playback/subtitles_beside.h"
#include "plugins/audio_sink.h"
#include "plugins/av/subtitle_file.h"
#include "plugins/video_sink.h"

namespace tactus::media {
namespace {

using periodic::Shedding;
using periodic::Stage;

constexpr double kLeastReserved = 0.05;  // a reservation of nothing is none

/// What is none, in spite of its name, is passed over.
std::vector<plugins::av::SubtitleFile> readSubtitlesBeside(const std::string& uri) {
  std::vector<plugins::av::SubtitleFile> files;
  const auto film = localPathOf(uri);
  if (!film) return files;
  for (const auto& path : subtitlesBeside(*film))
    if (auto file = plugins::av::readSubtitleFile(path); file.ok()) files.push_back(std::move(file).value());
  return files;
}

}  // namespace

Pipeline::Pipeline(Config config, periodic::Scheduler& scheduler)
    : m_config(std::move(config)), m_adopter(scheduler, m_config.player.label) {}

Result<std::shared_ptr<Pipeline>> Pipeline::create(Config config, periodic::Scheduler& scheduler) {
  std::shared_ptr<Pipeline> pipeline(new Pipeline(std::move(config), scheduler));
  if (auto built = pipeline->build(); !built.ok()) return built.error();
  return pipeline;
}

Pipeline::~Pipeline() {
  if (!m_graph) return;
  setState(GST_STATE_NULL);
  if (m_bus) gst_bus_set_sync_handler(m_bus.get(), nullptr, nullptr, nullptr);
  if (m_videoSink) {
    plugins::setFrameShownCallback(m_videoSink.get(), {});
    plugins::setVideoTarget(m_videoSink.get(), nullptr);
  }
  m_graph->disconnect();
  m_gates.detachAll();
}

Result<void> Pipeline::build() {
  plugins::registerElements();
  const auto make = [](const char* factory) {
    GstElement* element = gst_element_factory_make(factory, nullptr);
    if (element != nullptr) gst_object_ref_sink(element);
    return plugins::ElementPtr(element);
  };
  m_videoSink = make("tactusvideosink");
  m_audioSink = make("tactusaudiosink");
  if (!m_videoSink || !m_audioSink)
    return Error{ErrorCode::Unsupported, "GStreamer does not know Tactus's sinks."};
  setUpSinks();
  const Graph::Config config{m_config.uri, m_config.player, m_videoSink.get(), m_audioSink.get()};
  auto graph = m_config.engine == Engine::Av ? makeAvGraph(config, *this) : makePlaybinGraph(config, *this);
  if (!graph.ok()) return graph.error();
  m_graph = std::move(graph).value();
  if (m_config.player.clock) gst_pipeline_use_clock(GST_PIPELINE(element()), m_config.player.clock.get());
  m_adopter.setService(m_config.service);
  setThinning(m_config.thinning);
  m_bus.reset(gst_pipeline_get_bus(GST_PIPELINE(element())));
  gst_bus_set_sync_handler(m_bus.get(), onSyncMessage, this, nullptr);
  reach(StartMark::Opened);
  return {};
}

void Pipeline::setUpSinks() {
  plugins::setVideoTarget(m_videoSink.get(), m_config.target);
  plugins::setPictureFilter(m_videoSink.get(), m_filter);
  plugins::setFrameShownCallback(m_videoSink.get(), [this](plugins::FrameSpan span) { onShown(span); });
  const bool follows = m_config.engine == Engine::Av;  // else group ids are no numbers of films
  const auto make = [&](const plugins::ElementPtr& sink, Stage stage) {
    SinkStage::Hooks hooks;
    if (periodic::rowOf(stage).shedding != Shedding::Nothing) hooks.pace = [this] { return displayPace(); };
    if (follows) hooks.onStream = [this, stage](guint film) { onStream(stage, film); };
    hooks.onFormat = [this] { postToPlayer("tactus-format"); };
    return std::make_unique<SinkStage>(sink.get(), stage, m_adopter, std::move(hooks));
  };
  m_videoStage = make(m_videoSink, Stage::VideoDisplay);
  m_audioStage = make(m_audioSink, Stage::Audio);
  if (!m_config.player.audioTarget.empty())
    g_object_set(m_audioSink.get(), "target-object", m_config.player.audioTarget.c_str(), nullptr);
}

void Pipeline::postToPlayer(const char* name, const std::string& why) {
  GstStructure* fields = gst_structure_new(name, "why", G_TYPE_STRING, why.c_str(), nullptr);
  gst_element_post_message(element(), gst_message_new_application(GST_OBJECT(element()), fields));
}

void Pipeline::onShown(plugins::FrameSpan span) {
  m_lastShownEnd.store(span.end, std::memory_order_relaxed);
  if (!m_marks.reached(StartMark::FirstShown)) reach(StartMark::FirstShown);
  if (m_firstToBeShown.exchange(false))
    m_shownBefore.store(static_cast<std::int64_t>(m_config.target->shown()));
}

std::optional<std::uint64_t> Pipeline::shownBefore() const {
  const std::int64_t shown = m_shownBefore.load();
  return shown >= 0 ? std::optional(static_cast<std::uint64_t>(shown)) : std::nullopt;
}

plugins::VideoSinkStatistics Pipeline::shown() const {
  return m_shown.of(m_film.load(), plugins::videoSinkStatistics(m_videoSink.get()));
}

bool Pipeline::follow(const std::string& uri) {
  return m_graph->follow(uri, readSubtitlesBeside(uri));
}

void Pipeline::addSubtitlesBeside() {
  bool first = true;
  for (auto& file : readSubtitlesBeside(m_config.uri))
    m_graph->addSubtitles(std::move(file), std::exchange(first, false));
}

/// The sink's streaming thread, before the stream's first data. The film begins once both streams do.
void Pipeline::onStream(Stage sink, unsigned film) {
  const bool sound = periodic::rowOf(sink).sound;
  (sound ? m_atAudioSink : m_atVideoSink).store(film);
  if (!sound) m_shown.begin(film, plugins::videoSinkStatistics(m_videoSink.get()));
  const unsigned atVideo = m_atVideoSink.load();
  const unsigned atAudio = m_atAudioSink.load();
  const bool both = (atVideo == film || atVideo == 0) && (atAudio == film || atAudio == 0);
  if (both && film > m_film.load()) beginFilm(film);
}

void Pipeline::beginFilm(unsigned film) {
  if (!m_graph->goOn()) return;
  m_film.store(film);
  m_filter->forgetOthers();
  m_marks.restart(periodic::MonotonicClock::now());
  m_lastShownEnd.store(-1, std::memory_order_relaxed);
  m_shownBefore.store(-1);
  m_firstToBeShown.store(true);
  postToPlayer("tactus-film-begins");
}

void Pipeline::onDecoderAdded(GstElement* decoder, Stage stage) {
  const bool sound = periodic::rowOf(stage).sound;
  DecoderGate::Config config;
  config.maxThreads = m_config.player.maxDecoderThreads;
  config.filter = m_filter;
  config.sink = plugins::share<plugins::ElementPtr>(sound ? m_audioSink.get() : m_videoSink.get());
  config.onFirstDecoded = [this](DecoderGate& gate) {
    if (gate.ofPictures()) reach(StartMark::FirstDecoded);
    postToPlayer("tactus-workers");
  };
  config.onRateMeasured = [this] { postToPlayer("tactus-rate"); };
  if (!sound && m_config.engine == Engine::Av)
    config.onStream = [this](guint film) { m_decoded.begin(film, m_gates.counts()); };
  const std::string& label = m_config.player.label;
  config.film = "'" + (label.empty() ? titleOf(m_config.uri) : label) + "'";
  config.onRefused = [this](const std::string& why) { postToPlayer("tactus-refused", why); };
  if (!sound) reach(StartMark::DecoderReady);
  m_gates.add(DecoderGate::create(decoder, stage, m_adopter, std::move(config)));
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
  const auto result = gst_element_set_state(element(), state);
  if (state == GST_STATE_NULL) m_gates.giveBackMemory();
  if (state >= GST_STATE_PAUSED) m_adopter.resumeAll();
  return result;
}

bool Pipeline::seek(double rate, Duration position, SeekMode mode) {
  int flags = GST_SEEK_FLAG_FLUSH;
  flags |= mode == SeekMode::Exact ? GST_SEEK_FLAG_ACCURATE : GST_SEEK_FLAG_KEY_UNIT;
  // Until it plays again nothing has its time: what is decoded first is shown standing still.
  setPlaying(false);
  m_adopter.interruptAll();
  const bool accepted =
      gst_element_seek(element(), rate, GST_FORMAT_TIME, static_cast<GstSeekFlags>(flags), GST_SEEK_TYPE_SET,
                       std::max<gint64>(0, position.count()), GST_SEEK_TYPE_NONE,
                       static_cast<gint64>(GST_CLOCK_TIME_NONE)) != FALSE;
  m_adopter.resumeAll();
  if (!accepted) setPlaying(GST_STATE(element()) == GST_STATE_PLAYING);
  return accepted;
}

/// As often as decoding: a longer period would put the hand-over, which takes little and is due at once,
/// below everybody's decoding.
SinkStage::Pace Pipeline::displayPace() const {
  return {nominalRate(), std::max(kLeastReserved, m_gates.reservedFrequency(m_filter->frequency()))};
}

Result<void> Pipeline::addSubtitles(const std::string& path, bool chosen) {
  auto file = plugins::av::readSubtitleFile(path);
  if (!file.ok()) return file.error();
  m_graph->addSubtitles(std::move(file).value(), chosen);
  return {};
}

void Pipeline::setThinning(Thinning thinning) {
  m_filter->setFrequency(thinning.frequency);
  m_filter->setSize(thinning.size);
  m_gates.setKeyframesOnly(thinning.keyframesOnly);
  m_videoStage->followPace();
}

LoadFigures Pipeline::load() const {
  LoadFigures figures;
  for (const periodic::StageRow& row : periodic::kStages) {
    const auto counters = m_adopter.counters(row.stage);
    switch (row.shedding) {
      case Shedding::Nothing:
        figures.otherTime += counters.cpuTime;
        break;
      case Shedding::BeforeDecoding:
        figures.decode += counters;
        break;
      case Shedding::BeforeDisplay:
        figures.display += counters;
        break;
    }
    if (row.governed) figures.waited += m_adopter.waited(row.stage);
  }
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
