// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/udp_batch_end.h"

#include "core/net/stream/socket_fault.h"

namespace tactus::net {

using Outcome = SendResult::Outcome;

std::size_t UdpBatchEnd::bytesOf(const StreamContract& contract) noexcept {
  return DatagramBuffers::bytesOf(contract) + PacketBatch::bytesOf(kBatch);
}

void UdpBatchEnd::send(const StreamHeader& header) TACTUS_REALTIME {
  m_buffers.cut(header);
  for (;;) {
    fill();
    // A socket that is full is asked again by flush() alone.
    const bool goes = m_stopped == Outcome::Sent && (m_batch.full() || m_buffers.isFull());
    if (!goes) return;
    push();
  }
}

void UdpBatchEnd::flush() TACTUS_REALTIME {
  m_stopped = Outcome::Sent;
  while (!m_buffers.isEmpty() && m_stopped == Outcome::Sent) {
    fill();
    push();
  }
}

EndWait UdpBatchEnd::waitInUse() const TACTUS_REALTIME {
  if (m_stopped == Outcome::NoBuffers) return {.until = m_retryAt};
  return {.descriptor = m_path.socket.get(), .events = POLLOUT};
}

/// Adds datagrams to the batch, as many as it takes.
void UdpBatchEnd::fill() TACTUS_REALTIME {
  while (m_next.place < m_buffers.inUse()) {
    const std::size_t index = m_buffers.at(m_next.place);
    for (; m_next.datagram < m_buffers.datagramsOf(index); ++m_next.datagram)
      if (!m_batch.add({&m_path.offload, m_path.to(), m_buffers.parts(index, m_next.datagram)})) return;
    m_next = {m_next.place + 1, 0};
  }
}

/// Sends the batch. What is kept goes into the next.
void UdpBatchEnd::push() TACTUS_REALTIME {
  m_batch.send();
  for (const SendResult& each : m_batch.results()) {
    if (each.kept()) {
      m_stopped = each.outcome;
      m_next = {0, m_settled};
      break;
    }
    settle(each);
  }
  m_batch.clear();
  if (m_stopped == Outcome::NoBuffers) m_retryAt = periodic::MonotonicClock::now() + kRetry;
  if (m_fatal != 0) giveUpAll();
}

/// The first datagram without an outcome has one.
void UdpBatchEnd::settle(const SendResult& result) TACTUS_REALTIME {
  if (result.outcome == Outcome::Sent) {
    ++m_sent;
  } else if (isFatal(result.error)) {
    m_fatal = result.error;
  }
  if (++m_settled < m_buffers.datagramsOf(m_buffers.at(0))) return;
  m_buffers.conclude(m_sent, false);
  m_settled = 0;
  m_sent = 0;
  if (m_next.place > 0) --m_next.place;
}

void UdpBatchEnd::giveUpAll() TACTUS_REALTIME {
  for (; !m_buffers.isEmpty(); m_sent = 0) m_buffers.conclude(m_sent, false);
  m_settled = 0;
  m_next = {};
}

}  // namespace tactus::net
