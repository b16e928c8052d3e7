// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// Bytes of the header that precedes each piece of a buffer, on every transport. Big endian:
///
///    0  u16  magic, "TS"
///    2  u8   version, 1
///    3  u8   flags; bit 0: the end of the stream; the others are 0
///    4  u32  number of the buffer, from 0; wraps
///    8  u64  session; what does not have the one of the handshake is not ours
///   16  u32  length of the whole buffer
///   20  u32  offset of this piece in it
///   24  i64  when the buffer was made, ns on the sender's monotonic clock, not negative
inline constexpr std::size_t kStreamHeaderSize = 32;
/// The largest buffer that any stream may have, in bytes.
inline constexpr std::size_t kLargestBuffer = std::size_t{16} << 20;
/// Bytes of a buffer in one UDP datagram. With the headers of the stream, UDP and IPv6 they are 1,480 bytes:
/// below the MTU of every Ethernet, also inside most tunnels of IPv4.
inline constexpr std::size_t kPiecePayload = 1400;

/// What a header says. The end of a stream is a buffer of length 0 with a number of its own, so that it comes
/// in order; no other buffer is empty.
struct StreamHeader {
  std::uint32_t number = 0;
  std::uint64_t session = 0;
  std::uint32_t length = 0;      ///< of the whole buffer
  std::uint32_t offset = 0;      ///< of this piece
  periodic::Duration made = {};  ///< on the sender's monotonic clock
  bool end = false;              ///< nothing follows

  friend bool operator==(const StreamHeader&, const StreamHeader&) noexcept = default;
};

/// Where one piece of a buffer lies in it.
struct PieceCut {
  std::size_t offset = 0, size = 0;

  friend bool operator==(const PieceCut&, const PieceCut&) noexcept = default;
};

/// How many pieces of `pieceSize` (above 0) a buffer is cut into; 1 for an empty one.
/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr std::size_t pieceCountOf(std::size_t length, std::size_t pieceSize) noexcept {
  return length == 0 ? 1 : (length - 1) / pieceSize + 1;
}
/// Piece `index`, below pieceCountOf(): all but the last are full. Thread-safe: yes (pure). Real-time-safe:
/// yes.
[[nodiscard]] constexpr PieceCut pieceOf(std::size_t index, std::size_t length,
                                         std::size_t pieceSize) noexcept {
  const std::size_t offset = index * pieceSize;
  return {offset, std::min(pieceSize, length - offset)};
}

/// What a receiver knows of its stream before anything comes.
struct StreamExpectation {
  std::uint64_t session = 0;
  std::size_t largestBuffer = 0;  ///< 1 ... kLargestBuffer
  /// kPiecePayload over UDP; largestBuffer where each piece is a whole buffer (TCP, local).
  std::size_t pieceSize = kPiecePayload;
};

/// Why bytes are not a piece of the stream.
enum class WireFault : std::uint8_t {
  TooShort,  ///< fewer bytes than a header
  Magic,     ///< not of a stream
  Version,   ///< of another version
  Flags,     ///< a flag that this version does not have
  Session,   ///< of another stream
  Length,    ///< 0 without the end's flag, not 0 with it, or above the largest buffer
  Offset,    ///< beyond the buffer, or where no piece begins
  Made,      ///< negative
  Size,      ///< the piece is not as long as it has to be
};
/// For counters and logs: "too short", "magic", ... Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] std::string_view nameOf(WireFault fault) noexcept;

/// Why no piece of a stream with such buffers can have this header, looking at length, offset and the end
/// alone; absent: it can. `pieceSize`: above 0. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] std::optional<WireFault> faultOf(const StreamHeader& header, std::size_t largestBuffer,
                                               std::size_t pieceSize) TACTUS_REALTIME;

/// A piece of a buffer that came; its bytes are borrowed from what was decoded.
struct StreamPiece {
  StreamHeader header = {};
  std::span<const std::byte> bytes = {};
};

/// How long the piece is that follows a header in which faultOf() found nothing.
/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr std::size_t pieceSizeOf(const StreamHeader& header, std::size_t pieceSize) noexcept {
  return pieceOf(header.offset / pieceSize, header.length, pieceSize).size;
}

/// Writes the 32 bytes. Thread-safe: yes. Real-time-safe: yes.
void encode(const StreamHeader& header, std::span<std::byte, kStreamHeaderSize> into) TACTUS_REALTIME;

/// The header at the start of `bytes`, and whether it can be one of the stream: all faults but Size. For a
/// transport without datagrams, which learns here how much follows. `bytes` are a peer's.
/// Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] Result<StreamHeader, WireFault> decodeHeader(std::span<const std::byte> bytes,
                                                           const StreamExpectation& expected) TACTUS_REALTIME;

/// A datagram, or a whole record of another transport: a header and exactly its piece. `bytes` are a peer's.
/// Thread-safe: yes. Real-time-safe: yes.
[[nodiscard]] Result<StreamPiece, WireFault> decode(std::span<const std::byte> bytes,
                                                    const StreamExpectation& expected) TACTUS_REALTIME;

}  // namespace tactus::net
