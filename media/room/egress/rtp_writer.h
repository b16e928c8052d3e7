// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/periodic/time/time.h"
#include "media/room/egress/rtp_rewriter.h"

namespace tactus::media {

/// What all packets of one outgoing stream say.
struct RtpStreamTerms {
  std::uint32_t ssrc = 0;
  std::uint8_t payloadType = 0;
  std::optional<std::uint8_t> transportNumberId = {};  ///< of the TWCC extension, 1 ... 14
  std::optional<std::uint8_t> midId = {};              ///< of the MID extension, 1 ... 14
  std::string mid = {};                                ///< 1 ... 16 bytes where there is a midId
};

/// The longest header that writeRtpHeader() makes.
inline constexpr std::size_t kLongestRtpHeader = 12 + 4 + 20;
/// The longest payload that leaves in one datagram of 1,500 bytes, with its header, an original number of
/// RFC 4588, the tag of SRTP, and the headers of UDP and IPv6.
inline constexpr std::size_t kLongestRtpPayload = 1396;

/// Writes a header with the extensions of the terms (RFC 8285, one-byte form; RFC 9143, 15; and
/// draft-holmer-rmcat-transport-wide-cc-extensions-01) into `out`, which has room for kLongestRtpHeader;
/// returns its bytes. Thread-safe: yes (pure). Real-time-safe: yes.
std::size_t writeRtpHeader(std::span<std::byte> out, const RtpStreamTerms& terms, RtpPosition position,
                           bool marker, std::uint16_t transportNumber) TACTUS_REALTIME;

}  // namespace tactus::media
