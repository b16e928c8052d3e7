// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/tcp_receiving_end.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "core/net/stream/stream_socket.h"

namespace tactus::net {

using periodic::TimePoint;

Result<std::unique_ptr<TcpReceivingEnd>> TcpReceivingEnd::create(Descriptor socket, std::uint64_t session,
                                                                 const StreamContract& contract) {
  if (const auto valid = validate(contract); !valid.ok()) return valid.error();
  if (contract.transport != TransportKind::Tcp)
    return Error{ErrorCode::InvalidArgument, "The stream is not over tcp."};
  if (const auto prepared = prepareStreamSocket(socket.get()); !prepared.ok()) return prepared.error();
  auto intake = RecordIntake::create({.session = session, .largestBuffer = contract.largestBuffer},
                                     assemblyOf(contract).window);
  if (!intake.ok()) return intake.error();
  return std::unique_ptr<TcpReceivingEnd>(
      new TcpReceivingEnd(std::move(socket), std::move(intake).value(), contract.reliable));
}

std::size_t TcpReceivingEnd::bytesOf(const StreamContract& contract) noexcept {
  return RecordIntake::bytesOf(contract.largestBuffer, assemblyOf(contract).window);
}

void TcpReceivingEnd::receive(TimePoint now) TACTUS_REALTIME {
  while (!m_closed && m_error == 0 && !m_order.isOver()) {
    const std::span<std::byte> room = m_intake.room();
    if (room.empty()) break;
    const ssize_t came = recv(m_socket.get(), room.data(), room.size(), MSG_DONTWAIT);
    if (came < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) m_error = errno;
      break;
    }
    m_closed = came == 0;
    if (m_closed) break;
    const auto bytes = static_cast<std::size_t>(came);
    m_intake.filled(bytes, now);
    m_came += bytes;
    // What is whole is delivered first; what comes meanwhile, or has not come, wakes the port again.
    if (m_intake.first() || bytes < room.size()) break;
  }
  lookAtEnd();
}

/// Breaks the stream once everything that came before is released.
void TcpReceivingEnd::lookAtEnd() TACTUS_REALTIME {
  if (m_intake.first()) return;
  if (const auto fault = m_intake.fault())
    m_order.malformed(*fault);
  else if (m_error != 0)
    m_order.failed(m_error);
  else if (m_closed)
    m_order.closed(m_intake.hasBegun());
}

std::optional<AssembledBuffer> TcpReceivingEnd::next(TimePoint /*now*/) TACTUS_REALTIME {
  if (m_order.isHeld() || m_order.isOver()) return std::nullopt;
  const auto first = m_intake.first();
  if (!first || !m_order.accept(first->piece.header)) return std::nullopt;
  const StreamHeader& header = first->piece.header;
  return AssembledBuffer{header.number, header.made, first->arrived, header.end, first->piece.bytes};
}

void TcpReceivingEnd::release() TACTUS_REALTIME {
  if (!m_order.isHeld()) return;
  m_order.release();
  m_intake.release();
  lookAtEnd();
}

EndWait TcpReceivingEnd::wait() const TACTUS_REALTIME {
  if (m_order.isOver()) return {};
  if (!m_order.isHeld() && m_intake.first()) return EndWait::atOnce();
  if (m_closed || m_error != 0 || !m_intake.hasRoom()) return {};  // not before release()
  return {.descriptor = m_socket.get(), .events = POLLIN};
}

}  // namespace tactus::net
