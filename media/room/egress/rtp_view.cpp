// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/rtp_view.h"

#include "media/room/egress/network_order.h"

namespace tactus::media {
namespace {

constexpr std::size_t kFixedHeader = 12;
constexpr unsigned kVersion = 2;

unsigned bits(std::byte value, unsigned shift, unsigned mask) noexcept {
  return std::to_integer<unsigned>(value) >> shift & mask;
}

/// The header with contributing sources and extension; nullopt: the packet ends before.
std::optional<std::size_t> headerBytes(std::span<const std::byte> packet) noexcept {
  std::size_t bytes = kFixedHeader + std::size_t{4} * bits(packet[0], 0, 0x0f);
  const bool extended = bits(packet[0], 4, 1) != 0;
  if (extended) {
    if (packet.size() < bytes + 4) return std::nullopt;
    bytes += 4 + std::size_t{4} * get16(packet.data() + bytes + 2);
  }
  if (packet.size() < bytes) return std::nullopt;
  return bytes;
}

}  // namespace

std::optional<RtpView> readRtp(std::span<const std::byte> packet) TACTUS_REALTIME {
  if (packet.size() < kFixedHeader || bits(packet[0], 6, 3) != kVersion) return std::nullopt;
  const auto header = headerBytes(packet);
  if (!header) return std::nullopt;
  std::size_t padding = 0;
  if (bits(packet[0], 5, 1) != 0) {
    padding = std::to_integer<std::size_t>(packet.back());
    if (padding == 0 || padding > packet.size() - *header) return std::nullopt;
  }
  return RtpView{.payloadType = static_cast<std::uint8_t>(bits(packet[1], 0, 0x7f)),
                 .marker = bits(packet[1], 7, 1) != 0,
                 .sequence = get16(packet.data() + 2),
                 .timestamp = get32(packet.data() + 4),
                 .ssrc = get32(packet.data() + 8),
                 .payload = packet.subspan(*header, packet.size() - *header - padding)};
}

bool isRtcp(std::span<const std::byte> datagram) TACTUS_REALTIME {
  constexpr unsigned kFirst = 192, kLast = 223;
  if (datagram.size() < 8 || bits(datagram[0], 6, 3) != kVersion) return false;
  const auto type = std::to_integer<unsigned>(datagram[1]);
  return type >= kFirst && type <= kLast;
}

}  // namespace tactus::media
