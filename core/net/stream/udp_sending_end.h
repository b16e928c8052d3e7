// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/net/descriptor.h"
#include "core/net/link/link_task.h"
#include "core/net/link/udp_address.h"
#include "core/net/link/udp_offload.h"
#include "core/net/stream/datagram_buffers.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"
#include "core/periodic/admission/resource.h"
#include "core/periodic/result.h"

namespace tactus::net {

/// The socket of a UDP sending end, and where its datagrams go.
struct UdpPath {
  Descriptor socket;
  std::optional<UdpAddress> destination;  ///< absent: the socket is connected
  UdpOffload offload;

  [[nodiscard]] const UdpAddress* to() const noexcept { return destination ? &*destination : nullptr; }
};

/// Sends the buffers of a stream as UDP datagrams (RTSS 3, "Transport Layer Interface"), in pieces of
/// kPiecePayload bytes. With a link each datagram waits there for its turn (UdpLinkEnd); without one they go
/// in batches as soon as the socket takes them (UdpBatchEnd).
///
/// A buffer that the kernel refuses for good (unreachable, not permitted, too large) counts as failed, and
/// the end works on; so does what ICMP says of earlier ones. Only a socket that is none any more breaks it.
class UdpSendingEnd : public SendingEnd {
 public:
  /// `destination`: absent if the socket is connected. `link`: nullptr for none; it outlives the end.
  /// `name`: of the stream's flow on the link, shown to people. With a link, `made` of the headers is on
  /// periodic::MonotonicClock: what waits longer than the contract's latency since then is given up. Refused:
  /// by the link; and, as a sentence, for a contract that is invalid or not for UDP, a socket that is not UDP
  /// or has no destination, or without memory. Thread-safe: yes. Real-time-safe: no.
  [[nodiscard]] static Result<std::unique_ptr<UdpSendingEnd>, periodic::ResourceRefusal> create(
      Descriptor socket, std::optional<UdpAddress> destination, const StreamContract& contract,
      LinkTask* link, const std::string& name);

  /// How much memory an end for a valid contract takes: with a link or without, whichever takes more.
  /// Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(const StreamContract& contract) noexcept;

  [[nodiscard]] std::span<std::byte> room() TACTUS_REALTIME override;
  [[nodiscard]] EndWait wait() const TACTUS_REALTIME override;
  [[nodiscard]] bool isEmpty() const TACTUS_REALTIME override { return m_buffers.isEmpty(); }
  [[nodiscard]] std::optional<EndBroken> broken() const override;
  [[nodiscard]] SendingFigures figures() const TACTUS_REALTIME override { return m_buffers.figures(); }

 protected:
  UdpSendingEnd(UdpPath path, DatagramBuffers buffers)
      : m_path(std::move(path)), m_buffers(std::move(buffers)) {}
  /// errno of a socket that is none any more; 0: it works.
  [[nodiscard]] virtual int fatalError() const TACTUS_REALTIME = 0;
  /// Frees the buffers that have left, where send() and flush() do not know yet.
  virtual void reclaim() TACTUS_REALTIME {}
  /// What to wait for while buffers are in use.
  [[nodiscard]] virtual EndWait waitInUse() const TACTUS_REALTIME = 0;

  /// Where the next datagram lies: the buffer's place after the oldest in use, and the datagram in it.
  struct Cursor {
    std::size_t place = 0, datagram = 0;
  };

  UdpPath m_path;
  DatagramBuffers m_buffers;

 private:
  bool m_hadNoRoom = false;  // the last room()
};

}  // namespace tactus::net
