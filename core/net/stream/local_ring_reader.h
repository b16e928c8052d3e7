// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/net/stream/ring_end.h"

namespace tactus::net {

/// The end of a ring that reads records; one for each ring, in their order:
///
///     while ((bytes = reader.take(into)) == 0 && reader.state() == RingState::Empty)
///       if (reader.prepareWait()) poll(reader.descriptor(), POLLIN);
///
/// Borrows the ring, which may be moved. Thread-safe: no (one thread at a time). Real-time-safe: yes
/// (wait-free; at most one system call, which does not wait, when the writer waits).
class LocalRingReader {
 public:
  explicit LocalRingReader(const LocalRing& ring) noexcept : m_end(ring, RingEnd::Role::Reader) {}

  /// The next record, where it lies, until release() or take(); the same again until then. The peer may
  /// change its bytes at any time, not its size: who checks bytes before using them copies them first. Empty:
  /// state() says why: Empty, Ended, Broken.
  [[nodiscard]] std::span<const std::byte> next() TACTUS_REALTIME;
  /// The record that next() gave is no longer needed: its room is the writer's.
  void release() TACTUS_REALTIME;
  /// Copies the next record to the front of `into`, releases it, and returns its bytes. 0: none; state() says
  /// why, as with next(), or TooLarge: it stays, and next() tells its size.
  [[nodiscard]] std::size_t take(std::span<std::byte> into) TACTUS_REALTIME;

  /// What the last next() or take() came to; prepareWait() may find it Broken.
  [[nodiscard]] RingState state() const noexcept { return m_state; }
  /// After Empty. True: wait until descriptor() is readable, then look again, which may be Empty once more.
  /// False: look at once, or it was not Empty.
  [[nodiscard]] bool prepareWait() TACTUS_REALTIME;
  [[nodiscard]] int descriptor() const noexcept { return m_end.descriptor(); }

 private:
  [[nodiscard]] std::span<const std::byte> broken() TACTUS_REALTIME;
  void look() TACTUS_REALTIME;
  [[nodiscard]] bool ended() const noexcept { return (m_written & RingHeader::kEnd) != 0; }
  /// Bytes before the writer's position, as last seen; no more than the capacity.
  [[nodiscard]] std::size_t available() const noexcept {
    return (m_written & ~RingHeader::kEnd) - m_position;
  }
  RingEnd m_end;
  std::uint64_t m_position = 0;  // where the next record begins; the writer cannot change it
  std::uint64_t m_written = 0;   // the writer's position, as last seen and checked, with its end mark
  std::size_t m_record = 0;      // bytes of the record that next() gave
  RingState m_state = RingState::Ok;
};

}  // namespace tactus::net
