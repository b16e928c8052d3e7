// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/net/stream/stream_wire.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// Buffers that wait to be written to a stream of bytes, each after its header, one after another in a ring
/// of memory: they are filled where they are written from, and many small ones leave together. A record (a
/// header and its buffer) lies in one piece; where the rest of the memory is too short for the largest, the
/// next record begins at the front.
///
/// Pure: owns no thread, clock or socket. Thread-safe: no. Real-time-safe: yes, all but create().
class RecordQueue {
 public:
  /// Bytes of memory at least, so that small buffers leave together.
  static constexpr std::size_t kLeastCapacity = std::size_t{64} << 10;
  /// Records that wait at most.
  static constexpr std::size_t kMostRecords = 2048;

  /// What left with advance().
  struct Left {
    std::size_t buffers = 0, bytes = 0;  ///< whole ones, their payload
  };

  /// Takes and touches all memory. While fewer than `buffers` wait, there is room. InvalidArgument: there are
  /// none, or `largestBuffer` is not 1 ... kLargestBuffer. Unavailable: there is no memory.
  [[nodiscard]] static Result<RecordQueue> create(std::size_t largestBuffer, std::size_t buffers);
  /// How much memory the ring of such a queue has. Thread-safe: yes (pure).
  [[nodiscard]] static constexpr std::size_t capacityFor(std::size_t largestBuffer,
                                                         std::size_t buffers) noexcept {
    // One more: what is too short for the largest record, at the end and before the first, is less than one.
    return std::max(kLeastCapacity, (buffers + 1) * (kStreamHeaderSize + largestBuffer));
  }

  /// How much memory create() takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(std::size_t largestBuffer, std::size_t buffers) noexcept;

  /// As long as the largest buffer; the same until push(). Empty: not before something left.
  [[nodiscard]] std::span<std::byte> room() TACTUS_REALTIME;
  /// Whether room() is not empty.
  [[nodiscard]] bool hasRoom() const TACTUS_REALTIME { return m_place || place(); }
  /// The first `header.length` bytes of room() wait, after their header. If no byte of them has left by
  /// `uselessAt`, giveUp() takes them. False: there is no room, or the length is more than it. The end of
  /// the stream, of length 0, always has room, once.
  bool push(const StreamHeader& header, periodic::TimePoint uselessAt) TACTUS_REALTIME;

  /// Bytes that wait, headers counted.
  [[nodiscard]] std::size_t waitingBytes() const noexcept { return m_waitingBytes; }
  [[nodiscard]] std::size_t waitingRecords() const noexcept { return m_count; }
  /// Where the next `most` bytes lie, or fewer: in up to two parts, without records that are useless by
  /// `now`. Returns how many bytes. After giveUp(now) it is 0 only if nothing waits.
  [[nodiscard]] std::size_t parts(std::size_t most, periodic::TimePoint now,
                                  std::array<iovec, 2>& into) TACTUS_REALTIME;
  /// The first `bytes` of those in parts() have left.
  Left advance(std::size_t bytes) TACTUS_REALTIME;
  /// Forgets the first records while they are useless by `now`, but none of which a byte has left: the rest
  /// follows. Returns how many.
  std::size_t giveUp(periodic::TimePoint now) TACTUS_REALTIME;
  /// When giveUp() has the next record to forget; TimePoint::max(): not before something left.
  [[nodiscard]] periodic::TimePoint uselessAt() const TACTUS_REALTIME;
  /// Forgets everything; returns how many records.
  std::size_t clear() TACTUS_REALTIME;

 private:
  struct Record {
    std::size_t begin = 0, size = 0;
    periodic::TimePoint uselessAt = {};
  };

  RecordQueue(std::size_t largestBuffer, std::size_t buffers);
  [[nodiscard]] static std::size_t recordsOf(std::size_t capacity) noexcept;
  [[nodiscard]] std::size_t largest() const noexcept { return kStreamHeaderSize + m_largestBuffer; }
  [[nodiscard]] std::size_t capacity() const noexcept { return m_memory.size() - kStreamHeaderSize; }
  [[nodiscard]] const Record& at(std::size_t index) const noexcept {
    return m_records[(m_first + index) % m_records.size()];
  }
  [[nodiscard]] std::optional<std::size_t> place() const TACTUS_REALTIME;
  void forgetFirst() TACTUS_REALTIME;

  std::size_t m_largestBuffer;
  std::vector<std::byte> m_memory;     // the ring, then the place of the end's header
  std::vector<Record> m_records;       // a ring, in the order of push()
  std::optional<std::size_t> m_place;  // where the next record begins, once room() has given it
  std::size_t m_first = 0, m_count = 0;
  std::size_t m_begun = 0;         // bytes of the first record that have left
  std::size_t m_waitingBytes = 0;  // without m_begun
  bool m_ended = false;            // the end was pushed
};

}  // namespace tactus::net
