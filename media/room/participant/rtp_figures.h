// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gst/gst.h>

#include <cstdint>
#include <vector>

#include "core/net/estimator/bandwidth_estimator.h"
#include "core/periodic/time/time.h"

namespace tactus::media {

/// What RTCP tells of a call's stream: sums over its sources, and of times the largest.
struct RtpFigures {
  std::uint64_t packetsSent = 0, bytesSent = 0;  ///< repetitions included; bytes without RTP headers
  std::uint64_t nacksReceived = 0;               ///< requests of the other end for packets
  std::uint64_t packetsReceived = 0, bytesReceived = 0;
  std::uint64_t nacksSent = 0;
  std::uint64_t lost = 0;           ///< packets that never came here, before repetition
  double lossThere = 0;             ///< share of our packets lost on the way, as last reported
  periodic::Duration roundTrip{0};  ///< as last reported; zero: nobody reported
  periodic::Duration jitter{0};     ///< of arrival here (RFC 3550, 6.4.1)
};

/// From the "stats" of an RTPSession; null: all zero. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] RtpFigures readRtpFigures(const GstStructure* statistics);
/// From "RTPTWCCPackets" of rtpsession: what became of each packet; bytes are those of its payload. What it
/// does not know is left out. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] std::vector<net::PacketOutcome> readTransportWide(const GstStructure& feedback);

}  // namespace tactus::media
