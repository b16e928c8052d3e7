// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "core/periodic/time/believed_rate.h"
#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"
#include "core/periodic/workload/lbap.h"

namespace tactus::media {

/// Timestamps of a packet, in the stream's time.
struct PacketStamps {
  std::optional<periodic::Duration> decoding = std::nullopt, presentation = std::nullopt;
};

/// Says when it is a packet's turn to be decoded, and at what rate packets come. Times that it returns are
/// real ones: the stream's divided by the playback speed. Owns no clock. Thread-safe: no. Real-time-safe:
/// yes.
class PacketClock {
 public:
  struct Stream {
    std::optional<periodic::Rate> rate;  ///< declared pictures per second; absent: sound, or unknown
    bool inDecodingOrder = false;        ///< presentation times never run backwards
    int decoderThreads = 1;              ///< each keeps one picture
    bool pictures = true;                ///< the rate is measured
  };
  /// Another format: what was learned of its reordering is forgotten.
  void setStream(const Stream& stream) noexcept;
  /// Another segment, played at this speed; negative = backwards.
  void beginSegment(double speed) noexcept;
  /// What follows has nothing to do with what came before.
  void flush() noexcept;

  /// The LBAP of a stream of pictures. 1 % faster than the stream: the queue behind the decoder paces
  /// exactly, by the pipeline's clock, which may run a little faster than CLOCK_MONOTONIC.
  [[nodiscard]] periodic::LbapContract ofPictures() const noexcept;
  /// The LBAP of a stream of sound whose packets last this long. One second may be decoded ahead.
  [[nodiscard]] periodic::LbapContract ofSound(std::optional<periodic::Duration> packet) const noexcept;

  /// Distance from the packet before this one: of decoding times where the stream has them; absent where the
  /// rate says it; else the mean so far. Once a packet.
  [[nodiscard]] std::optional<periodic::Duration> spacing(const PacketStamps& stamps) noexcept;

  /// Notes the running time at which a packet's picture is due. Once a packet, before turn() and keptBack().
  void meet(periodic::Duration running) noexcept;
  /// When the packet is to be decoded so that its picture can be ready at `due`: earlier by the reordering
  /// seen so far, and by one picture for each decoder thread and one more. A picture that others refer to is
  /// decoded before them and shown after them; without the reordering, these others would count as early when
  /// they are late.
  [[nodiscard]] periodic::TimePoint turn(periodic::TimePoint due) const noexcept { return due - lead(); }
  /// How long before its picture is due a packet's turn comes.
  [[nodiscard]] periodic::Duration lead() const noexcept;
  /// How long before its own due instant the last packet's picture was needed to show another. Where pictures
  /// are reordered, the decoder lets go of one that others refer to when the next such comes.
  [[nodiscard]] periodic::Duration keptBack() const noexcept { return m_keptBack; }
  /// Of pictures: as they were decoded over the last second of the stream, where that differs by more than a
  /// tenth from what is declared.
  [[nodiscard]] const std::optional<periodic::Rate>& rate() const noexcept { return m_rate.rate(); }

 private:
  [[nodiscard]] double pace() const noexcept;
  void measure(periodic::Duration decoding, bool follows) noexcept;
  [[nodiscard]] periodic::Duration paced(periodic::Duration streamTime) const noexcept;

  Stream m_stream;
  periodic::BelievedRate m_rate;
  double m_speed = 1;
  std::optional<periodic::Duration> m_measuredFrom;  // decoding time
  std::int64_t m_measured = 0;                       // packets since
  std::optional<periodic::Duration> m_last;  // decoding time of the packet before; greatest presentation time
  std::optional<periodic::Duration> m_first;  // presentation time from which the mean is taken
  std::int64_t m_sinceFirst = 0;
  std::optional<periodic::Duration> m_latest;  // greatest running time met in this segment
  periodic::Duration m_reordered{0};           // most that a picture is due before one decoded earlier
  periodic::Duration m_keptBack{0};
};

}  // namespace tactus::media
