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

/// Cuts a stream of bytes into records: a header and its buffer each. Bytes are read to where they stay: many
/// small records at a time, and of a large one no more than itself and the header that follows, so that
/// little is ever moved. The bytes are a peer's; no memory is taken for what they say.
///
/// Pure: owns no thread, clock or socket. Thread-safe: no. Real-time-safe: yes, all but create().
class RecordIntake {
 public:
  static constexpr std::size_t kLeastCapacity = std::size_t{64} << 10;
  /// From this size on a record is large.
  static constexpr std::size_t kLarge = std::size_t{16} << 10;

  /// Takes and touches all memory. `expected.pieceSize` counts for nothing: a record is a whole buffer.
  /// InvalidArgument: the largest buffer is not 1 ... kLargestBuffer. Unavailable: there is no memory.
  [[nodiscard]] static Result<RecordIntake> create(const StreamExpectation& expected);
  /// How much memory it takes. Thread-safe: yes (pure).
  [[nodiscard]] static constexpr std::size_t capacityFor(std::size_t largestBuffer) noexcept {
    return std::max(kLeastCapacity, largestBuffer + 2 * kStreamHeaderSize);
  }

  /// Where the next bytes go. Empty: nowhere, because the first record is whole, or there is a fault.
  [[nodiscard]] std::span<std::byte> room() TACTUS_REALTIME;
  /// So many came to the front of room().
  void filled(std::size_t bytes) TACTUS_REALTIME;

  /// The first record, if it is whole; its bytes stay as they are until release().
  [[nodiscard]] std::optional<StreamPiece> first() const TACTUS_REALTIME;
  /// The caller is done with first().
  void release() TACTUS_REALTIME;
  /// Why what follows is no record of the stream; for good.
  [[nodiscard]] std::optional<WireFault> fault() const noexcept { return m_fault; }
  /// Whether bytes have come of a record that is not whole.
  [[nodiscard]] bool hasBegun() const noexcept { return m_begin < m_end && !isWhole(); }

 private:
  explicit RecordIntake(const StreamExpectation& expected);
  void decodeFirst() TACTUS_REALTIME;
  /// Of the first record.
  [[nodiscard]] std::size_t size() const noexcept { return kStreamHeaderSize + m_header->length; }
  [[nodiscard]] bool isWhole() const noexcept { return m_header && m_end - m_begin >= size(); }

  StreamExpectation m_expected;
  std::vector<std::byte> m_memory;
  std::size_t m_begin = 0, m_end = 0;    // of what came and was not released
  std::optional<StreamHeader> m_header;  // of the first record, once it came and was checked
  std::optional<WireFault> m_fault;
};

}  // namespace tactus::net
