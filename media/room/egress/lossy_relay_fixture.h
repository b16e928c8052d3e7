// SPDX-License-Identifier: Apache-2.0
#pragma once

// Only for tests.

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>

#include "core/net/descriptor.h"

namespace tactus::media {

/// Carries datagrams of the loopback device between a server and the one client that comes, and loses each
/// packet of media of a certain number on its way to the client.
class LossyRelay {
 public:
  explicit LossyRelay(int losesEach) : m_losesEach(losesEach) {
    sockaddr_in any = loopback(0);
    socklen_t length = sizeof any;
    (void)bind(m_socket.get(), reinterpret_cast<const sockaddr*>(&any), length);
    (void)getsockname(m_socket.get(), reinterpret_cast<sockaddr*>(&any), &length);
    m_port = ntohs(any.sin_port);
  }
  ~LossyRelay() {
    m_ends = true;
    if (m_thread.joinable()) m_thread.join();
  }
  LossyRelay(const LossyRelay&) = delete;
  LossyRelay& operator=(const LossyRelay&) = delete;

  /// The answer of a server with one candidate of the loopback device: now the candidate is the relay.
  [[nodiscard]] std::string standInFor(std::string answer) {
    const std::string before = " 127.0.0.1 ";
    const auto first = answer.find(before) + before.size();
    const std::string port = answer.substr(first, answer.find(' ', first) - first);
    m_server = loopback(static_cast<std::uint16_t>(std::stoi(port)));
    const std::string old = before + port + " typ", now = before + std::to_string(m_port) + " typ";
    for (auto at = answer.find(old); at != std::string::npos; at = answer.find(old, at + now.size()))
      answer.replace(at, old.size(), now);
    m_thread = std::thread([this] { run(); });
    return answer;
  }
  [[nodiscard]] int lost() const noexcept { return m_lost; }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }
  void run() {
    constexpr int kLook = 50;  // ms
    std::optional<sockaddr_in> client;
    std::array<unsigned char, 2048> datagram;
    while (!m_ends) {
      pollfd waiting{.fd = m_socket.get(), .events = POLLIN, .revents = 0};
      if (poll(&waiting, 1, kLook) != 1) continue;
      sockaddr_in from{};
      socklen_t length = sizeof from;
      const ssize_t bytes = recvfrom(m_socket.get(), datagram.data(), datagram.size(), 0,
                                     reinterpret_cast<sockaddr*>(&from), &length);
      if (bytes <= 0) continue;
      const bool fromServer = from.sin_port == m_server.sin_port;
      if (!fromServer) client = from;
      if (fromServer && (!client || isLost(datagram))) continue;
      const sockaddr_in& to = fromServer ? *client : m_server;
      (void)sendto(m_socket.get(), datagram.data(), static_cast<std::size_t>(bytes), 0,
                   reinterpret_cast<const sockaddr*>(&to), sizeof to);
    }
  }
  bool isLost(const std::array<unsigned char, 2048>& datagram) {
    const bool isMedia = datagram[0] >> 6 == 2 && (datagram[1] < 192 || datagram[1] > 223);
    if (!isMedia || ++m_media % m_losesEach != 0) return false;
    ++m_lost;
    return true;
  }

  const int m_losesEach;
  const net::Descriptor m_socket{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  std::uint16_t m_port = 0;
  sockaddr_in m_server{};
  int m_media = 0;  // packets to the client; of the thread
  std::atomic<int> m_lost{0};
  std::atomic<bool> m_ends{false};
  std::thread m_thread;
};

}  // namespace tactus::media
