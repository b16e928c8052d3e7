// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/periodic/result.h"
#include "media/room/egress/transport_feedback.h"

namespace tactus::media {

/// What a receiver says of one stream (RFC 3550, 6.4.1).
struct ReceptionReport {
  std::uint32_t ssrc = 0;
  double lostShare = 0;           ///< of the packets since its last report, 0 ... 1
  std::int32_t lost = 0;          ///< since the start; negative where packets came twice
  std::uint32_t highest = 0;      ///< extended sequence number
  std::uint32_t jitter = 0;       ///< in ticks of the stream's clock
  std::uint32_t lastReport = 0;   ///< middle 32 bits of the NTP time of our last report; 0: none came
  std::uint32_t sinceReport = 0;  ///< since then, in 1/65,536 s
};

/// Packets that are asked for again (RFC 4585, 6.2.1).
struct RetransmissionRequest {
  std::uint32_t ssrc = 0;
  std::vector<std::uint16_t> sequences = {};
};

/// All that a compound packet of a receiver says that a sender acts upon.
struct RtcpFeedback {
  std::vector<ReceptionReport> reports = {};
  std::vector<RetransmissionRequest> retransmissions = {};
  std::vector<std::uint32_t> keyframes = {};  ///< SSRCs: PLI (RFC 4585) and FIR (RFC 5104, 4.3.1)
  std::vector<TransportFeedback> transport = {};
  std::vector<std::uint32_t> goodbyes = {};  ///< SSRCs (RFC 3550, 6.6)
};

/// Reads a packet that was decrypted, compound or of reduced size (RFC 5506). Parts that are of no use to a
/// sender, or damaged in themselves, are left out. After gst_init(). Corrupt: it is no RTCP packet.
/// Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] Result<RtcpFeedback> readRtcp(std::span<const std::byte> packet);

}  // namespace tactus::media
