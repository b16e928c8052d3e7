// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::media {

/// Integers in network byte order (RFC 1700) at `at`, which has room for them. Thread-safe: yes (pure).
/// Real-time-safe: yes.
[[nodiscard]] constexpr std::uint16_t get16(const std::byte* at) TACTUS_REALTIME {
  return static_cast<std::uint16_t>(std::to_integer<unsigned>(at[0]) << 8 | std::to_integer<unsigned>(at[1]));
}
[[nodiscard]] constexpr std::uint32_t get32(const std::byte* at) TACTUS_REALTIME {
  return static_cast<std::uint32_t>(get16(at)) << 16 | get16(at + 2);
}
constexpr void put16(std::byte* at, std::uint16_t value) TACTUS_REALTIME {
  at[0] = static_cast<std::byte>(value >> 8);
  at[1] = static_cast<std::byte>(value & 0xff);
}
constexpr void put32(std::byte* at, std::uint32_t value) TACTUS_REALTIME {
  put16(at, static_cast<std::uint16_t>(value >> 16));
  put16(at + 2, static_cast<std::uint16_t>(value & 0xffff));
}

/// How far `later` is after `earlier`, of numbers that wrap around: negative if it is before.
[[nodiscard]] constexpr int distance16(std::uint16_t later, std::uint16_t earlier) TACTUS_REALTIME {
  return static_cast<std::int16_t>(static_cast<std::uint16_t>(later - earlier));
}

}  // namespace tactus::media
