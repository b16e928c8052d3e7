// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "core/net/stream/stream_contract.h"

namespace tactus::media {

/// A film or a capture that leaves as the buffers of a stream: what the write handler of a port calls.
/// Thread-safe: yes; one thread writes.
class OutgoingStream {
 public:
  virtual ~OutgoingStream() = default;

  /// What the stream asks for; both ports have it. Real-time-safe: no (copies).
  [[nodiscard]] virtual net::StreamContract contract() const = 0;
  /// A net::WriteHandler: the bytes that are due now; 0: none; nullopt: the stream has ended. Never waits.
  /// Real-time-safe: yes.
  [[nodiscard]] virtual std::optional<std::size_t> write(std::span<std::byte> buffer) noexcept = 0;
  /// Why it ended before its end, as a sentence; empty if it did not. Real-time-safe: no.
  [[nodiscard]] virtual std::string problem() const = 0;
};

}  // namespace tactus::media
