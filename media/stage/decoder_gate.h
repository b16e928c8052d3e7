// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/admission/resource.h"
#include "core/periodic/task/stage.h"
#include "media/stage/bound_task.h"
#include "media/stage/decoded_ahead.h"
#include "media/stage/decoder_threads.h"
#include "media/stage/encoded_format.h"
#include "media/stage/packet_clock.h"
#include "media/stage/shedder.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// Stands before one decoder: PacketClock and Shedder with pad probes around them. Each packet passes when it
/// is its turn, or is given up; the decoder's thread is a task, its worker threads part of it. Packets that
/// nobody will see (preroll, the way to a seek target) pass freely. Shared: a probe that runs while the gate
/// is detached still needs it.
class DecoderGate : public std::enable_shared_from_this<DecoderGate> {
 public:
  struct Config {
    int maxThreads = 0;                                ///< 0 = by the picture's size
    std::shared_ptr<plugins::PictureFilter> filter;    ///< shared with the sink
    plugins::ElementPtr sink;                          ///< shows what is decoded: knows when it is due
    std::function<void(DecoderGate&)> onFirstDecoded;  ///< streaming thread, once per format; must not block
    std::function<void()> onRateMeasured;              ///< streaming thread; must not block
    /// Streaming thread: what is decoded from now on is of another stream; its group id. May be null.
    std::function<void(guint)> onStream;
    std::string film;  ///< what a refusal calls it
    /// Streaming thread: there is no memory for the stream, of which nothing is decoded; why. May be null.
    std::function<void(const std::string&)> onRefused;
  };

  /// Installs the probes. `stage`: VideoDecode or AudioDecode. Called while the decoder is being added,
  /// before data flows. The adopter must outlive the decoder's streaming thread.
  [[nodiscard]] static std::shared_ptr<DecoderGate> create(GstElement* decoder, periodic::Stage stage,
                                                           StageAdopter& adopter, Config config);
  /// Removes the probes; a running one ends by itself. Thread-safe: yes.
  void detach();
  ~DecoderGate() = default;
  DecoderGate(const DecoderGate&) = delete;
  DecoderGate& operator=(const DecoderGate&) = delete;

  /// While not playing, packets pass freely (preroll must not wait). Thread-safe: yes. Real-time-safe: yes.
  void setPlaying(bool playing) noexcept { m_playing.store(playing, std::memory_order_relaxed); }
  /// The last stage. Thread-safe: yes. Real-time-safe: yes.
  void setKeyframesOnly(bool only) noexcept { m_shedder.setKeyframesOnly(only); }
  /// The reservation follows the frequency filter: what is given up before decoding needs none. Not from a
  /// streaming thread.
  void followFrequency();
  /// Finds the decoder's worker threads and makes them part of the task. Not from a streaming thread.
  void adoptWorkers();

  [[nodiscard]] const Shedder& shedder() const noexcept { return m_shedder; }
  [[nodiscard]] std::uint64_t decoded() const noexcept { return m_decoded.load(std::memory_order_relaxed); }
  [[nodiscard]] bool ofPictures() const noexcept { return !periodic::rowOf(m_stage).sound; }
  [[nodiscard]] GstElement* element() const noexcept { return m_decoder.get(); }
  /// Frames per second, declared or measured; 0 = unknown.
  [[nodiscard]] double nominalRate() const noexcept { return m_nominalRate.load(std::memory_order_relaxed); }
  /// Bytes of one decoded picture, by its size.
  [[nodiscard]] std::uint64_t pictureBytes() const noexcept {
    return m_pictureBytes.load(std::memory_order_relaxed);
  }
  /// Bytes that the stream was promised. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t memory() const noexcept { return m_memory.load(std::memory_order_relaxed); }
  /// Its decoder is closed: it needs no memory before the next format. With the stream at rest.
  void giveBackMemory() noexcept;
  /// The decoder's task; nullopt before its first packet.
  [[nodiscard]] std::optional<periodic::TaskReport> report() const;
  /// How long before they are needed packets are decoded; nullopt before the first of a segment and after the
  /// last.
  [[nodiscard]] std::optional<periodic::Duration> ahead() const noexcept;
  /// How long before its picture is due a packet's turn to be decoded comes.
  [[nodiscard]] periodic::Duration lead() const noexcept {
    return periodic::Duration(m_lead.load(std::memory_order_relaxed));
  }
  /// How long the decoder's worker threads have been runnable without a processor. Real-time-safe: no (reads
  /// a file a thread).
  [[nodiscard]] periodic::Duration workersWaited() const;
  /// Segments begun: after a seek nothing is decoded ahead.
  [[nodiscard]] std::uint64_t segments() const noexcept { return m_segments.load(std::memory_order_relaxed); }

 private:
  DecoderGate(GstElement* decoder, periodic::Stage stage, StageAdopter& adopter, Config config);
  static GstPadProbeReturn onInput(GstPad*, GstPadProbeInfo* info, gpointer self);
  static GstPadProbeReturn onOutput(GstPad*, GstPadProbeInfo* info, gpointer self);
  static void onOpens(GstElement*, const char* device, gpointer self);
  /// False: the event must not reach the decoder.
  [[nodiscard]] bool onEvent(GstEvent* event);
  void onFlush(bool begins);
  [[nodiscard]] bool onCaps(const GstCaps* caps);
  [[nodiscard]] int holdMemory(int wantedThreads);
  void onDecoded();
  [[nodiscard]] bool onPacket(GstBuffer* buffer);
  [[nodiscard]] bool mayShed() const noexcept {
    return periodic::rowOf(m_stage).shedding == periodic::Shedding::BeforeDecoding;
  }
  [[nodiscard]] bool sheds(GstBuffer* buffer, bool unseen, std::optional<periodic::TimePoint> due);
  [[nodiscard]] std::optional<periodic::Duration> spacingOf(GstBuffer* buffer);
  void enforce(periodic::Task& task, GstBuffer* buffer, std::optional<periodic::Duration> spacing,
               std::optional<periodic::TimePoint> due, bool shed);
  [[nodiscard]] std::optional<periodic::TimePoint> dueOf(GstBuffer* buffer);
  [[nodiscard]] bool decodeOnly(GstBuffer* buffer) const;
  [[nodiscard]] bool isDisposable(GstBuffer* buffer) const;
  [[nodiscard]] bool isPassedOver(GstBuffer* buffer) const;
  [[nodiscard]] periodic::LbapContract lbapOf(GstBuffer* buffer) const;
  void bindThread(GstBuffer* buffer);
  void drainDecoder();

  const plugins::ElementPtr m_decoder;
  const periodic::Stage m_stage;
  StageAdopter& m_adopter;
  const Config m_config;
  const DecoderThreads m_threads;
  const plugins::PadPtr m_input, m_output;
  std::atomic<gulong> m_inputProbe{0}, m_outputProbe{0}, m_opens{0};
  BoundTask m_task;
  Shedder m_shedder;
  DecodedAhead m_ahead;

  // relaxed: figures with one writer, and a switch that may take effect one packet later.
  std::atomic<bool> m_playing{false};
  std::atomic<std::uint64_t> m_decoded{0}, m_segments{0}, m_pictureBytes{0}, m_memory{0};
  std::atomic<double> m_nominalRate{0};
  std::atomic<std::int64_t> m_lead{0};  // ns

  mutable periodic::PriorityInheritanceMutex m_workersMutex;  // guards m_workers
  std::vector<pid_t> m_workers;

  // Streaming thread only.
  GstSegment m_segment{};
  PacketClock m_clock;
  EncodedFormat m_format;
  std::string m_device;  // that decodes; empty: software
  periodic::HeldShares m_held;
  bool m_refused = false;  // for want of memory: nothing reaches the decoder
  bool m_lbapChanged = true;
  bool m_announced = false;
  bool m_draining = false;  // our own event is under way through the decoder
};

}  // namespace tactus::media
