// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/opus_packet.h"

#include <array>
#include <chrono>

namespace tactus::media {
namespace {

using namespace std::chrono_literals;

constexpr periodic::Duration kLongest = 120ms;

/// Table 2 of the RFC, by the five highest bits.
periodic::Duration frameLength(unsigned configuration) noexcept {
  constexpr std::array<periodic::Duration, 4> kSilk = {10ms, 20ms, 40ms, 60ms};
  constexpr std::array<periodic::Duration, 2> kHybrid = {10ms, 20ms};
  constexpr std::array<periodic::Duration, 4> kCelt = {2500us, 5ms, 10ms, 20ms};
  if (configuration < 12) return kSilk[configuration % 4];
  if (configuration < 16) return kHybrid[configuration % 2];
  return kCelt[configuration % 4];
}

}  // namespace

std::optional<periodic::Duration> opusPacketLength(std::span<const std::uint8_t> packet) noexcept {
  if (packet.empty()) return std::nullopt;
  int frames = 1;
  switch (packet[0] & 3U) {
    case 0:
      break;
    case 3:
      if (packet.size() < 2) return std::nullopt;
      frames = packet[1] & 63;
      break;
    default:
      frames = 2;
  }
  const periodic::Duration length = frames * frameLength(packet[0] >> 3U);
  if (frames == 0 || length > kLongest) return std::nullopt;
  return length;
}

}  // namespace tactus::media
