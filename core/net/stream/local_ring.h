// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/stream/sealed_memory.h"
#include "core/periodic/result.h"

namespace tactus::net {

/// What an operation on an end of a ring came to.
enum class RingState : std::uint8_t {
  Ok,
  Empty,     ///< reader: there is no record now
  Full,      ///< writer: there is no room now
  TooLarge,  ///< writer: the ring never holds such a record; reader: the record is larger than its place
  Ended,     ///< the writer has closed; reader: and there was no record left
  Broken,    ///< for good: the peer wrote into the shared memory what cannot be
};

/// What precedes the records in the shared memory. Each word has one author; to its reader the author is
/// hostile. Positions are bytes since the ring began, and do not wrap in a computer's life.
struct RingHeader {
  std::uint64_t magic;     // the creator's, as the next two: read once, by open()
  std::uint64_t version;   //
  std::uint64_t capacity;  // bytes after this header
  // The writer's: the records end here; kEnd is added once no more come.
  alignas(64) std::uint64_t written;
  // The writer's: it wants to be woken when `read` is this or more; 0: it never waited.
  alignas(64) std::uint64_t writerWakesAt;
  // The reader's: it needs nothing before this any more.
  alignas(64) std::uint64_t read;
  // The reader's: it wants to be woken when `written` is this or more; 0: it never waited.
  alignas(64) std::uint64_t readerWakesAt;

  static constexpr std::uint64_t kEnd = 1;  // positions are multiples of kRecordHeader
};

/// A record is a word with its length in bytes, then its bytes, then up to a multiple of the word. It lies in
/// one piece: where the rest of the ring is too short, the word is kSkip, and the record comes at the
/// beginning.
inline constexpr std::size_t kRecordHeader = sizeof(std::uint64_t);
inline constexpr std::uint64_t kSkip = UINT64_MAX;
/// Bytes in the ring of a record of `bytes`.
[[nodiscard]] constexpr std::size_t placeOf(std::size_t bytes) noexcept {
  return kRecordHeader + (bytes + kRecordHeader - 1) / kRecordHeader * kRecordHeader;
}

/// Records of bytes from one process to another of the same machine, in shared memory: the local transport of
/// a stream (RTSS, section 3, "Transport Layer Interface"). One side creates the ring and passes its
/// descriptors (sendDescriptors), the other opens it; then one makes a LocalRingWriter of it and the other a
/// LocalRingReader. Neither trusts what the other can write. The death of the peer does not show here.
/// Thread-safe: no. Real-time-safe: no.
class LocalRing {
 public:
  static constexpr std::size_t kDescriptors = 3;
  static constexpr std::size_t kLargestCapacity = std::size_t{1} << 31;
  /// The capacity with which at any time `records` of `bytes` each fit, above 0: one may be lost to a skip.
  [[nodiscard]] static constexpr std::size_t capacityFor(std::size_t records, std::size_t bytes) noexcept {
    return (records + 1) * placeOf(bytes);
  }

  /// How much memory a ring of this capacity takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(std::size_t capacity) noexcept;

  /// `capacity` in bytes is rounded up to a multiple of 64. All memory is taken now
  /// (SealedMemory::create).
  /// InvalidArgument: it is 0 or above kLargestCapacity. System: there is no memory, or no descriptor.
  [[nodiscard]] static Result<LocalRing> create(std::size_t capacity);
  /// Of what the peer's descriptors() sent. Corrupt: they are not a ring of this version, or one with a
  /// larger capacity than `largest`. System: the memory could not be mapped.
  [[nodiscard]] static Result<LocalRing> open(std::vector<Descriptor> descriptors, std::size_t largest);

  /// To pass to the peer, borrowed: the memory, what wakes the reader, what wakes the writer.
  [[nodiscard]] std::array<int, kDescriptors> descriptors() const noexcept {
    return {m_memory.descriptor().get(), m_data.get(), m_room.get()};
  }
  /// The header and the records. They stay where they are when the ring is moved.
  [[nodiscard]] std::span<std::byte> memory() const noexcept { return m_memory.bytes(); }
  [[nodiscard]] std::size_t capacity() const noexcept { return memory().size() - sizeof(RingHeader); }

 private:
  LocalRing(SealedMemory memory, Descriptor data, Descriptor room) noexcept
      : m_memory(std::move(memory)), m_data(std::move(data)), m_room(std::move(room)) {}
  SealedMemory m_memory;
  Descriptor m_data, m_room;
};

}  // namespace tactus::net
