// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "media/room/participant/call_stage.h"
#include "media/room/participant/sink_playout.h"
#include "media/stage/sink_stage.h"
#include "media/stage/staged_stream.h"
#include "plugins/call_output.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// The sound of an incoming call, from the packets to a sink that hands over each sample when it is due: to
/// an output, if there is one, and to whoever listens. What is missing is concealed by Opus. Thread-safe:
/// yes, but for the constructor and the destructor. Real-time-safe: no.
class IncomingSound {
 public:
  /// Samples of 48 kHz, one channel, when they are due; in the sink's thread, must not block.
  using Heard = std::function<void(std::span<const std::int16_t>)>;

  /// Who gets the samples; each may be null. The output outlives the pipeline.
  struct Listeners {
    plugins::CallOutput* output = nullptr;
    Heard heard = {};
  };
  /// As IncomingPictures::create().
  [[nodiscard]] static Result<std::unique_ptr<IncomingSound>> create(GstBin* pipeline, GstPad* pad,
                                                                     StagedStream& stream,
                                                                     Listeners listeners);
  IncomingSound(const IncomingSound&) = delete;
  IncomingSound& operator=(const IncomingSound&) = delete;

  struct Figures {
    std::uint64_t packets = 0;
    periodic::Duration played{0};     ///< sound that was due, concealed sound included
    periodic::Duration concealed{0};  ///< made up for packets that did not come
    std::uint64_t disordered = 0;     ///< buffers stamped before the one before
    periodic::Duration delay{0};      ///< from arrival until it is due, for a packet without jitter
    std::optional<plugins::CallOutput::Figures> output = {};  ///< of the device; absent: to nobody
  };
  [[nodiscard]] Figures figures() const noexcept;

 private:
  explicit IncomingSound(Listeners listeners) : m_listeners(std::move(listeners)) {}
  Result<void> build(GstBin* pipeline, GstPad* pad, StagedStream& stream);
  static GstPadProbeReturn onEvent(GstPad*, GstPadProbeInfo* info, gpointer self);
  static GstPadProbeReturn onEncoded(GstPad* pad, GstPadProbeInfo* info, gpointer self);
  static void onPlayed(GstElement*, GstBuffer* buffer, GstPad*, gpointer self);

  const Listeners m_listeners;
  // relaxed: figures with one writer each; ns
  std::atomic<std::int64_t> m_played{0}, m_concealed{0};
  std::atomic<std::uint64_t> m_disordered{0};
  periodic::Duration m_longestPacket{0};  // decoder's thread
  GstClockTime m_last = 0;                // stamp of the buffer played last; sink's thread
  plugins::ElementPtr m_sink;
  std::unique_ptr<SinkStage> m_stage;
  std::unique_ptr<SinkPlayout> m_playout;
  std::unique_ptr<CallStage> m_receive;  // last: its probes use the others
};

}  // namespace tactus::media
