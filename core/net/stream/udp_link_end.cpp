// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/udp_link_end.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

#include "core/net/stream/socket_fault.h"
#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::Duration;
using periodic::TimePoint;

namespace {

/// `made + latency`, as far as there are instants.
TimePoint after(Duration made, Duration latency) noexcept {
  return made > Duration::max() - latency ? TimePoint::max() : TimePoint(made + latency);
}

}  // namespace

std::size_t UdpLinkEnd::bytesOf(const StreamContract& contract) noexcept {
  const std::size_t requests = DatagramBuffers::mostDatagramsOf(contract) * sizeof(Datagram);
  return DatagramBuffers::bytesOf(contract) +
         DatagramBuffers::countOf(contract) * (sizeof(Buffer) + requests);
}

Result<std::unique_ptr<UdpLinkEnd>> UdpLinkEnd::create(UdpPath path, DatagramBuffers buffers,
                                                       Duration latency, LinkFlow flow) {
  Descriptor wakeUp(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wakeUp)
    return Error{ErrorCode::System,
                 periodic::format("An eventfd could not be made: %s.", std::strerror(errno))};
  try {
    return std::unique_ptr<UdpLinkEnd>(
        new UdpLinkEnd(std::move(path), std::move(buffers), std::move(wakeUp), latency, std::move(flow)));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable, "There is no memory for a stream's requests to the link."};
  }
}

UdpLinkEnd::UdpLinkEnd(UdpPath path, DatagramBuffers buffers, Descriptor wakeUp, Duration latency,
                       LinkFlow flow)
    : UdpSendingEnd(std::move(path), std::move(buffers)),
      m_wakeUp(std::move(wakeUp)),
      m_latency(latency),
      m_states(m_buffers.count()),
      m_datagrams(m_buffers.count() * m_buffers.mostDatagrams()),
      m_flow(std::move(flow)) {
  for (std::size_t i = 0; i < m_datagrams.size(); ++i) {
    Datagram& each = m_datagrams[i];
    const std::size_t index = i / m_buffers.mostDatagrams();
    each.end = this;
    each.buffer = &m_states[index];
    each.done = &UdpLinkEnd::done;
    each.datagram = OutgoingPacket{.socket = &m_path.offload,
                                   .destination = m_path.to(),
                                   .parts = m_buffers.parts(index, i % m_buffers.mostDatagrams())};
  }
}

int UdpLinkEnd::fatalError() const TACTUS_REALTIME {
  return m_fatal.load(std::memory_order_relaxed);  // relaxed: nothing else is told by it
}

void UdpLinkEnd::send(const StreamHeader& header) TACTUS_REALTIME {
  m_buffers.cut(header);
  const std::size_t index = m_buffers.at(m_buffers.inUse() - 1);
  Buffer& buffer = m_states[index];
  // relaxed: none of its requests is on its way; offer() publishes them with the link's lock.
  buffer.sent.store(0, std::memory_order_relaxed);
  buffer.late.store(0, std::memory_order_relaxed);
  buffer.pending.store(static_cast<std::uint32_t>(m_buffers.datagramsOf(index)), std::memory_order_relaxed);
  buffer.until = after(header.made, m_latency);
  if (m_next.place + 1 == m_buffers.inUse()) offer();  // not before earlier ones, which wait for flush()
}

void UdpLinkEnd::flush() TACTUS_REALTIME {
  if (std::exchange(m_waited, false)) {
    m_wakeAt.store(kNever, std::memory_order_relaxed);  // relaxed: a wake-up too many does no harm
    eventfd_t count = 0;
    (void)eventfd_read(m_wakeUp.get(), &count);  // fails when it was not raised
  }
  offer();
  reclaim();
}

/// Offers what is left, as far as the flow's queue takes it.
void UdpLinkEnd::offer() TACTUS_REALTIME {
  for (; m_next.place < m_buffers.inUse(); m_next = {m_next.place + 1, 0})
    if (!offer(m_buffers.at(m_next.place))) return;
}

/// The same of one buffer, from m_next on. False: the queue is full.
bool UdpLinkEnd::offer(std::size_t index) TACTUS_REALTIME {
  Buffer& buffer = m_states[index];
  for (const std::size_t count = m_buffers.datagramsOf(index); m_next.datagram < count; ++m_next.datagram) {
    // A buffer of which a part is late is of no use. relaxed: seen a little later it costs a datagram more.
    if (fatalError() != 0 || buffer.late.load(std::memory_order_relaxed) > 0) {
      // relaxed: the port's thread itself looks at it.
      buffer.pending.fetch_sub(static_cast<std::uint32_t>(count - m_next.datagram),
                               std::memory_order_relaxed);
      return true;
    }
    Datagram& each = m_datagrams[index * m_buffers.mostDatagrams() + m_next.datagram];
    const auto& parts = m_buffers.parts(index, m_next.datagram);
    each.bytes = parts[0].iov_len + parts[1].iov_len + kDatagramHeaders;
    // relaxed: counted before it is offered, and exact when waitInUse() looks.
    m_onTheWay.fetch_add(1, std::memory_order_relaxed);
    if (m_flow.offer(each, buffer.until) == Offered::Full) {
      m_onTheWay.fetch_sub(1, std::memory_order_relaxed);
      return false;
    }
  }
  return true;
}

/// On the link's thread, or inside an offer of anybody.
void UdpLinkEnd::done(LinkRequest& request, LinkOutcome outcome) noexcept {
  const auto& datagram = static_cast<const Datagram&>(request);
  UdpLinkEnd& end = *datagram.end;
  Buffer& buffer = *datagram.buffer;
  // relaxed: `pending` publishes these.
  switch (outcome.what) {
    case LinkOutcome::What::Sent:
      buffer.sent.fetch_add(1, std::memory_order_relaxed);
      break;
    case LinkOutcome::What::Late:
      buffer.late.fetch_add(1, std::memory_order_relaxed);
      break;
    case LinkOutcome::What::Failed:
      if (isFatal(outcome.error)) end.m_fatal.store(outcome.error, std::memory_order_relaxed);
      break;
    case LinkOutcome::What::TakenBack:
      break;
  }
  // release: who sees 0 may fill the buffer and offer its requests again.
  buffer.pending.fetch_sub(1, std::memory_order_release);
  end.told();
}

/// One request less is on its way.
void UdpLinkEnd::told() TACTUS_REALTIME {
  const std::int64_t left = m_onTheWay.fetch_sub(1, std::memory_order_seq_cst) - 1;
  if (left > m_wakeAt.load(std::memory_order_seq_cst)) return;
  if (m_wakeAt.exchange(kNever, std::memory_order_seq_cst) == kNever) return;
  (void)eventfd_write(m_wakeUp.get(), 1);  // fails only when it is raised already
}

/// Frees the oldest buffers, of which all datagrams have an outcome.
void UdpLinkEnd::reclaim() TACTUS_REALTIME {
  while (!m_buffers.isEmpty()) {
    const Buffer& buffer = m_states[m_buffers.at(0)];
    if (buffer.pending.load(std::memory_order_acquire) != 0) return;  // acquire: see done()
    m_buffers.conclude(buffer.sent.load(std::memory_order_relaxed),
                       buffer.late.load(std::memory_order_relaxed) > 0);
    --m_next.place;  // it was offered, or given up
  }
}

/// For how many requests on their way the port is woken: when half of the queue is free, if there is more to
/// offer; when the oldest buffer is free, if there is no room; when all is.
std::int64_t UdpLinkEnd::wakeBelow() const TACTUS_REALTIME {
  // relaxed: waitInUse() looks again. Older than `pending`, it is larger, and the port is woken too early.
  const std::int64_t onTheWay = m_onTheWay.load(std::memory_order_relaxed);
  if (m_next.place < m_buffers.inUse()) return onTheWay / 2;
  if (!m_buffers.isFull()) return 0;
  const std::int64_t pending = m_states[m_buffers.at(0)].pending.load(std::memory_order_relaxed);
  return std::max<std::int64_t>(onTheWay - pending, 0);
}

EndWait UdpLinkEnd::waitInUse() const TACTUS_REALTIME {
  const std::int64_t below = wakeBelow();
  m_waited = true;
  m_wakeAt.store(below, std::memory_order_seq_cst);
  if (m_onTheWay.load(std::memory_order_seq_cst) <= below) return EndWait::atOnce();
  return {.descriptor = m_wakeUp.get(), .events = POLLIN};
}

}  // namespace tactus::net
