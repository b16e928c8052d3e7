// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>

#include "core/net/link/bit_rate.h"
#include "core/net/stream/stream_contract.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::media {

/// T: a buffer leaves once in it. A packet of sound is as long.
inline constexpr periodic::Duration kStreamPeriod = std::chrono::milliseconds(20);
/// A: how long before its time a byte of a film may leave.
inline constexpr periodic::Duration kSendAhead = std::chrono::seconds(4);
/// D: how long after its time, counted from the first buffer, a byte of a film may leave at the latest. It
/// may come as late: its player has seconds ahead.
inline constexpr periodic::Duration kStartDelay = std::chrono::milliseconds(500);
/// What the buffers have room for beyond the bytes that were counted.
inline constexpr double kHeadroom = 1.05;
/// Bytes of a packet of MPEG's transport stream.
inline constexpr std::size_t kTransportPacket = 188;

/// The contract of a stream with 1/T buffers a second of at least so many bytes, in whole packets of a
/// transport stream. Reliable where the transport is. InvalidArgument: no bytes, or more than a buffer holds.
/// Thread-safe: yes (pure).
[[nodiscard]] Result<net::StreamContract> contractFor(net::TransportKind transport, std::size_t bytes);
/// The same for bytes of the stream a second.
[[nodiscard]] Result<net::StreamContract> contractFor(net::TransportKind transport, net::BitRate rate);

}  // namespace tactus::media
