// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "core/net/descriptor.h"
#include "core/net/stream/buffer_assembly.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"
#include "core/net/stream/stream_wire.h"
#include "core/net/stream/udp_inbox.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// Puts the buffers of a stream together from UDP datagrams (RTSS 3, "Transport Layer Interface").
///
/// A datagram belongs to the stream if it has its session, 64 random bits that only the handshake tells, and
/// can be a piece. Its source does not count: it changes while a stream lasts (a NAT, another network), and
/// can be forged more easily. A connected socket hears one source alone.
///
/// A piece for which the assembly has no room, since whole buffers wait to be taken, is kept here, and what
/// follows stays in the kernel. Thread-safe: no. Real-time-safe: yes, all but create() and broken().
class UdpReceivingEnd final : public ReceivingEnd {
 public:
  /// After so many datagrams receive() asks the kernel no more: the port's thread stays bounded.
  static constexpr std::size_t kMostDatagrams = 256;

  /// The socket is bound. InvalidArgument: a contract that is invalid or not for UDP, or no UDP socket.
  /// Unavailable: no memory. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<UdpReceivingEnd>> create(
      Descriptor socket, std::uint64_t session, const StreamContract& contract,
      UdpInbox::Trains trains = UdpInbox::Trains::IfGranted);

  /// How much memory an end for a valid contract takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept;
  /// How much the kernel holds beside it, where it permits that. Thread-safe: yes (pure). Real-time-safe:
  /// yes.
  [[nodiscard]] static std::size_t kernelBytesOf(const StreamContract& contract) noexcept;

  void receive(periodic::TimePoint now) TACTUS_REALTIME override;
  [[nodiscard]] std::optional<AssembledBuffer> next(periodic::TimePoint now) TACTUS_REALTIME override {
    return m_assembly.next(now);
  }
  void release() TACTUS_REALTIME override;
  [[nodiscard]] EndWait wait() const TACTUS_REALTIME override;
  [[nodiscard]] std::optional<EndBroken> broken() const override;
  /// `full` counts how often a piece had to wait here; none is lost by that.
  [[nodiscard]] AssemblyFigures figures() const TACTUS_REALTIME override { return m_assembly.figures(); }
  [[nodiscard]] std::uint64_t came() const TACTUS_REALTIME override { return m_datagrams; }
  /// Datagrams that were not of the stream, by what was wrong with them. Real-time-safe: yes.
  [[nodiscard]] std::uint64_t refused(WireFault fault) const noexcept {
    return m_refused[static_cast<std::size_t>(fault)];
  }
  [[nodiscard]] std::uint64_t refused() const noexcept;

 private:
  UdpReceivingEnd(UdpInbox inbox, BufferAssembly assembly, const StreamExpectation& expected)
      : m_inbox(std::move(inbox)), m_assembly(std::move(assembly)), m_expected(expected) {}
  [[nodiscard]] bool put(std::span<const std::byte> datagram) TACTUS_REALTIME;

  UdpInbox m_inbox;
  BufferAssembly m_assembly;
  StreamExpectation m_expected;
  periodic::TimePoint m_came = {};  // when what is in the inbox was taken
  bool m_isFull = false;            // the assembly had no room for what is in the inbox, nor has since
  std::uint64_t m_datagrams = 0;    // of the stream
  std::array<std::uint64_t, static_cast<std::size_t>(WireFault::Size) + 1> m_refused{};
};

}  // namespace tactus::net
