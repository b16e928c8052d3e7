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

using periodic::Stage;

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

Pipeline::Pipeline(Config config) : m_config(std::move(config)) {}

Result<std::shared_ptr<Pipeline>> Pipeline::create(Config config, periodic::Scheduler& scheduler) {
  std::shared_ptr<Pipeline> pipeline(new Pipeline(std::move(config)));
  if (auto built = pipeline->build(scheduler); !built.ok()) return built.error();
  return pipeline;
}

Pipeline::~Pipeline() {
  if (!m_graph) return;
  setState(GST_STATE_NULL);
  if (m_bus) gst_bus_set_sync_handler(m_bus.get(), nullptr, nullptr, nullptr);
  m_graph->disconnect();
  m_stream->detachDecoders();
}

Result<void> Pipeline::build(periodic::Scheduler& scheduler) {
  // Group ids are numbers of films where the reader is ours.
  auto stream = StagedStream::create({.label = m_config.player.label,
                                      .target = m_config.target,
                                      .audioTarget = m_config.player.audioTarget,
                                      .maxDecoderThreads = m_config.player.maxDecoderThreads,
                                      .tellsGroups = m_config.engine == Engine::Av,
                                      .tap = m_config.tap},
                                     *this, scheduler);
  if (!stream.ok()) return stream.error();
  m_stream = std::move(stream).value();
  const Graph::Config config{m_config.uri, m_config.player, videoSink(), audioSink()};
  auto graph = m_config.engine == Engine::Av ? makeAvGraph(config, *this) : makePlaybinGraph(config, *this);
  if (!graph.ok()) return graph.error();
  m_graph = std::move(graph).value();
  if (m_config.player.clock) gst_pipeline_use_clock(GST_PIPELINE(element()), m_config.player.clock.get());
  m_stream->setService(m_config.service);
  m_stream->setThinning(m_config.thinning);
  m_bus.reset(gst_pipeline_get_bus(GST_PIPELINE(element())));
  gst_bus_set_sync_handler(m_bus.get(), onSyncMessage, this, nullptr);
  reach(StartMark::Opened);
  return {};
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
  return m_shown.of(m_film.load(), m_stream->shown());
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
void Pipeline::onGroupAtSink(Stage sink, unsigned film) {
  const bool sound = periodic::rowOf(sink).sound;
  (sound ? m_atAudioSink : m_atVideoSink).store(film);
  if (!sound) m_shown.begin(film, m_stream->shown());
  const unsigned atVideo = m_atVideoSink.load();
  const unsigned atAudio = m_atAudioSink.load();
  const bool both = (atVideo == film || atVideo == 0) && (atAudio == film || atAudio == 0);
  if (both && film > m_film.load()) beginFilm(film);
}

void Pipeline::beginFilm(unsigned film) {
  if (!m_graph->goOn()) return;
  m_film.store(film);
  m_stream->forgetOthers();
  m_marks.restart(periodic::MonotonicClock::now());
  m_lastShownEnd.store(-1, std::memory_order_relaxed);
  m_shownBefore.store(-1);
  m_firstToBeShown.store(true);
  postToPlayer("tactus-film-begins");
}

void Pipeline::onDecoderAdded(GstElement* decoder, Stage stage) {
  if (!periodic::rowOf(stage).sound) reach(StartMark::DecoderReady);
  const std::string& label = m_config.player.label;
  m_stream->addDecoder(decoder, stage, "'" + (label.empty() ? titleOf(m_config.uri) : label) + "'");
}

void Pipeline::onFirstDecoded(const DecoderGate& gate) {
  if (gate.ofPictures()) reach(StartMark::FirstDecoded);
  postToPlayer("tactus-workers");
}

GstBusSyncReply Pipeline::onSyncMessage(GstBus*, GstMessage* message, gpointer data) {
  auto& self = *static_cast<Pipeline*>(data);
  if (GST_MESSAGE_TYPE(message) != GST_MESSAGE_STREAM_STATUS) return GST_BUS_PASS;
  self.m_stream->onStreamStatus(message);
  gst_message_unref(message);
  return GST_BUS_DROP;
}

GstStateChangeReturn Pipeline::setState(GstState state) {
  if (state <= GST_STATE_PAUSED) {
    setPlaying(false);
    m_stream->interrupt();
  }
  const auto result = gst_element_set_state(element(), state);
  if (state == GST_STATE_NULL) m_stream->giveBackMemory();
  if (state >= GST_STATE_PAUSED) m_stream->resume();
  return result;
}

bool Pipeline::seek(double rate, Duration position, SeekMode mode) {
  int flags = GST_SEEK_FLAG_FLUSH;
  flags |= mode == SeekMode::Exact ? GST_SEEK_FLAG_ACCURATE : GST_SEEK_FLAG_KEY_UNIT;
  // Until it plays again nothing has its time: what is decoded first is shown standing still.
  setPlaying(false);
  m_stream->interrupt();
  const bool accepted =
      gst_element_seek(element(), rate, GST_FORMAT_TIME, static_cast<GstSeekFlags>(flags), GST_SEEK_TYPE_SET,
                       std::max<gint64>(0, position.count()), GST_SEEK_TYPE_NONE,
                       static_cast<gint64>(GST_CLOCK_TIME_NONE)) != FALSE;
  m_stream->resume();
  if (!accepted) setPlaying(GST_STATE(element()) == GST_STATE_PLAYING);
  return accepted;
}

Result<void> Pipeline::addSubtitles(const std::string& path, bool chosen) {
  auto file = plugins::av::readSubtitleFile(path);
  if (!file.ok()) return file.error();
  m_graph->addSubtitles(std::move(file).value(), chosen);
  return {};
}

}  // namespace tactus::media
