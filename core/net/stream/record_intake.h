// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/net/stream/stream_wire.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// A record that has come whole.
struct WholeRecord {
  StreamPiece piece = {};
  periodic::TimePoint arrived = {};  ///< its last byte
};

/// Cuts a stream of bytes into records: a header and its buffer each. Bytes are read to where they stay: many
/// small records at a time, and of a large one no more than itself and the header that follows, so that
/// little is ever moved. While the first record is in use, others come behind it, up to a window. The bytes
/// are a peer's; no memory is taken for what they say.
///
/// Pure: owns no thread, clock or socket. Thread-safe: no. Real-time-safe: yes, all but create().
class RecordIntake {
 public:
  static constexpr std::size_t kLeastCapacity = std::size_t{64} << 10;
  /// From this size on a record is large.
  static constexpr std::size_t kLarge = std::size_t{16} << 10;

  /// Takes and touches all memory. `expected.pieceSize` counts for nothing: a record is a whole buffer. After
  /// each release() there is room for another of the largest. InvalidArgument: the largest buffer is not
  /// 1 ... kLargestBuffer, or `window` is 0. Unavailable: there is no memory.
  [[nodiscard]] static Result<RecordIntake> create(const StreamExpectation& expected, std::size_t window);
  /// How much memory its bytes have. Thread-safe: yes (pure).
  [[nodiscard]] static constexpr std::size_t capacityFor(std::size_t largestBuffer,
                                                         std::size_t window) noexcept {
    return std::max(kLeastCapacity, window * (kStreamHeaderSize + largestBuffer) + kStreamHeaderSize);
  }

  /// How much memory create() takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(std::size_t largestBuffer, std::size_t window) noexcept;

  /// Where the next bytes go. Empty: nowhere, until release(), or because there is a fault.
  [[nodiscard]] std::span<std::byte> room() TACTUS_REALTIME;
  /// Whether room() is not empty.
  [[nodiscard]] bool hasRoom() const TACTUS_REALTIME;
  /// So many came to the front of room() at `now`.
  void filled(std::size_t bytes, periodic::TimePoint now) TACTUS_REALTIME;

  /// The first record, if it is whole; its bytes stay as they are until release().
  [[nodiscard]] std::optional<WholeRecord> first() const TACTUS_REALTIME;
  /// The caller is done with first().
  void release() TACTUS_REALTIME;
  /// Why what follows the whole records is no record of the stream; for good.
  [[nodiscard]] std::optional<WireFault> fault() const noexcept { return m_fault; }
  /// Whether bytes have come after the whole records.
  [[nodiscard]] bool hasBegun() const noexcept { return m_begun < m_end; }

 private:
  struct Whole {
    StreamHeader header = {};
    periodic::TimePoint arrived = {};
  };

  RecordIntake(const StreamExpectation& expected, std::size_t window);
  void look() TACTUS_REALTIME;
  void moveToFront() TACTUS_REALTIME;
  [[nodiscard]] bool fits() const TACTUS_REALTIME;
  [[nodiscard]] static std::size_t sizeOf(const StreamHeader& header) noexcept {
    return kStreamHeaderSize + header.length;
  }

  StreamExpectation m_expected;
  std::vector<std::byte> m_memory;
  // Where the first whole record begins, where the first begins that is not whole or not looked at, and where
  // what came ends.
  std::size_t m_begin = 0, m_begun = 0, m_end = 0;
  std::vector<Whole> m_whole;  // a ring: records that are whole, as far as the window looks
  std::size_t m_first = 0, m_count = 0;
  std::optional<StreamHeader> m_header;  // at m_begun, once it came and was checked
  std::optional<WireFault> m_fault;
  periodic::TimePoint m_filled{};  // the last filled()
};

}  // namespace tactus::net
