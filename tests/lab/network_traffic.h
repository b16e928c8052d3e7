// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "core/net/link/link_task.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"
#include "tests/lab/network_cable.h"

namespace tactus::lab {

/// Headers of UDP, IPv4 and Ethernet, which a queueing discipline counts as well.
inline constexpr std::size_t kHeaders = 42;

/// One packet as it arrived.
struct Arrival {
  double second = 0;  ///< since the receiver began
  double delay = 0;   ///< s since its sender wanted to send it
  std::uint32_t number = 0;
  std::size_t bytes = 0;  ///< on the cable, headers counted
};

/// Receives on several sockets, each a flow, until it is stopped.
class TrafficReceiver {
 public:
  explicit TrafficReceiver(std::vector<Descriptor> sockets);
  ~TrafficReceiver();
  /// What arrived at each socket. Ends the receiving.
  [[nodiscard]] std::vector<std::vector<Arrival>> stop();

 private:
  void run();
  std::vector<Descriptor> m_sockets;
  std::vector<std::vector<Arrival>> m_arrivals;
  std::atomic<bool> m_stop{false};
  std::thread m_thread;
};

/// Something that sends until it goes.
class Sender {
 public:
  virtual ~Sender() = default;
  Sender() = default;
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;
  /// Sends nothing more. What is on its way arrives.
  virtual void stop() = 0;
  /// Packets that it wanted to send; final after stop().
  [[nodiscard]] virtual std::uint32_t wanted() const noexcept = 0;
};

/// A paced stream: `packets` of `payload` bytes at once, `perSecond` times a second.
struct StreamShape {
  double perSecond = 30;
  int packets = 5;
  std::size_t payload = 1208;
};

/// As much as the socket takes, by blocking send() calls: what an ordinary program does.
[[nodiscard]] std::unique_ptr<Sender> plainFlood(Descriptor socket, std::size_t payload);
[[nodiscard]] std::unique_ptr<Sender> plainStream(Descriptor socket, const StreamShape& shape);
/// The same over a link of ours. Errors: a refusal.
[[nodiscard]] Result<std::unique_ptr<Sender>> linkFlood(net::LinkTask& link, const net::FlowSpec& spec,
                                                        Descriptor socket, std::size_t payload);
[[nodiscard]] Result<std::unique_ptr<Sender>> linkStream(net::LinkTask& link, const net::FlowSpec& spec,
                                                         Descriptor socket, const StreamShape& shape);

/// Bytes of one flow that arrived in [from, to), in seconds.
[[nodiscard]] double bytesWithin(const std::vector<Arrival>& arrivals, double from, double to);

}  // namespace tactus::lab
