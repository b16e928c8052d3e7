// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "media/room/participant/call_stage.h"
#include "media/room/participant/outgoing_track.h"
#include "media/room/participant/track_layer.h"
#include "media/stage/stage_adopter.h"
#include "plugins/gst_handle.h"

namespace tactus::media {

/// One layer of a track that is sent: its encoder and its packets, each a stage. Thread-safe: yes, but for
/// the constructor and the destructor. Real-time-safe: no.
class SendingLayer {
 public:
  struct Figures {
    std::uint64_t taken = 0;                   ///< pictures, or buffers of sound, that came to the encoder
    std::uint64_t encoded = 0, keyframes = 0;  ///< buffers; keyframes of pictures
    std::uint64_t sent = 0;                    ///< of those encoded, handed to the transport
    std::uint64_t keyframesAsked = 0;          ///< by the other end
    net::BitRate rate;                         ///< at which is encoded, at most
    bool paused = false;
  };

  /// Of the elements of elementsOf() in `bin`, those of the layer of this number. `adopter` outlives it; the
  /// pipeline has stopped before it ends.
  SendingLayer(GstBin* bin, const OutgoingTrack& track, std::size_t number, StageAdopter& adopter);
  SendingLayer(const SendingLayer&) = delete;
  SendingLayer& operator=(const SendingLayer&) = delete;

  [[nodiscard]] const TrackLayer& terms() const noexcept { return m_terms; }
  /// Pictures are encoded at this rate from now on; sound keeps its own.
  void setRate(net::BitRate rate);
  /// Paused, nothing is encoded, once it has begun. Pictures go on with a keyframe.
  void setPaused(bool paused);
  /// The next picture is a keyframe. Nothing of sound.
  void requestKeyframe();
  /// Anything was encoded. Real-time-safe: yes.
  [[nodiscard]] bool hasBegun() const noexcept { return m_encoded.load(std::memory_order_relaxed) > 0; }
  [[nodiscard]] Figures figures() const;

 private:
  static GstPadProbeReturn onWaiting(GstPad*, GstPadProbeInfo*, gpointer self);
  static GstPadProbeReturn onUpstream(GstPad*, GstPadProbeInfo* info, gpointer self);

  const MediaKind m_kind;
  const VideoEncoding m_encoding;
  const TrackLayer m_terms;
  const plugins::ElementPtr m_encoder;
  // Figures with one writer each.
  std::atomic<std::uint64_t> m_encoded{0}, m_keyframes{0}, m_asked{0};
  std::atomic<std::int64_t> m_rate;  // bits a second
  std::atomic<bool> m_paused{false};
  std::unique_ptr<CallStage> m_encode, m_send;  // last: their probes use the others
};

/// How often packets of a track come at most.
[[nodiscard]] periodic::LbapContract lbapOf(const OutgoingTrack& track);

}  // namespace tactus::media
