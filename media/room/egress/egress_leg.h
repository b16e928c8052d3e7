// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "media/room/egress/egress_flow.h"
#include "media/room/egress/retransmission_history.h"
#include "media/room/egress/rtp_rewriter.h"
#include "media/room/egress/sender_report.h"
#include "media/room/egress/whep_answer.h"

namespace tactus::media {

/// One track to one subscriber: the packets of its source, rewritten, encrypted and sent. Pictures change
/// their source where the next one begins a picture that needs no other. Thread-safe: yes.
class EgressLeg {
 public:
  /// Which source packets are of; only compared.
  using Source = const void*;
  struct Figures {
    EgressFlow::Figures flow = {};
    std::uint64_t packets = 0, bytes = 0;  ///< of the stream, payloads only
    std::uint64_t asked = 0;               ///< numbers that the subscriber asked for again
    std::uint64_t repeated = 0;            ///< of these, sent again
    std::uint64_t padded = 0;              ///< packets sent again that nobody asked for
    std::uint64_t tooLong = 0;             ///< packets that fit into no datagram
    std::uint64_t withheld = 0;            ///< packets of pictures for which the line has no room
    std::uint64_t switches = 0;            ///< times that a source took over from another
  };
  /// `channel` outlives the leg.
  EgressLeg(EgressChannel& channel, const AgreedTrack& track, RtpPosition first,
            std::unique_ptr<EgressFlow> flow);
  EgressLeg(const EgressLeg&) = delete;
  EgressLeg& operator=(const EgressLeg&) = delete;

  /// From now on packets of this source go. Real-time-safe: yes.
  void follow(Source source) TACTUS_REALTIME;
  /// This source takes over with its next keyframe; nullptr: none does. Real-time-safe: yes.
  void await(Source source) TACTUS_REALTIME;
  /// Nothing goes of this source any more, if it does. Real-time-safe: yes.
  void leave(Source source) TACTUS_REALTIME;
  /// Whose packets go. Real-time-safe: yes.
  [[nodiscard]] Source source() const TACTUS_REALTIME;
  /// Packets of one source, in its order; those of any other than follow() and await() named are dropped.
  /// Real-time-safe: yes.
  void forward(Source source, std::span<const RtpView> packets, periodic::TimePoint now) TACTUS_REALTIME;
  /// Sends the packet that went as `sequence` again, if `history` has it. Real-time-safe: yes.
  void repeat(const RetransmissionHistory& history, std::uint16_t sequence,
              periodic::TimePoint now) TACTUS_REALTIME;
  /// Sends its newest packets again until they are as many bytes, as often as that takes; how many packets.
  /// Fewer, or none, if `history` has none of the last second, or no more may wait. Real-time-safe: yes.
  std::size_t pad(const RetransmissionHistory& history, std::size_t bytes,
                  periodic::TimePoint now) TACTUS_REALTIME;
  /// Pictures are withheld, and could go on with a keyframe. Real-time-safe: yes.
  [[nodiscard]] bool wantsKeyframe(periodic::TimePoint now) const TACTUS_REALTIME;
  /// Pictures are withheld. Real-time-safe: yes.
  [[nodiscard]] bool withholds() const TACTUS_REALTIME;

  [[nodiscard]] std::uint32_t ssrc() const noexcept { return m_stream.ssrc; }
  /// Without name; nullopt: nothing was sent. Real-time-safe: no.
  [[nodiscard]] std::optional<SenderReport> report(periodic::TimePoint now, std::uint64_t ntp) const;
  [[nodiscard]] Figures figures() const;

 private:
  [[nodiscard]] bool isOfPictures() const noexcept { return m_encoding == "VP8" || m_encoding == "H264"; }
  [[nodiscard]] bool beginsKeyframe(const RtpView& packet) const TACTUS_REALTIME;
  [[nodiscard]] std::span<const RtpView> taken(Source source, std::span<const RtpView> packets,
                                               periodic::TimePoint now) TACTUS_REALTIME;
  void begin(Source source) TACTUS_REALTIME;
  [[nodiscard]] bool goes(const RtpView& packet, periodic::TimePoint now) TACTUS_REALTIME;
  [[nodiscard]] std::size_t sendAgainLocked(const RetransmissionHistory& history, std::uint16_t sequence,
                                            periodic::TimePoint now) TACTUS_REALTIME;

  EgressChannel& m_channel;
  const std::string m_encoding;
  const RtpStreamTerms m_stream;
  const std::optional<RtpStreamTerms> m_retransmission;
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  Source m_source = nullptr, m_next = nullptr;
  RtpRewriter m_rewriter;
  const std::unique_ptr<EgressFlow> m_flow;
  std::uint16_t m_nextRepetition = 0;      // its sequence number
  bool m_goes = true;                      // the picture of the packet before, if it was one
  std::optional<std::uint32_t> m_picture;  // its time stamp at the source
  Figures m_figures;
};

}  // namespace tactus::media
