// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/periodic/time/time.h"
#include "media/room/egress/rtp_view.h"

namespace tactus::media {

/// Where a packet stands in its stream.
struct RtpPosition {
  std::uint16_t sequence = 0;
  std::uint32_t timestamp = 0;
  friend bool operator==(const RtpPosition&, const RtpPosition&) noexcept = default;
};

/// Makes one continuous RTP stream of the packets of sources that follow each other. With i the source's
/// first packet and L the last that was sent, at t(L):
///
///   sequence(p)  = s(p) - s(i) + sequence(L) + 1
///   timestamp(p) = t(p) - t(i) + timestamp(L) + max(1, clock rate * (now(i) - t(L)))
///
/// so that numbers missing in a source are missing in the stream, which its receiver asks for again. A source
/// ends with restart(), with another SSRC, or with a jump of its sequence numbers (RFC 3550, A.1).
///
/// Thread-safe: no. Real-time-safe: yes.
class RtpRewriter {
 public:
  /// A jump further than these is another source's: MAX_DROPOUT and MAX_MISORDER.
  static constexpr int kMostAhead = 3000, kMostBehind = 100;

  /// `clockRate` in ticks a second; `first`: of the stream's first packet.
  RtpRewriter(std::uint32_t clockRate, RtpPosition first) noexcept : m_clockRate(clockRate), m_first(first) {}

  /// The next packet is another source's.
  void restart() TACTUS_REALTIME { m_sourceEnded = true; }
  /// The packet's place in the stream; nullopt: it is older than its source's first packet.
  [[nodiscard]] std::optional<RtpPosition> rewrite(const RtpView& packet,
                                                   periodic::TimePoint now) TACTUS_REALTIME;
  /// The number in the present source of what was sent as `sequence`; nullopt: none, or of an earlier source.
  [[nodiscard]] std::optional<std::uint16_t> originalOf(std::uint16_t sequence) const TACTUS_REALTIME;
  /// The highest number that was sent; any, before the first. Of another source none is known.
  [[nodiscard]] std::uint16_t last() const noexcept { return m_last.sequence; }
  /// The SSRC of the present source.
  [[nodiscard]] std::uint32_t source() const noexcept { return m_ssrc; }
  /// The time stamp in the stream of one of the present source.
  [[nodiscard]] std::uint32_t timestampOf(std::uint32_t original) const TACTUS_REALTIME {
    return original + m_timestampOffset;
  }
  /// What the stream's time stamp is now, for sender reports; nullopt: nothing was sent.
  [[nodiscard]] std::optional<std::uint32_t> timestampAt(periodic::TimePoint now) const TACTUS_REALTIME;

 private:
  [[nodiscard]] bool isOfAnotherSource(const RtpView& packet) const TACTUS_REALTIME;
  void begin(const RtpView& packet, periodic::TimePoint now) TACTUS_REALTIME;
  [[nodiscard]] std::uint32_t ticksSinceLast(periodic::TimePoint now) const TACTUS_REALTIME;

  const std::uint32_t m_clockRate;
  const RtpPosition m_first;
  bool m_started = false;
  bool m_sourceEnded = false;
  std::uint32_t m_ssrc = 0;             // of the present source
  std::uint16_t m_sequenceOffset = 0;   // from the source's numbers to the stream's
  std::uint32_t m_timestampOffset = 0;  // the same of time stamps
  std::uint16_t m_oldest = 0;           // in the stream: of the present source, and not ambiguous
  RtpPosition m_last;                   // the highest that was sent
  periodic::TimePoint m_lastAt{};       // when its time stamp was new
};

}  // namespace tactus::media
