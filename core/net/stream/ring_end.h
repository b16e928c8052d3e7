// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/net/stream/local_ring.h"
#include "core/net/stream/wake_up.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What both ends of a ring do: publish a position, look at the peer's, and wake each other.
///
/// No wake-up is lost. An end that waits clears its descriptor, stores the position at which it wants to be
/// woken, then loads the peer's position, and waits only if that is smaller. An end that publishes stores its
/// position, then loads where the peer wants to be woken, and raises the peer's descriptor if that is
/// reached. These loads and stores are sequentially consistent. In their single order, if the waiting end's
/// load comes before the store of the position, then the store of where to wake comes before the load of it:
/// the descriptor is raised after it was cleared.
///
/// A descriptor is raised once for each position, so that one who is slow to wake costs one system call.
/// That loses nothing: an end that waits for the same position again cleared its descriptor either before
/// that raise, which wakes it, or after it, and then it sees the position that was stored before the raise.
///
/// Borrows the ring's memory and descriptors. Thread-safe: no. Real-time-safe: yes (wait-free; at most one
/// system call, which does not wait).
class RingEnd {
 public:
  enum class Role : std::uint8_t { Writer, Reader };
  RingEnd(const LocalRing& ring, Role role) noexcept;

  /// All that was written before is seen by a peer that sees `position`.
  void publish(std::uint64_t position) TACTUS_REALTIME;
  /// As the peer published it; it may be anything.
  [[nodiscard]] std::uint64_t peerPosition() const TACTUS_REALTIME;
  /// From now on, when the peer publishes `position` or more, descriptor() becomes readable; unless
  /// peerPosition() says afterwards that it already has.
  void wakeAt(std::uint64_t position) TACTUS_REALTIME;

  [[nodiscard]] int descriptor() const noexcept { return m_ours.descriptor(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return m_records.size(); }
  /// The ring from `position` to its end: never empty.
  [[nodiscard]] std::span<std::byte> from(std::uint64_t position) const noexcept {
    return m_records.subspan(position % m_records.size());
  }

 private:
  std::span<std::byte> m_records;
  std::uint64_t *m_position, *m_wakesAt;          // this end writes them
  std::uint64_t *m_peerPosition, *m_peerWakesAt;  // the peer writes them
  WakeUp m_ours, m_peers;
  std::uint64_t m_raisedFor = 0;  // where the peer wanted to be woken when its descriptor was last raised
};

}  // namespace tactus::net
