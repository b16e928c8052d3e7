// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "core/net/link/packet_batch.h"
#include "core/net/stream/udp_sending_end.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// A UDP sending end without a link: datagrams gather, and go in one batch when there are as many as it
/// takes, when no buffer is left, and with flush(). So the small buffers of a port that does not wait leave
/// in one system call. What the socket does not take stays, in order, for the next flush().
///
/// Thread-safe: no (the port's thread). Real-time-safe: yes (system calls that do not wait), all but the
/// constructor and broken().
class UdpBatchEnd final : public UdpSendingEnd {
 public:
  /// Datagrams of a batch: two trains.
  static constexpr std::size_t kBatch = 128;
  /// How soon flush() is tried again when the kernel or the device has no buffers: poll(2) does not tell.
  static constexpr periodic::Duration kRetry = std::chrono::milliseconds(1);

  /// How much memory an end for a valid contract takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept;
  UdpBatchEnd(UdpPath path, DatagramBuffers buffers)
      : UdpSendingEnd(std::move(path), std::move(buffers)), m_batch(kBatch) {}

  void send(const StreamHeader& header) TACTUS_REALTIME override;
  void flush() TACTUS_REALTIME override;

 private:
  [[nodiscard]] int fatalError() const TACTUS_REALTIME override { return m_fatal; }
  [[nodiscard]] EndWait waitInUse() const TACTUS_REALTIME override;
  void fill() TACTUS_REALTIME;
  void push() TACTUS_REALTIME;
  void settle(const SendResult& result) TACTUS_REALTIME;
  void giveUpAll() TACTUS_REALTIME;

  PacketBatch m_batch;        // datagrams from the oldest buffer's first without an outcome on
  Cursor m_next;              // the first datagram that is not in the batch
  std::size_t m_settled = 0;  // datagrams of the oldest buffer with an outcome ...
  std::size_t m_sent = 0;     // ... and those of them that were sent
  // Why the socket did not take all: WouldBlock, NoBuffers, or Sent if it did.
  SendResult::Outcome m_stopped = SendResult::Outcome::Sent;
  periodic::TimePoint m_retryAt = {};  // after NoBuffers
  int m_fatal = 0;
};

}  // namespace tactus::net
