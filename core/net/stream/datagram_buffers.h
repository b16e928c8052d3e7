// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"
#include "core/net/stream/stream_wire.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// The buffers of a UDP sending end: a ring, of which the newest is filled in place and leaves as datagrams.
/// Each datagram has two parts, its header and its piece of the buffer where that lies, so that nothing is
/// copied.
///
/// Pure. Thread-safe: no (the port's thread), but parts() is also read by whoever sends the datagram.
/// Real-time-safe: yes, all but create().
class DatagramBuffers {
 public:
  /// The end of a stream is sent so often: nobody repeats what UDP loses.
  static constexpr std::size_t kEndDatagrams = 3;
  /// A port that makes small buffers without waiting fills a train of datagrams.
  static constexpr std::size_t kGatheredBytes = 64 << 10;
  static constexpr std::size_t kGatheredBuffers = 128;
  using Parts = std::array<iovec, 2>;

  /// Of a valid contract: W buffers that wait and the handler's, or as many as are gathered if they are more.
  [[nodiscard]] static std::size_t countOf(const StreamContract& contract) noexcept;
  /// How much memory create() takes for a valid contract. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept;
  /// Datagrams of a buffer at most: of the largest, or of the end. Thread-safe: yes (pure). Real-time-safe:
  /// yes.
  [[nodiscard]] static std::size_t mostDatagramsOf(const StreamContract& contract) noexcept;
  /// Allocates and touches all memory. Unavailable without it.
  [[nodiscard]] static Result<DatagramBuffers> create(const StreamContract& contract);
  DatagramBuffers(DatagramBuffers&&) noexcept = default;  // parts() point into memory that moves along
  DatagramBuffers& operator=(DatagramBuffers&&) noexcept = default;
  DatagramBuffers(const DatagramBuffers&) = delete;
  DatagramBuffers& operator=(const DatagramBuffers&) = delete;

  /// How many buffers there are, and of how many datagrams each is at most.
  [[nodiscard]] std::size_t count() const noexcept { return m_buffers.size(); }
  [[nodiscard]] std::size_t mostDatagrams() const noexcept { return m_mostDatagrams; }

  /// The buffer that is to be filled, as long as the largest; empty: all are in use.
  [[nodiscard]] std::span<std::byte> room() TACTUS_REALTIME;
  /// The buffer of room() leaves under this header: it is the newest in use now, and cut into datagrams.
  void cut(const StreamHeader& header) TACTUS_REALTIME;

  [[nodiscard]] std::size_t inUse() const noexcept { return m_inUse; }
  [[nodiscard]] bool isEmpty() const noexcept { return m_inUse == 0; }
  [[nodiscard]] bool isFull() const noexcept { return m_inUse == m_buffers.size(); }
  /// Index, 0 ... count() - 1, of the buffer in use that is `place` after the oldest.
  [[nodiscard]] std::size_t at(std::size_t place) const noexcept {
    return (m_oldest + place) % m_buffers.size();
  }
  /// Of a buffer in use, by its index.
  [[nodiscard]] std::size_t datagramsOf(std::size_t index) const noexcept {
    return m_buffers[index].datagrams;
  }
  /// The parts of a datagram: they stay where they are, for any buffer and any datagram below
  /// mostDatagrams().
  [[nodiscard]] const Parts& parts(std::size_t index, std::size_t datagram) const noexcept {
    return m_parts[index * m_mostDatagrams + datagram];
  }

  /// All datagrams of the oldest buffer have an outcome: so many were sent, and some were late or not. It is
  /// counted, and free.
  void conclude(std::size_t sent, bool late) TACTUS_REALTIME;
  [[nodiscard]] const SendingFigures& figures() const noexcept { return m_figures; }

 private:
  struct Buffer {
    std::size_t length = 0, datagrams = 0;
  };

  explicit DatagramBuffers(const StreamContract& contract);

  std::size_t m_largestBuffer, m_mostDatagrams;
  std::vector<Buffer> m_buffers;
  std::vector<std::byte> m_memory;  // one buffer after another; it never moves
  std::vector<std::array<std::byte, kStreamHeaderSize>> m_headers;  // m_mostDatagrams for each buffer
  std::vector<Parts> m_parts;                                       // likewise
  std::size_t m_oldest = 0, m_inUse = 0;
  SendingFigures m_figures;
};

}  // namespace tactus::net
