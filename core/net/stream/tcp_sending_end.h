// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "core/net/descriptor.h"
#include "core/net/stream/link_turns.h"
#include "core/net/stream/record_queue.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"

namespace tactus::net {

/// Buffers into a TCP connection, each after its header (RTSS, section 3, "Transport Layer Interface"). They
/// wait here, where the scheduler and the link decide, and not in the kernel: what it has not sent yet is
/// bounded. A connected Unix stream socket does as well.
///
/// A buffer of a stream that is not reliable is given up whole if no byte of it has left within the latency
/// after send(): its number is left out.
class TcpSendingEnd final : public SendingEnd {
 public:
  /// `socket` is connected. With `link`, which outlives this, what leaves waits for its turn there, in a flow
  /// of this name; nullptr: it leaves as the connection takes it. Refused: by the link; the contract is not
  /// valid, or not of TCP; `socket` is no stream socket; there is no memory, or no descriptor.
  [[nodiscard]] static Result<std::unique_ptr<TcpSendingEnd>, periodic::ResourceRefusal> create(
      Descriptor socket, const StreamContract& contract, LinkTask* link, std::string name);
  /// How much memory an end for a valid contract takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept;
  /// What the kernel has still leaves, what waits here does not.
  ~TcpSendingEnd() override;

  [[nodiscard]] std::span<std::byte> room() TACTUS_REALTIME override;
  void send(const StreamHeader& header) TACTUS_REALTIME override;
  void flush() TACTUS_REALTIME override;
  [[nodiscard]] EndWait wait() const TACTUS_REALTIME override;
  [[nodiscard]] bool isEmpty() const TACTUS_REALTIME override { return m_queue.waitingBytes() == 0; }
  [[nodiscard]] std::optional<EndBroken> broken() const override;
  /// The end of the stream is a buffer here, too. What waits when the connection breaks has failed.
  [[nodiscard]] SendingFigures figures() const TACTUS_REALTIME override { return m_figures; }
  void setWeight(double weight) override {
    if (m_turns) m_turns->setWeight(weight);
  }

 private:
  TcpSendingEnd(Descriptor socket, RecordQueue queue, std::optional<periodic::Duration> latency)
      : m_socket(std::move(socket)), m_queue(std::move(queue)), m_latency(latency) {}
  [[nodiscard]] bool writeSome(periodic::TimePoint now) TACTUS_REALTIME;

  const Descriptor m_socket;
  RecordQueue m_queue;
  const std::optional<periodic::Duration> m_latency;  // after which a buffer is useless; absent: reliable
  bool m_wantsRoom = false;                           // room() was empty when last asked
  bool m_isFull = false;                              // the socket took nothing more when last asked
  int m_error = 0;                                    // errno that broke the connection
  SendingFigures m_figures;
  std::unique_ptr<LinkTurns> m_turns;  // nullptr: no link
};

}  // namespace tactus::net
