// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// What an RTP packet says (RFC 3550, 5.1); the payload is borrowed from it. Contributing sources, header
/// extensions and padding are left out.
struct RtpView {
  std::uint8_t payloadType = 0;
  bool marker = false;
  std::uint16_t sequence = 0;
  std::uint32_t timestamp = 0;
  std::uint32_t ssrc = 0;
  std::span<const std::byte> payload = {};
};

/// nullopt: the bytes are no RTP packet. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] std::optional<RtpView> readRtp(std::span<const std::byte> packet) TACTUS_REALTIME;

/// Whether the datagram is RTCP where RTP and RTCP share a port (RFC 5761, 4). Thread-safe: yes (pure).
/// Real-time-safe: yes.
[[nodiscard]] bool isRtcp(std::span<const std::byte> datagram) TACTUS_REALTIME;

}  // namespace tactus::media
