// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/periodic/time/rate.h"
#include "media/stage/catch_up.h"
#include "media/stage/frame_kind.h"
#include "media/stage/stage_adopter.h"
#include "plugins/gst_handle.h"
#include "plugins/picture_filter.h"

namespace tactus::media {

/// Stands before one decoder: enforces its stream's LBAP on every packet, bounds its worker threads and
/// measures it.
///
/// The contract's rate is the stream's own times the playback speed, plus 1 %: the bounded queue behind the
/// decoder paces exactly by the pipeline's clock, which may run a little faster than CLOCK_MONOTONIC; the
/// gate only bounds bursts. Packets that nobody will see (preroll, the way to a seek target) pass freely.
class DecoderGate {
 public:
  struct Config {
    int maxThreads = 0;                                ///< 0 = by the picture's size
    std::shared_ptr<plugins::PictureFilter> filter;    ///< shared with the sink; null = all are decoded
    std::function<void(DecoderGate&)> onFirstDecoded;  ///< streaming thread, once per format; must not block
  };

  /// Installs the probes. Called while the decoder is being added, before data flows.
  DecoderGate(GstElement* decoder, bool video, StageAdopter& adopter, Config config);
  /// Removes the probes; waits for a running callback to end.
  ~DecoderGate();
  DecoderGate(const DecoderGate&) = delete;
  DecoderGate& operator=(const DecoderGate&) = delete;

  /// While not playing, packets pass freely (preroll must not wait). Thread-safe: yes. Real-time-safe: yes.
  void setPlaying(bool playing) noexcept;
  /// From the next packet on nothing but keyframes is decoded, until it is taken back: the last stage.
  /// Thread-safe: yes. Real-time-safe: yes.
  void setKeyframesOnly(bool only) noexcept { m_keyframesOnly.store(only, std::memory_order_relaxed); }
  /// The reservation follows the frequency filter: what is given up before decoding needs none. Not from a
  /// streaming thread.
  void followFrequency();
  /// Share of the packets that is to be reserved for at the filter's f.
  [[nodiscard]] double reservedFrequency() const noexcept;
  /// Share of the pictures to which none refers, learned.
  [[nodiscard]] double disposable() const noexcept { return m_disposable.load(std::memory_order_relaxed); }
  /// Pictures given up before decoding, and up to a keyframe.
  [[nodiscard]] std::uint64_t shed() const noexcept { return m_shed.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t shedToKeyframe() const noexcept {
    return m_shedToKeyframe.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t decoded() const noexcept { return m_decoded.load(std::memory_order_relaxed); }
  [[nodiscard]] bool video() const noexcept { return m_video; }
  /// Frames per second from the caps; 0 = unknown.
  [[nodiscard]] double nominalRate() const noexcept { return m_nominalRate.load(std::memory_order_relaxed); }
  [[nodiscard]] GstElement* element() const noexcept { return m_decoder.get(); }
  /// The decoder's task; nullopt before its first packet.
  [[nodiscard]] std::optional<periodic::TaskReport> report() const;
  /// Bytes of one decoded picture, by its size.
  [[nodiscard]] std::uint64_t pictureBytes() const noexcept {
    return m_pictureBytes.load(std::memory_order_relaxed);
  }
  /// How long before they, or what refers to them, are due packets are decoded, lately; nullopt before the
  /// first of a segment, and after the last.
  [[nodiscard]] std::optional<periodic::Duration> ahead() const noexcept;
  /// Segments that were begun: after a seek nothing is decoded ahead. Thread-safe: yes. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t segments() const noexcept { return m_segments.load(std::memory_order_relaxed); }
  /// Finds the decoder's worker threads and makes them part of the task. Not from a streaming thread.
  void adoptWorkers();

 private:
  static GstPadProbeReturn onInput(GstPad*, GstPadProbeInfo* info, gpointer self);
  static GstPadProbeReturn onOutput(GstPad*, GstPadProbeInfo* info, gpointer self);
  void onEvent(GstEvent* event);
  void onCaps(const GstCaps* caps);
  [[nodiscard]] bool onPacket(GstBuffer* buffer);
  [[nodiscard]] bool isKeyframe(GstBuffer* buffer, bool only);
  [[nodiscard]] bool sheds(GstBuffer* buffer, bool unseen, std::optional<periodic::TimePoint> due);
  void drainDecoder();
  void limitThreads(const GstStructure* format);
  void bindThread(GstBuffer* buffer);
  [[nodiscard]] periodic::LbapContract contract(GstBuffer* buffer) const;
  [[nodiscard]] std::optional<periodic::Duration> spacingOf(GstBuffer* buffer);
  [[nodiscard]] bool decodeOnly(GstBuffer* buffer) const;
  [[nodiscard]] std::optional<periodic::TimePoint> dueOf(GstBuffer* buffer);
  [[nodiscard]] periodic::TimePoint turnOf(periodic::TimePoint due) const;

  plugins::ElementPtr m_decoder;
  const bool m_video;
  StageAdopter& m_adopter;
  const Config m_config;
  const std::string m_comm;  // thread name that the decoder's worker threads inherit
  plugins::PadPtr m_input, m_output;
  gulong m_inputProbe = 0, m_outputProbe = 0;

  std::atomic<bool> m_playing{false};
  std::atomic<std::uint64_t> m_decoded{0};
  std::atomic<double> m_nominalRate{0};
  std::atomic<pid_t> m_boundThread{0};
  std::atomic<std::uint64_t> m_pictureBytes{0};
  std::atomic<bool> m_keyframesOnly{false};
  std::atomic<std::uint64_t> m_shed{0}, m_shedToKeyframe{0};
  static constexpr std::int64_t kUnknown = INT64_MIN;
  std::atomic<std::int64_t> m_ahead{kUnknown}, m_aheadAt{0};  // ns, and when that was
  std::atomic<std::uint64_t> m_segments{0};
  std::atomic<double> m_disposable{0};  // share of packets that may be given up before decoding, learned

  // Streaming thread only.
  GstSegment m_segment{};
  std::optional<periodic::Rate> m_rate;
  GstClockTime m_lastStamp = GST_CLOCK_TIME_NONE;
  GstClockTime m_firstStamp = GST_CLOCK_TIME_NONE;
  std::uint64_t m_stamps = 0;
  GstClockTime m_latest = GST_CLOCK_TIME_NONE;  // of the running times at which pictures are due
  GstClockTime m_reordered = 0;                 // most that one is due before others decoded earlier
  periodic::Duration m_heldBack{0};  // before it is due, the last packet's picture was needed to show another
  int m_threads = 1;                 // the decoder's
  bool m_stampsDecodeOrder = false;
  std::string m_kind;         // format, size and decoder: what its processing time is kept under
  std::int64_t m_pixels = 1;  // of a picture
  bool m_changed = true;
  bool m_announced = false;
  FrameCoding m_coding;
  int m_kindsSeen = 0;  // pictures that m_disposable is the share of, at most 64
  bool m_gridSet = false;
  CatchUp m_catchUp;
  GstClockTime m_keptStamp = GST_CLOCK_TIME_NONE;  // of the last picture kept where all are keyframes
  GstClockTime m_resumedAt = GST_CLOCK_TIME_NONE;  // the keyframe after what was skipped
  bool m_untilKeyframe = false;                    // something that others refer to was given up
  bool m_holdsKeyframe = false;                    // the decoder has been given a keyframe and nothing since
  bool m_draining = false;                         // our own event is under way through the decoder

  mutable periodic::PriorityInheritanceMutex
      m_mutex;                             // guards m_task against flush events from other threads
  std::shared_ptr<periodic::Task> m_task;  // shared with the adopter
};

}  // namespace tactus::media
