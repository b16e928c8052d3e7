// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "media/room/participant/call_stage.h"
#include "media/room/participant/sink_playout.h"
#include "media/stage/decoded_ahead.h"
#include "media/stage/staged_stream.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// The pictures of an incoming call, from the packets to the stream's sink: depayloader, decoder, and the
/// queue of pictures. A decoder that gets packets but shows nothing asks for a keyframe. Thread-safe: yes,
/// but for the constructor and the destructor. Real-time-safe: no.
class IncomingPictures {
 public:
  /// `pad` of webrtcbin, whose packets are of `encoding` ("VP8", "H264"); all is put into `pipeline`, which
  /// plays. Called before data flows. `stream` outlives this. Errors: Unsupported (another encoding; an
  /// element of GStreamer is missing).
  [[nodiscard]] static Result<std::unique_ptr<IncomingPictures>> create(GstBin* pipeline, GstPad* pad,
                                                                        const char* encoding,
                                                                        StagedStream& stream,
                                                                        periodic::Duration latency);
  IncomingPictures(const IncomingPictures&) = delete;
  IncomingPictures& operator=(const IncomingPictures&) = delete;

  /// Asks for a keyframe where one is missing. Not from a streaming thread.
  void look(periodic::TimePoint now, std::uint64_t decoded);
  void requestKeyframe();
  /// Nothing but keyframes is decoded, and none is asked for; at the end of it one is. Not from a streaming
  /// thread.
  void setResting(bool resting);
  /// Keyframes asked of the other end, by this or by the elements.
  [[nodiscard]] std::uint64_t keyframesAsked() const noexcept {
    return m_asked.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t packets() const noexcept { return m_receive->entered(); }
  /// How far ahead of their display pictures come, with `period` between them; absent before the first.
  [[nodiscard]] std::optional<periodic::Duration> reach(periodic::TimePoint now,
                                                        periodic::Duration period) const noexcept {
    return m_comes.at(now, period);
  }
  /// Times that the decoder took the last of the pictures that had come.
  [[nodiscard]] std::uint64_t caughtUp() const noexcept { return m_caughtUp.load(std::memory_order_relaxed); }
  /// Whole pictures that the packets made.
  [[nodiscard]] std::uint64_t received() const noexcept { return m_received.load(std::memory_order_relaxed); }

 private:
  IncomingPictures(GstPad* pad, periodic::Duration latency, StagedStream& stream);
  static GstPadProbeReturn onUpstream(GstPad*, GstPadProbeInfo* info, gpointer self);
  static GstPadProbeReturn onTaken(GstPad*, GstPadProbeInfo*, gpointer self);
  Result<void> build(GstBin* pipeline, const char* encoding);
  void onWhole(const GstPadProbeInfo* info);

  const plugins::PadPtr m_pad;
  const periodic::Duration m_patience;
  StagedStream& m_stream;
  DecodedAhead m_comes;                                                 // noted by the thread that receives
  plugins::ElementPtr m_waiting;                                        // queue before the decoder
  std::atomic<std::uint64_t> m_received{0}, m_asked{0}, m_caughtUp{0};  // relaxed: figures
  // The thread that looks:
  std::uint64_t m_packetsThen = 0, m_decodedThen = 0;
  periodic::TimePoint m_since{};  // nothing has been decoded, or it was asked
  bool m_begun = false;
  std::atomic<bool> m_resting{false};
  std::unique_ptr<SinkPlayout> m_playout;
  std::unique_ptr<CallStage> m_receive;  // last: its probes use the others
};

}  // namespace tactus::media
