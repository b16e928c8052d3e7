// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <deque>
#include <string>
#include <utility>

#include "core/net/link/packet_batch.h"

namespace tactus::net {

/// A UDP socket that closes itself.
class TestSocket {
 public:
  explicit TestSocket(int family) : m_fd(::socket(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {}
  ~TestSocket() { close(m_fd); }
  TestSocket(const TestSocket&) = delete;
  TestSocket& operator=(const TestSocket&) = delete;
  [[nodiscard]] int fd() const noexcept { return m_fd; }

 private:
  int m_fd;
};

/// "127.0.0.1", "::1" or another numeric address, and a port.
inline UdpAddress addressOf(const std::string& text, int port) {
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    v4.sin_port = htons(static_cast<std::uint16_t>(port));
    return UdpAddress::from(reinterpret_cast<const sockaddr*>(&v4), sizeof v4).value();
  }
  inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr);
  v6.sin6_family = AF_INET6;
  v6.sin6_port = htons(static_cast<std::uint16_t>(port));
  return UdpAddress::from(reinterpret_cast<const sockaddr*>(&v6), sizeof v6).value();
}

/// Packets of two parts with bytes of their own: each begins with its number.
class TestPackets {
 public:
  /// A packet of `size` bytes; the first four, as far as there are so many, are the header.
  OutgoingPacket make(UdpOffload& socket, const UdpAddress* destination, std::size_t size,
                      std::optional<std::uint8_t> trafficClass = {}) {
    std::string bytes(size, '\0');
    const auto number = static_cast<std::uint32_t>(m_packets.size());
    for (std::size_t i = 0; i < size; ++i)
      bytes[i] = static_cast<char>(i < 4 ? number >> (8 * i) : number * 31 + i);
    Packet& made = m_packets.emplace_back();
    made.bytes = std::move(bytes);
    const std::size_t header = std::min<std::size_t>(4, size);
    made.parts = {iovec{made.bytes.data(), header}, iovec{made.bytes.data() + header, size - header}};
    return {&socket, destination, made.parts, trafficClass};
  }
  [[nodiscard]] const std::string& bytes(std::size_t number) const { return m_packets[number].bytes; }
  [[nodiscard]] std::size_t size() const noexcept { return m_packets.size(); }

 private:
  struct Packet {
    std::string bytes = {};
    std::array<iovec, 2> parts{};
  };
  std::deque<Packet> m_packets;  // stay where they are
};

}  // namespace tactus::net
