// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/net/descriptor.h"
#include "core/net/estimator/bandwidth_estimator.h"
#include "core/net/link/udp_address.h"
#include "core/net/link/udp_offload.h"
#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/time/time.h"
#include "media/room/egress/delivery_ledger.h"
#include "media/room/egress/line_probe.h"
#include "media/room/egress/picture_budget.h"
#include "media/room/egress/rtp_writer.h"
#include "media/room/egress/srtp_session.h"

namespace tactus::media {

/// How datagrams go to a subscriber: the socket of the pair that ICE selected, and the peer's address.
struct EgressPath {
  net::Descriptor socket;  ///< of our own: ICE may close its one
  net::UdpAddress peer;
  net::UdpOffload offload;  ///< used by whoever serves the link, or by the one flow that sends without
};

/// The longest datagram: what encryption adds is counted.
inline constexpr std::size_t kLargestEgressDatagram =
    kLongestRtpHeader + 2 + kLongestRtpPayload + kSrtpOverhead;

/// A packet before encryption.
struct ClearPacket {
  const RtpStreamTerms* terms = nullptr;
  RtpPosition position = {};
  bool marker = false;
  std::optional<std::uint16_t> original = {};  ///< of a retransmission (RFC 4588, 4)
  std::span<const std::byte> payload = {};     ///< at most kLongestRtpPayload
};

/// What all streams to one subscriber share: encryption, transport-wide numbers, and the path. Thread-safe:
/// yes.
class EgressChannel {
 public:
  EgressChannel();
  /// Media may go from now on. Real-time-safe: no.
  void open(SrtpSession session);
  /// Nothing goes any more. Real-time-safe: no.
  void close();
  /// Whether a packet would go. Real-time-safe: yes.
  [[nodiscard]] bool isOpen() const TACTUS_REALTIME;
  /// Datagrams go there from now on; those on their way keep the old one. Real-time-safe: no.
  void setPath(std::shared_ptr<EgressPath> path);

  struct Sealed {
    std::size_t bytes = 0;
    /// Shared: a datagram may wait for its turn while ICE selects another pair.
    std::shared_ptr<EgressPath> path = {};
  };
  /// Writes the encrypted packet into `out`, of kLargestEgressDatagram bytes. nullopt: the channel is not
  /// open or has no path. Real-time-safe: yes (a mutex with priority inheritance, held for one packet).
  [[nodiscard]] std::optional<Sealed> seal(std::span<std::byte> out, const ClearPacket& packet,
                                           periodic::TimePoint now) TACTUS_REALTIME;
  /// Encrypts RTCP in place; as SrtpSession. Real-time-safe: no.
  [[nodiscard]] std::optional<std::size_t> sealRtcp(std::span<std::byte> packet, std::size_t bytes);
  /// What the line carries follows from it. Real-time-safe: no.
  void told(const TransportFeedback& feedback, periodic::TimePoint now);
  /// As PictureBudget: whether the picture that begins now goes, and whether a keyframe would.
  /// Real-time-safe: yes.
  [[nodiscard]] bool admits(bool keyframe, bool going, periodic::TimePoint now) TACTUS_REALTIME;
  /// As PictureBudget. Real-time-safe: yes.
  void beginPictures(periodic::TimePoint now) TACTUS_REALTIME;
  [[nodiscard]] bool hasRoomForPictures(periodic::TimePoint now) TACTUS_REALTIME;
  /// What the line is believed to carry; absent: it carried all that was sent so far.
  [[nodiscard]] std::optional<net::BitRate> carries() const;
  /// Believes that the line carries this much, until its receiver tells otherwise. Real-time-safe: no.
  void tryRate(net::BitRate rate, periodic::TimePoint now);
  /// As LineProbe. Real-time-safe: no.
  void beginProbe(net::BitRate rate, periodic::TimePoint now);
  [[nodiscard]] std::optional<std::size_t> dueForProbe(periodic::TimePoint now) const;
  void repeatedForProbe(std::size_t packets);
  [[nodiscard]] std::optional<ProbeResult> probed() const;
  [[nodiscard]] DeliveryFigures delivery() const;

 private:
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows
  std::optional<SrtpSession> m_session;
  std::shared_ptr<EgressPath> m_path;
  DeliveryLedger m_ledger;
  net::BandwidthEstimator m_carries;
  PictureBudget m_budget;
  LineProbe m_probe;
};

}  // namespace tactus::media
