// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "media/playback/player.h"
#include "media/stage/decoder_gate.h"
#include "media/stage/stage_adopter.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// Positions at which the parts of a start were reached, in ns of CLOCK_MONOTONIC; 0 = not yet.
struct StartMarks {
  std::atomic<std::int64_t> opened{0}, typeFound{0}, decoderReady{0}, firstDecoded{0}, firstShown{0};
};

/// One playbin or playbin3 with our sinks, its threads adopted and a gate before each decoder. Made for one
/// item (and those that follow it without a gap). All methods but the constructor are thread-safe.
class Pipeline {
 public:
  struct Config {
    std::string engine;  ///< "playbin3" or "playbin"
    std::string uri;
    std::string subtitles;  ///< URI or empty
    PlayerConfig player;
    std::shared_ptr<plugins::VideoTarget> target;  // shared with the streaming thread
    std::function<std::string()> next;  ///< streaming thread: URI that playbin may go on with, or empty
    Thinning thinning;
    StreamService service;
    bool hidden = false;  ///< prerolls without a picture until reveal()
  };
  [[nodiscard]] static Result<std::shared_ptr<Pipeline>> create(Config config,
                                                                periodic::Scheduler& scheduler);
  /// Ends every wait, then stops. Not from a streaming thread.
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// GstState change with the gates prepared for it: nothing waits in enforce() while the state goes down.
  GstStateChangeReturn setState(GstState state);
  /// The gates enforce (true) or let everything pass.
  void setPlaying(bool playing);
  /// A seek with all waits ended first. False if the pipeline refused it.
  bool seek(double rate, Duration position, SeekMode mode);

  [[nodiscard]] GstElement* element() const noexcept { return m_playbin.get(); }
  [[nodiscard]] GstElement* videoSink() const noexcept { return m_videoSink.get(); }
  [[nodiscard]] GstElement* audioSink() const noexcept { return m_audioSink.get(); }
  [[nodiscard]] GstBus* bus() const noexcept { return m_bus.get(); }
  [[nodiscard]] const std::string& engine() const noexcept { return m_config.engine; }
  [[nodiscard]] const std::string& uri() const noexcept { return m_config.uri; }
  [[nodiscard]] std::vector<periodic::TaskReport> stages() const { return m_adopter.report(); }
  [[nodiscard]] std::uint64_t decodedPictures() const;
  [[nodiscard]] double nominalRate() const;
  [[nodiscard]] StartTimes startTimes() const;
  /// End of the picture last shown, in ns of stream time; -1 before the first.
  [[nodiscard]] std::int64_t lastShownEnd() const noexcept {
    return m_lastShownEnd.load(std::memory_order_relaxed);
  }
  /// What of the film is shown, and with what class it is worked on.
  void setThinning(Thinning thinning);
  void setService(StreamService service) { m_adopter.setService(std::move(service)); }
  [[nodiscard]] LoadFigures load() const;
  /// Pictures given up by the gates.
  [[nodiscard]] std::uint64_t shedBeforeDecoding() const;
  [[nodiscard]] std::uint64_t shedToKeyframe() const;
  /// Gives the pictures to the target, or to nobody.
  void reveal();
  void hide();
  /// The queue of decoded pictures: how many it holds, and bytes for them.
  [[nodiscard]] QueueSize queue() const;
  /// Called from the bus thread on the pipeline's "tactus-workers" message: the decoder has begun.
  void adoptWorkers();

 private:
  Pipeline(Config config, periodic::Scheduler& scheduler);
  Result<void> build();
  void configureSource(GstElement* source);
  void onElementAdded(GstElement* element);
  [[nodiscard]] double displayFrequency() const;
  void sizeQueueLocked(const DecoderGate& gate);
  void onSinkPacket(GstPad* pad, GstBuffer* buffer, bool video);
  void watchSink(GstElement* sink, bool video);
  void onAboutToFinish();
  static GstBusSyncReply onSyncMessage(GstBus*, GstMessage* message, gpointer self);

  Config m_config;
  StageAdopter m_adopter;
  plugins::ElementPtr m_playbin, m_videoSink, m_audioSink;
  plugins::BusPtr m_bus;
  mutable periodic::PriorityInheritanceMutex
      m_gatesMutex;  // taken when decoders come, and by statistics; never per packet
  std::vector<std::unique_ptr<DecoderGate>> m_gates;
  const std::shared_ptr<plugins::PictureFilter> m_filter =
      std::make_shared<plugins::PictureFilter>();  // shared with the gates and the sink
  bool m_playing = false;                          // guarded by m_gatesMutex
  bool m_keyframesOnly = false;                    // guarded by m_gatesMutex
  std::shared_ptr<periodic::Task> m_displayTask;   // guarded by m_gatesMutex; shared with the adopter
  QueueSize m_queue;                               // guarded by m_gatesMutex
  plugins::ElementPtr m_pictureQueue;              // guarded by m_gatesMutex
  StartMarks m_marks;
  std::atomic<std::int64_t> m_lastShownEnd{-1};

  struct SinkThread {  // streaming thread of that sink only
    std::atomic<pid_t> bound{0};
    std::shared_ptr<periodic::Task> task;  // shared with the adopter
    GstSegment segment{};
    double rate = 0;
  };
  SinkThread m_video, m_audio;
};

}  // namespace tactus::media
