// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/net/stream/local_ring.h"
#include "core/net/stream/local_ring_reader.h"
#include "core/net/stream/record_order.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"

namespace tactus::net {

/// Buffers out of a ring in shared memory (LocalSendingEnd). Each is copied once, because the peer may change
/// what lies in the ring after it was checked. Once as many buffers wait here as the contract has a
/// window for (assemblyOf), the others stay in the ring: the sender waits.
///
/// The death of the peer does not show here, but on the connection over which the ring was passed.
class LocalReceivingEnd final : public ReceivingEnd {
 public:
  /// The only reader of `ring`; `session` is that of the handshake. InvalidArgument: the contract is not
  /// valid, or not local. Unavailable: there is no memory.
  [[nodiscard]] static Result<std::unique_ptr<LocalReceivingEnd>> create(LocalRing ring,
                                                                         std::uint64_t session,
                                                                         const StreamContract& contract);

  /// How much memory an end for a valid contract takes, without the ring. Thread-safe: yes (pure).
  /// Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept;

  void receive(periodic::TimePoint now) TACTUS_REALTIME override;
  /// `arrived` is the receive() or next() that took it from the ring. Nothing is given up.
  [[nodiscard]] std::optional<AssembledBuffer> next(periodic::TimePoint now) TACTUS_REALTIME override;
  void release() TACTUS_REALTIME override;
  [[nodiscard]] EndWait wait() const TACTUS_REALTIME override;
  [[nodiscard]] std::optional<EndBroken> broken() const override { return m_order.broken(); }
  /// `lost`: what the sender of a stream that is not reliable left out.
  [[nodiscard]] AssemblyFigures figures() const TACTUS_REALTIME override { return m_order.figures(); }
  [[nodiscard]] std::uint64_t came() const TACTUS_REALTIME override { return m_came; }

 private:
  /// A record that was taken, in its place of m_memory.
  struct Taken {
    std::size_t size = 0;
    periodic::TimePoint arrived = {};
  };

  LocalReceivingEnd(LocalRing ring, std::uint64_t session, const StreamContract& contract);
  [[nodiscard]] static constexpr std::size_t slotBytesOf(std::size_t largestBuffer) noexcept {
    return kStreamHeaderSize + largestBuffer;
  }
  [[nodiscard]] std::span<std::byte> slot(std::size_t index) noexcept {
    const std::size_t size = slotBytesOf(m_expected.largestBuffer);
    return std::span(m_memory).subspan(index * size, size);
  }

  const LocalRing m_ring;
  mutable LocalRingReader m_reader;  // wait() says to the peer that we wait
  const StreamExpectation m_expected;
  std::vector<std::byte> m_memory;  // places, as many as the window has
  std::vector<Taken> m_taken;       // a ring, as the places are
  std::size_t m_first = 0, m_count = 0;
  RecordOrder m_order;
  std::uint64_t m_came = 0;  // records
};

}  // namespace tactus::net
