// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "media/sharing/governed_stream.h"
#include "media/stage/decoder_gates.h"
#include "media/stage/film_tap.h"
#include "media/stage/picture_queue.h"
#include "media/stage/sink_stage.h"
#include "media/stage/stage_adopter.h"
#include "plugins/gst_handle.h"
#include "plugins/video_sink.h"

namespace tactus::media {

/// The stages of one stream of pictures and sound, whoever puts the elements together: our sinks, a gate
/// before each decoder, the filter that both ask which pictures are shown, the threads' tasks, and the
/// figures of all. A film's pipeline owns one. Thread-safe: yes, but for the constructor and the destructor.
class StagedStream {
 public:
  struct Config {
    std::string label;                             ///< of its tasks; may be empty
    std::shared_ptr<plugins::VideoTarget> target;  // shared with the streaming thread
    std::string audioTarget;                       ///< node of PipeWire; empty = the default
    int maxDecoderThreads = 0;                     ///< 0 = by the picture's size
    bool tellsGroups = false;                      ///< the listener is told of groups
    /// Gets what is shown and sounds; null: nobody does. Shared with who takes it.
    std::shared_ptr<FilmTap> tap = {};
  };
  /// Hears of the stages, in their streaming threads; must not block.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void onShown(plugins::FrameSpan span) = 0;
    /// All of the group before has been shown, or is given to the device; `sink` says which. And: what is
    /// decoded from now on is of this group.
    virtual void onGroupAtSink(periodic::Stage sink, unsigned group) = 0;
    virtual void onGroupAtDecoder(unsigned group) = 0;
    /// What comes to a sink from now on has another format.
    virtual void onFormat() = 0;
    /// Once per format.
    virtual void onFirstDecoded(const DecoderGate& gate) = 0;
    /// Pictures come at another rate than was declared: followRate() is due.
    virtual void onRateMeasured() = 0;
    /// There is no memory for a decoder, of which nothing is decoded; why.
    virtual void onRefused(const std::string& why) = 0;
  };

  /// Makes the sinks, which the caller puts into its pipeline. `scheduler` and `listener` must outlive the
  /// stream. Unsupported without the sinks.
  [[nodiscard]] static Result<std::unique_ptr<StagedStream>> create(Config config, Listener& listener,
                                                                    periodic::Scheduler& scheduler);
  /// The pipeline must be at state NULL.
  ~StagedStream();
  StagedStream(const StagedStream&) = delete;
  StagedStream& operator=(const StagedStream&) = delete;

  [[nodiscard]] GstElement* videoSink() const noexcept { return m_videoSink.get(); }
  [[nodiscard]] GstElement* audioSink() const noexcept { return m_audioSink.get(); }

  // Its elements and threads come and go.
  /// A gate before the decoder, which is being added; `film` is what a refusal calls the stream.
  void addDecoder(GstElement* decoder, periodic::Stage stage, std::string film);
  void removeDecoder(const GstElement* decoder) { m_gates.remove(decoder); }
  void detachDecoders() { m_gates.detachAll(); }
  void attachQueue(GstElement* queue) { m_queue.attach(queue); }
  /// STREAM_STATUS, from the thread itself.
  void onStreamStatus(GstMessage* message) { m_adopter.onStreamStatus(message); }
  /// See StageAdopter.
  [[nodiscard]] std::shared_ptr<periodic::Task> takeOver(periodic::TaskContract contract) {
    return m_adopter.takeOver(std::move(contract));
  }
  void leave() { m_adopter.leave(); }
  /// For stages of the same stream that are neither decoders nor sinks.
  [[nodiscard]] StageAdopter& adopter() noexcept { return m_adopter; }
  /// A decoder has begun: its worker threads are part of its task, and the queue fits its reservation. Not
  /// from a streaming thread.
  void adoptWorkers();
  /// The reservation for showing follows the rate. Not from a streaming thread.
  void followRate() { m_videoStage->followPace(); }

  // What it is told.
  /// The gates enforce (true) or let everything pass.
  void setPlaying(bool playing) { m_gates.setPlaying(playing); }
  /// All waits end and stay ended (pause, seek, stop), or last again.
  void interrupt() noexcept { m_adopter.interruptAll(); }
  void resume() noexcept { m_adopter.resumeAll(); }
  void setThinning(Thinning thinning);
  void setService(StreamService service) { m_adopter.setService(std::move(service)); }
  /// Another film's pictures were met last.
  void forgetOthers() { m_filter->forgetOthers(); }
  /// Its decoders are closed.
  void giveBackMemory() { m_gates.giveBackMemory(); }

  // Figures.
  [[nodiscard]] LoadFigures load() const;
  [[nodiscard]] std::vector<periodic::TaskReport> stages() const { return m_adopter.report(); }
  [[nodiscard]] DecoderGates::Counts counts() const { return m_gates.counts(); }
  [[nodiscard]] plugins::VideoSinkStatistics shown() const {
    return plugins::videoSinkStatistics(m_videoSink.get());
  }
  [[nodiscard]] double nominalRate() const { return m_gates.nominalRate(); }
  [[nodiscard]] QueueSize queue() const { return m_queue.size(); }
  /// Bytes that its decoders were promised.
  [[nodiscard]] std::uint64_t memory() const { return m_gates.memory(); }

 private:
  StagedStream(Config config, Listener& listener, periodic::Scheduler& scheduler);
  Result<void> build();
  [[nodiscard]] std::unique_ptr<SinkStage> makeStage(GstElement* sink, periodic::Stage stage);
  [[nodiscard]] SinkStage::Pace displayPace() const;

  const Config m_config;
  Listener& m_listener;
  StageAdopter m_adopter;
  plugins::ElementPtr m_videoSink, m_audioSink;
  const std::shared_ptr<plugins::PictureFilter> m_filter =
      std::make_shared<plugins::PictureFilter>();  // shared with the gates and the sink
  DecoderGates m_gates;
  PictureQueue m_queue;
  std::unique_ptr<SinkStage> m_videoStage, m_audioStage;
  std::unique_ptr<FilmTap::Source> m_tapped;  // null without a tap
};

}  // namespace tactus::media
