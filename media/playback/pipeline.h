// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "media/playback/graph.h"
#include "media/playback/player.h"
#include "media/playback/start_marks.h"
#include "media/stage/film_counts.h"
#include "media/stage/staged_stream.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::media {

/// Who reads and decodes.
enum class Engine {
  Av,       ///< our own reader and decoders
  Playbin3  ///< GStreamer's
};
/// As statistics and reports call it.
[[nodiscard]] constexpr const char* nameOf(Engine engine) noexcept {
  return engine == Engine::Av ? "av" : "playbin3";
}

/// One graph with our sinks, its threads adopted and a gate before each decoder. Made for one item, which
/// others may follow. All methods but the constructor are thread-safe.
class Pipeline : private Graph::Listener, private StagedStream::Listener {
 public:
  struct Config {
    Engine engine = Engine::Av;
    std::string uri;
    PlayerConfig player;
    std::shared_ptr<plugins::VideoTarget> target;  // shared with the streaming thread
    Thinning thinning;
    StreamService service;
    std::shared_ptr<FilmTap> tap;  // shared with who takes what is shown and sounds
  };
  [[nodiscard]] static Result<std::shared_ptr<Pipeline>> create(Config config,
                                                                periodic::Scheduler& scheduler);
  /// Ends every wait, then stops. Not from a streaming thread.
  ~Pipeline() override;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// GstState change with the gates prepared for it: nothing waits in enforce() while the state goes down.
  GstStateChangeReturn setState(GstState state);
  /// The gates enforce (true) or let everything pass.
  void setPlaying(bool playing) { m_stream->setPlaying(playing); }
  /// Before it starts: it begins there. False where it cannot by itself.
  [[nodiscard]] bool beginAt(Duration position) { return m_graph->beginAt(position); }
  /// A seek with all waits ended first. False if the pipeline refused it.
  bool seek(double rate, Duration position, SeekMode mode);

  [[nodiscard]] GstElement* element() const noexcept { return m_graph->element(); }
  [[nodiscard]] GstElement* selector() const noexcept { return m_graph->selector(); }
  void setVolume(double linear, bool muted) const { m_graph->setVolume(linear, muted); }
  void setHardware(plugins::av::HardwareWish wish) { m_graph->setHardware(wish); }
  /// A file beside the film; `chosen`: it is shown from now on. Blocking. Errors: one sentence that names the
  /// file.
  [[nodiscard]] Result<void> addSubtitles(const std::string& path, bool chosen);
  /// Those that bear the film's name, the first of which is shown. Blocking.
  void addSubtitlesBeside();
  /// What is to follow without a gap; empty = nothing. Once it does a "tactus-film-begins" message says so,
  /// and closePast() is to be called; before that every seek and query means the film before. False where it
  /// cannot be, or has begun. Blocking.
  bool follow(const std::string& uri);
  void closePast() { m_graph->closePast(); }
  void setSubtitles(const SubtitleSettings& settings) { m_graph->setSubtitles(settings); }
  void setSecondSubtitles(const std::string& streamId) { m_graph->setSecondSubtitles(streamId); }
  [[nodiscard]] GstElement* videoSink() const noexcept { return m_stream->videoSink(); }
  [[nodiscard]] GstElement* audioSink() const noexcept { return m_stream->audioSink(); }
  [[nodiscard]] GstBus* bus() const noexcept { return m_bus.get(); }
  [[nodiscard]] Engine engine() const noexcept { return m_config.engine; }
  [[nodiscard]] std::vector<periodic::TaskReport> stages() const { return m_stream->stages(); }
  /// Of the film that plays: pictures decoded, and given up before.
  [[nodiscard]] DecoderGates::Counts counts() const {
    return m_decoded.of(m_film.load(), m_stream->counts());
  }
  [[nodiscard]] plugins::VideoSinkStatistics shown() const;
  /// What the target had shown before the first picture of the film; absent before that and of the first.
  [[nodiscard]] std::optional<std::uint64_t> shownBefore() const;
  [[nodiscard]] double nominalRate() const { return m_stream->nominalRate(); }
  [[nodiscard]] StartTimes startTimes() const { return m_marks.times(); }
  /// End of the picture last shown, in ns of stream time; -1 before the first.
  [[nodiscard]] std::int64_t lastShownEnd() const noexcept {
    return m_lastShownEnd.load(std::memory_order_relaxed);
  }
  /// Which pictures are shown; and how their stages are served.
  void setThinning(Thinning thinning) { m_stream->setThinning(thinning); }
  void setService(StreamService service) { m_stream->setService(std::move(service)); }
  [[nodiscard]] LoadFigures load() const { return m_stream->load(); }
  /// Of decoded pictures.
  [[nodiscard]] QueueSize queue() const { return m_stream->queue(); }
  /// Bytes that its decoders' streams were promised.
  [[nodiscard]] std::uint64_t memory() const { return m_stream->memory(); }
  /// Called from the bus thread on the pipeline's "tactus-workers" message: the decoder has begun.
  void adoptWorkers() { m_stream->adoptWorkers(); }
  /// On its "tactus-rate" message: pictures come at another rate than was declared.
  void followRate() { m_stream->followRate(); }

 private:
  explicit Pipeline(Config config);
  Result<void> build(periodic::Scheduler& scheduler);
  void onTypeFound() override { reach(StartMark::TypeFound); }
  void onDecoderAdded(GstElement* decoder, periodic::Stage stage) override;
  void onDecoderRemoved(GstElement* decoder) override { m_stream->removeDecoder(decoder); }
  void onPictureQueue(GstElement* queue) override { m_stream->attachQueue(queue); }
  std::shared_ptr<periodic::Task> onThreadBegins(periodic::TaskContract contract) override {
    return m_stream->takeOver(std::move(contract));
  }
  void onThreadEnds() override { m_stream->leave(); }
  void beginFilm(unsigned film);
  void onShown(plugins::FrameSpan span) override;
  void onGroupAtSink(periodic::Stage sink, unsigned film) override;
  void onGroupAtDecoder(unsigned film) override { m_decoded.begin(film, m_stream->counts()); }
  void onFormat() override { postToPlayer("tactus-format"); }
  void onFirstDecoded(const DecoderGate& gate) override;
  void onRateMeasured() override { postToPlayer("tactus-rate"); }
  void onRefused(const std::string& why) override { postToPlayer("tactus-refused", why); }
  void reach(StartMark mark) noexcept { m_marks.reach(mark, periodic::MonotonicClock::now()); }
  /// `why` where the name does not say all.
  void postToPlayer(const char* name, const std::string& why = "");
  static GstBusSyncReply onSyncMessage(GstBus*, GstMessage* message, gpointer self);

  const Config m_config;
  std::unique_ptr<StagedStream> m_stream;
  plugins::BusPtr m_bus;
  StartMarks m_marks;
  std::atomic<std::int64_t> m_lastShownEnd{-1};

  // The films that follow each other, by their group ids.
  std::atomic<unsigned> m_film{1};                           // that plays
  std::atomic<unsigned> m_atVideoSink{0}, m_atAudioSink{0};  // that has reached it; 0 = it has no stream
  FilmCounts<DecoderGates::Counts> m_decoded;
  FilmCounts<plugins::VideoSinkStatistics> m_shown;
  std::atomic<bool> m_firstToBeShown{false};
  std::atomic<std::int64_t> m_shownBefore{-1};
  std::unique_ptr<Graph> m_graph;
};

}  // namespace tactus::media
