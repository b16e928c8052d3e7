// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "core/net/descriptor.h"
#include "core/net/stream/record_intake.h"
#include "core/net/stream/record_order.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"

namespace tactus::net {

/// Buffers out of a TCP connection, or out of a connected Unix stream socket (TcpSendingEnd). Once as
/// many buffers wait here as the contract has a window for (assemblyOf), nothing more is read: the sender
/// waits, and no memory grows.
///
/// What came before the stream breaks is given first. After the end of the stream nothing is read.
class TcpReceivingEnd final : public ReceivingEnd {
 public:
  /// `socket` is connected; `session` is that of the handshake. InvalidArgument: the contract is not valid,
  /// or not of TCP; `socket` is no stream socket. Unavailable: there is no memory. System: else.
  [[nodiscard]] static Result<std::unique_ptr<TcpReceivingEnd>> create(Descriptor socket,
                                                                       std::uint64_t session,
                                                                       const StreamContract& contract);

  /// How much memory an end for a valid contract takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept;

  void receive(periodic::TimePoint now) TACTUS_REALTIME override;
  /// `arrived` is the receive() that read its last byte. Nothing is given up.
  [[nodiscard]] std::optional<AssembledBuffer> next(periodic::TimePoint now) TACTUS_REALTIME override;
  void release() TACTUS_REALTIME override;
  [[nodiscard]] EndWait wait() const TACTUS_REALTIME override;
  [[nodiscard]] std::optional<EndBroken> broken() const override { return m_order.broken(); }
  /// `lost`: what the sender of a stream that is not reliable left out.
  [[nodiscard]] AssemblyFigures figures() const TACTUS_REALTIME override { return m_order.figures(); }
  [[nodiscard]] std::uint64_t came() const TACTUS_REALTIME override { return m_came; }

 private:
  TcpReceivingEnd(Descriptor socket, RecordIntake intake, bool reliable)
      : m_socket(std::move(socket)), m_intake(std::move(intake)), m_order(reliable) {}
  void lookAtEnd() TACTUS_REALTIME;

  const Descriptor m_socket;
  RecordIntake m_intake;
  RecordOrder m_order;
  bool m_closed = false;     // the peer sends nothing more
  int m_error = 0;           // errno of the connection
  std::uint64_t m_came = 0;  // bytes
};

}  // namespace tactus::net
