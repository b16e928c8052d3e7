// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/stream/handshake_message.h"
#include "core/net/stream/line_reader.h"
#include "core/periodic/result.h"

namespace tactus::net {

/// A message of the peer, with the descriptors that came along.
struct ControlArrival {
  HandshakeMessage message;
  std::vector<Descriptor> descriptors = {};
};

/// The descriptors of a local ring travel with the message in which its writer asks or answers; so many does
/// this message carry. Thread-safe: yes (pure).
[[nodiscard]] std::size_t descriptorsWith(const HandshakeMessage& message) noexcept;

/// One end of a control connection, apart from the data (RTSS, section 3): messages over a connected stream
/// socket, TCP or Unix. No more is taken from the socket than the message: what follows is left to whoever
/// takes the socket. Thread-safe: no. Real-time-safe: no.
class ControlConnection {
 public:
  /// `socket` is connected; it is never waited for.
  explicit ControlConnection(Descriptor socket) noexcept;

  /// Whole, or the connection is of no use any more. InvalidArgument: formatHandshake(). Unavailable: the
  /// peer is gone. Timeout: it reads nothing of what was said. System: else.
  [[nodiscard]] Result<void> send(const HandshakeMessage& message, std::span<const int> descriptors = {});
  /// The next message; nullopt: none is whole yet. Unavailable: the peer closed the connection. Corrupt,
  /// Unsupported: what came is no message (parseHandshake()). After an error the connection is of no use.
  [[nodiscard]] Result<std::optional<ControlArrival>> receive();

  [[nodiscard]] int descriptor() const noexcept { return m_socket.get(); }
  /// Whether it stays on this machine: a Unix socket.
  [[nodiscard]] bool isLocal() const noexcept;
  /// For the data that follow; the connection is over.
  [[nodiscard]] Descriptor take() noexcept { return std::move(m_socket); }

 private:
  [[nodiscard]] Result<std::vector<Descriptor>> take(std::size_t bytes, std::size_t descriptors);

  Descriptor m_socket;
  LineReader m_lines;
};

}  // namespace tactus::net
