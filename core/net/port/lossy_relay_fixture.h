// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: a way between two hosts that loses datagrams.

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "core/net/descriptor.h"
#include "core/net/link/udp_address.h"
#include "core/net/port/control_socket.h"
#include "core/net/stream/stream_address.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// Stands between a writer, which connects with `address()`, and the host of its reader, over TCP and UDP of
/// this machine: what the reader says of where it receives datagrams is replaced by a socket of the relay,
/// which passes datagrams on, but each `loses`th not.
class LossyRelay {
 public:
  LossyRelay(StreamAddress reader, int loses) : m_reader(std::move(reader)), m_loses(loses) {
    auto listening = listenAt(StreamAddress::Tcp{"127.0.0.1", 0});
    EXPECT_TRUE(listening.ok());
    if (!listening.ok()) return;
    m_listening = std::move(listening).value();
    m_thread = std::thread([this] { run(); });
  }
  ~LossyRelay() {
    m_quit.store(true);
    if (m_thread.joinable()) m_thread.join();
  }
  LossyRelay(const LossyRelay&) = delete;
  LossyRelay& operator=(const LossyRelay&) = delete;

  [[nodiscard]] StreamAddress address() const {
    return {StreamAddress::Tcp{"127.0.0.1", portOf(m_listening.get())}, m_reader.name};
  }
  /// No more datagrams are lost.
  void mend() { m_mended.store(true); }

 private:
  static constexpr std::string_view kAccepted = "accepted port=";

  void run() {
    while (!m_quit.load()) {
      std::array<pollfd, 4> polled{{{m_writer ? -1 : m_listening.get(), POLLIN, 0},
                                    {m_writer ? m_writer.get() : -1, POLLIN, 0},
                                    {m_host ? m_host.get() : -1, POLLIN, 0},
                                    {m_datagrams ? m_datagrams.get() : -1, POLLIN, 0}}};
      if (poll(polled.data(), polled.size(), 10) <= 0) continue;
      if (polled[0].revents != 0) meet();
      if (polled[1].revents != 0) pass(m_writer, m_host, false);
      if (polled[2].revents != 0) pass(m_host, m_writer, true);
      if (polled[3].revents != 0) passDatagram();
    }
  }
  void meet() {
    m_writer = Descriptor(accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    auto host = dial(m_reader, periodic::MonotonicClock::now() + std::chrono::seconds(10));
    auto datagrams = datagramsBeside(m_writer.get());
    EXPECT_TRUE(host.ok() && datagrams.ok());
    if (!host.ok() || !datagrams.ok()) return;
    m_host = std::move(host).value();
    m_datagrams = std::move(datagrams).value();
  }
  /// Both go once one does.
  void pass(Descriptor& from, Descriptor& to, bool answers) {
    std::array<char, 4096> bytes{};
    const ssize_t came = recv(from.get(), bytes.data(), bytes.size(), 0);
    if (came <= 0) {
      m_host = Descriptor();
      m_writer = Descriptor();
      return;
    }
    std::string text(bytes.data(), static_cast<std::size_t>(came));
    if (answers && !m_to && text.starts_with(kAccepted)) text = replaced(text);
    (void)send(to.get(), text.data(), text.size(), MSG_NOSIGNAL);
  }
  /// The answer, which comes as a whole, with the relay's port.
  [[nodiscard]] std::string replaced(const std::string& answer) {
    const std::size_t end = answer.find(' ', kAccepted.size());
    const int port = std::stoi(answer.substr(kAccepted.size(), end - kAccepted.size()));
    auto to = datagramsOfPeer(m_host.get(), static_cast<std::uint16_t>(port));
    EXPECT_TRUE(to.ok());
    if (to.ok()) m_to = to.value();
    return std::string(kAccepted) + std::to_string(portOf(m_datagrams.get())) + answer.substr(end);
  }
  void passDatagram() {
    std::array<char, 2048> bytes{};
    const ssize_t came = recv(m_datagrams.get(), bytes.data(), bytes.size(), 0);
    if (came < 0 || !m_to) return;
    if (++m_seen % m_loses == 0 && !m_mended.load()) return;
    (void)sendto(m_datagrams.get(), bytes.data(), static_cast<std::size_t>(came), 0, m_to->get(),
                 m_to->length());
  }

  const StreamAddress m_reader;
  const int m_loses;
  Descriptor m_listening;
  std::atomic<bool> m_quit{false}, m_mended{false};
  // Of the thread:
  Descriptor m_writer, m_host, m_datagrams;
  std::optional<UdpAddress> m_to;
  int m_seen = 0;
  std::thread m_thread;  // declared last
};

}  // namespace tactus::net
