// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_wire.h"

#include <concepts>

namespace tactus::net {
namespace {

constexpr std::uint16_t kMagic = 0x5453;  // "TS"
constexpr std::uint8_t kVersion = 1;
constexpr std::uint8_t kEnd = 1;

// Where the fields lie.
constexpr std::size_t kMagicAt = 0, kVersionAt = 2, kFlagsAt = 3, kNumberAt = 4, kSessionAt = 8,
                      kLengthAt = 16, kOffsetAt = 20, kMadeAt = 24;
static_assert(kMadeAt + sizeof(std::int64_t) == kStreamHeaderSize);

template <std::unsigned_integral T>
void write(std::span<std::byte, kStreamHeaderSize> into, std::size_t at, T value) noexcept {
  for (std::size_t i = 0; i < sizeof(T); ++i)
    into[at + i] = static_cast<std::byte>(value >> (8 * (sizeof(T) - 1 - i)));
}

template <std::unsigned_integral T>
T read(std::span<const std::byte> bytes, std::size_t at) noexcept {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = value << 8 | std::to_integer<std::uint64_t>(bytes[at + i]);
  return static_cast<T>(value);
}

}  // namespace

std::string_view nameOf(WireFault fault) noexcept {
  switch (fault) {
    case WireFault::TooShort:
      return "too short";
    case WireFault::Magic:
      return "magic";
    case WireFault::Version:
      return "version";
    case WireFault::Flags:
      return "flags";
    case WireFault::Session:
      return "session";
    case WireFault::Length:
      return "length";
    case WireFault::Offset:
      return "offset";
    case WireFault::Made:
      return "made";
    case WireFault::Size:
      return "size";
  }
  return "";
}

std::optional<WireFault> faultOf(const StreamHeader& header, std::size_t largestBuffer,
                                 std::size_t pieceSize) TACTUS_REALTIME {
  if (header.end != (header.length == 0) || header.length > largestBuffer) return WireFault::Length;
  if (header.offset % pieceSize != 0 || header.offset >= std::max(header.length, 1U))
    return WireFault::Offset;
  return std::nullopt;
}

void encode(const StreamHeader& header, std::span<std::byte, kStreamHeaderSize> into) TACTUS_REALTIME {
  write(into, kMagicAt, kMagic);
  write(into, kVersionAt, kVersion);
  write(into, kFlagsAt, header.end ? kEnd : std::uint8_t{0});
  write(into, kNumberAt, header.number);
  write(into, kSessionAt, header.session);
  write(into, kLengthAt, header.length);
  write(into, kOffsetAt, header.offset);
  write(into, kMadeAt, static_cast<std::uint64_t>(header.made.count()));
}

Result<StreamHeader, WireFault> decodeHeader(std::span<const std::byte> bytes,
                                             const StreamExpectation& expected) TACTUS_REALTIME {
  if (bytes.size() < kStreamHeaderSize) return WireFault::TooShort;
  if (read<std::uint16_t>(bytes, kMagicAt) != kMagic) return WireFault::Magic;
  if (read<std::uint8_t>(bytes, kVersionAt) != kVersion) return WireFault::Version;
  const auto flags = read<std::uint8_t>(bytes, kFlagsAt);
  if ((flags & ~kEnd) != 0) return WireFault::Flags;
  StreamHeader header;
  header.end = flags == kEnd;
  header.number = read<std::uint32_t>(bytes, kNumberAt);
  header.session = read<std::uint64_t>(bytes, kSessionAt);
  header.length = read<std::uint32_t>(bytes, kLengthAt);
  header.offset = read<std::uint32_t>(bytes, kOffsetAt);
  header.made = periodic::Duration(static_cast<std::int64_t>(read<std::uint64_t>(bytes, kMadeAt)));
  if (header.session != expected.session) return WireFault::Session;
  if (const auto fault = faultOf(header, expected.largestBuffer, expected.pieceSize)) return *fault;
  // What is at least 0 can be subtracted from another such without overflow.
  if (header.made < periodic::Duration::zero()) return WireFault::Made;
  return header;
}

Result<StreamPiece, WireFault> decode(std::span<const std::byte> bytes,
                                      const StreamExpectation& expected) TACTUS_REALTIME {
  const auto header = decodeHeader(bytes, expected);
  if (!header.ok()) return header.error();
  const auto payload = bytes.subspan(kStreamHeaderSize);
  if (payload.size() != pieceSizeOf(header.value(), expected.pieceSize)) return WireFault::Size;
  return StreamPiece{header.value(), payload};
}

}  // namespace tactus::net
