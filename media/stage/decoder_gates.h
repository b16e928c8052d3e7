// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "media/sharing/governed_stream.h"
#include "media/stage/decoder_gate.h"

namespace tactus::media {

/// The gates of one pipeline's decoders, which come and go while it plays. Thread-safe: yes. Real-time-safe:
/// no, and never called for a packet.
class DecoderGates {
 public:
  void add(std::shared_ptr<DecoderGate> gate);
  /// The decoder has left the pipeline: its gate goes, what it counted stays.
  void remove(const GstElement* decoder);
  void detachAll();

  void setPlaying(bool playing);
  void setKeyframesOnly(bool only);
  void adoptWorkers();
  /// See DecoderGate.
  void giveBackMemory();
  [[nodiscard]] std::uint64_t memory() const;
  /// Calls it with each gate of a decoder of pictures, with no lock held.
  void forEachOfPictures(const std::function<void(const DecoderGate&)>& visit) const;

  struct Counts {
    std::uint64_t decoded = 0, thinned = 0, toKeyframe = 0;  ///< pictures
    std::uint64_t byLastStage = 0;                           ///< of those given up to a keyframe
    Counts& operator+=(const Counts& more) noexcept {
      decoded += more.decoded;
      thinned += more.thinned;
      toKeyframe += more.toKeyframe;
      byLastStage += more.byLastStage;
      return *this;
    }
    Counts& operator-=(const Counts& less) noexcept {
      decoded -= less.decoded;
      thinned -= less.thinned;
      toKeyframe -= less.toKeyframe;
      byLastStage -= less.byLastStage;
      return *this;
    }
  };
  /// Of all gates that have been.
  [[nodiscard]] Counts counts() const;
  /// Pictures per second of the newest stream that says so; 0 = unknown.
  [[nodiscard]] double nominalRate() const;
  /// Greatest share of packets that a decoder reserves for; `least` without decoders of pictures.
  [[nodiscard]] double reservedFrequency(double least) const;

 private:
  using Gates = std::vector<std::shared_ptr<DecoderGate>>;
  [[nodiscard]] Gates gates() const;
  [[nodiscard]] static Counts countsOf(const DecoderGate& gate) noexcept;

  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows, for moments
  Gates m_gates;                                       // shared with the pads' probes
  bool m_playing = false, m_keyframesOnly = false;
  Counts m_gone;
  double m_goneRate = 0;
};

}  // namespace tactus::media
