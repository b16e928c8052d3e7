// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/net/stream/ring_end.h"

namespace tactus::net {

/// The end of a ring that writes records; one for each ring. It writes a record where it will be read:
///
///     while ((room = writer.room(bytes)).empty() && writer.state() == RingState::Full)
///       if (writer.prepareWait()) poll(writer.descriptor(), POLLIN);
///     fill(room), writer.commit(bytes), unless it is empty
///
/// Borrows the ring, which may be moved. Thread-safe: no (one thread at a time). Real-time-safe: yes
/// (wait-free; at most one system call, which does not wait, when the reader waits).
class LocalRingWriter {
 public:
  explicit LocalRingWriter(const LocalRing& ring) noexcept : m_end(ring, RingEnd::Role::Writer) {}

  /// Room for one record of `bytes`, in one piece, aligned to 8 bytes, until commit() or the next call.
  /// Empty: state() says why: Full, TooLarge (or 0 bytes), Ended, Broken.
  [[nodiscard]] std::span<std::byte> room(std::size_t bytes) TACTUS_REALTIME;
  /// The first `bytes` of the room are a record, which the reader may have now; 0: none. No more than the
  /// room has.
  void commit(std::size_t bytes) TACTUS_REALTIME;
  /// No more records come; what was committed is still read. The room is given back.
  void close() TACTUS_REALTIME;

  /// What the last room() or close() came to; prepareWait() may find it Broken.
  [[nodiscard]] RingState state() const noexcept { return m_state; }
  /// After Full. True: wait until descriptor() is readable, then ask for room again, which may be Full once
  /// more. False: ask at once, or it was not Full.
  [[nodiscard]] bool prepareWait() TACTUS_REALTIME;
  [[nodiscard]] int descriptor() const noexcept { return m_end.descriptor(); }
  /// Bytes of the largest record.
  [[nodiscard]] std::size_t largest() const noexcept { return m_end.capacity() - kRecordHeader; }

 private:
  [[nodiscard]] bool free(std::size_t bytes) TACTUS_REALTIME;
  void look() TACTUS_REALTIME;
  RingEnd m_end;
  std::uint64_t m_position = 0;  // where the next record begins; the reader cannot change it
  std::uint64_t m_read = 0;    // the reader's position, as last seen: no less than before, no more than ours
  std::uint64_t m_wanted = 0;  // Full: the reader's position that makes room, or part of it
  std::size_t m_room = 0;      // bytes that room() gave
  RingState m_state = RingState::Ok;
};

}  // namespace tactus::net
