// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests: a network between two ends that can fail.

#include <cstdint>
#include <map>
#include <thread>

#include "core/net/descriptor.h"

namespace tactus::conference::testing {

/// Passes TCP connections at a port of the loopback device on to another. Thread-safe: yes.
class TcpRelay {
 public:
  explicit TcpRelay(std::uint16_t target);
  ~TcpRelay();
  TcpRelay(const TcpRelay&) = delete;
  TcpRelay& operator=(const TcpRelay&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return m_port; }
  /// Breaks each connection.
  void cut() { order(Order::Cut); }
  /// Breaks each connection, and takes no other.
  void close() { order(Order::Close); }
  /// From now on passes nothing on, and takes no connection; each stays open.
  void freeze() { order(Order::Freeze); }

 private:
  enum class Order : char { Cut, Close, Freeze, End };
  void order(Order order);
  void run();
  void obey(Order order);
  void accept();
  void pass(int from);
  void drop(int descriptor);

  const std::uint16_t m_target;
  std::uint16_t m_port = 0;
  // Of the thread, but for the writing end of the pipe.
  net::Descriptor m_listening, m_ordersIn, m_ordersOut;
  std::map<int, net::Descriptor> m_ends;
  std::map<int, int> m_peers;  // of each end, its other one
  bool m_frozen = false, m_over = false;
  std::thread m_thread;
};

}  // namespace tactus::conference::testing
