// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/net/stream/local_ring.h"
#include "core/net/stream/local_ring_writer.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"

namespace tactus::net {

/// Buffers into a ring in shared memory, each after its header: they are made where they will be read. They
/// leave with send(). The death of the peer does not show here, but on the connection over which the ring was
/// passed.
class LocalSendingEnd final : public SendingEnd {
 public:
  /// Of a ring for a stream: W + 1 of the largest buffers fit at any time, and many small ones.
  /// Thread-safe: yes (pure).
  [[nodiscard]] static std::size_t capacityFor(const StreamContract& contract) noexcept;
  /// How much memory the ring of a stream takes, which both ends share. Thread-safe: yes (pure).
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept {
    return LocalRing::bytesOf(capacityFor(contract));
  }
  /// The only writer of `ring`. InvalidArgument: the contract is not valid, or not local; the ring is too
  /// small for a buffer.
  [[nodiscard]] static Result<std::unique_ptr<LocalSendingEnd>> create(LocalRing ring,
                                                                       const StreamContract& contract);
  /// A reader to which the end of the stream was not sent finds it broken.
  ~LocalSendingEnd() override;

  [[nodiscard]] std::span<std::byte> room() TACTUS_REALTIME override;
  void send(const StreamHeader& header) TACTUS_REALTIME override;
  void flush() TACTUS_REALTIME override;
  [[nodiscard]] EndWait wait() const TACTUS_REALTIME override;
  [[nodiscard]] bool isEmpty() const TACTUS_REALTIME override { return !m_end; }
  [[nodiscard]] std::optional<EndBroken> broken() const override;
  /// The end of the stream is a buffer here, too.
  [[nodiscard]] SendingFigures figures() const TACTUS_REALTIME override { return m_figures; }

 private:
  LocalSendingEnd(LocalRing ring, std::size_t largestBuffer)
      : m_ring(std::move(ring)), m_writer(m_ring), m_largestBuffer(largestBuffer) {}

  const LocalRing m_ring;
  mutable LocalRingWriter m_writer;  // wait() says to the peer that we wait
  const std::size_t m_largestBuffer;
  std::span<std::byte> m_room;        // for the next buffer, with its header
  std::optional<StreamHeader> m_end;  // the end of the stream, which waits for room
  SendingFigures m_figures;
};

}  // namespace tactus::net
