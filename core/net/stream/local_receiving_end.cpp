// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_receiving_end.h"

#include <new>

#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::TimePoint;

Result<std::unique_ptr<LocalReceivingEnd>> LocalReceivingEnd::create(LocalRing ring, std::uint64_t session,
                                                                     const StreamContract& contract) {
  if (const auto valid = validate(contract); !valid.ok()) return valid.error();
  if (contract.transport != TransportKind::Local)
    return Error{ErrorCode::InvalidArgument, "The stream is not local."};
  try {
    return std::unique_ptr<LocalReceivingEnd>(new LocalReceivingEnd(std::move(ring), session, contract));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable,
                 periodic::format("There is no memory for %zu buffers of %zu bytes.",
                                  assemblyOf(contract).window, contract.largestBuffer)};
  }
}

LocalReceivingEnd::LocalReceivingEnd(LocalRing ring, std::uint64_t session, const StreamContract& contract)
    : m_ring(std::move(ring)),
      m_reader(m_ring),
      m_expected{session, contract.largestBuffer, contract.largestBuffer},
      m_memory(assemblyOf(contract).window * slotBytesOf(contract.largestBuffer)),
      m_taken(assemblyOf(contract).window),
      m_order(contract.reliable) {}

std::size_t LocalReceivingEnd::bytesOf(const StreamContract& contract) noexcept {
  return assemblyOf(contract).window * (slotBytesOf(contract.largestBuffer) + sizeof(Taken));
}

void LocalReceivingEnd::receive(TimePoint now) TACTUS_REALTIME {
  if (m_order.isOver()) return;
  if (m_count == 0) m_first = 0;  // so that few places are used where few are needed
  while (m_count < m_taken.size()) {
    const std::size_t place = (m_first + m_count) % m_taken.size();
    const std::size_t bytes = m_reader.take(slot(place));
    if (bytes == 0) break;
    m_taken[place] = {bytes, now};
    ++m_came;
    ++m_count;
  }
  if (m_count > 0) return;
  if (m_reader.state() == RingState::Ended) m_order.closed(false);
  if (m_reader.state() == RingState::Broken) m_order.corrupt();
  if (m_reader.state() == RingState::TooLarge) m_order.malformed(WireFault::Length);
}

std::optional<AssembledBuffer> LocalReceivingEnd::next(TimePoint now) TACTUS_REALTIME {
  if (m_order.isHeld() || m_order.isOver()) return std::nullopt;
  if (m_count == 0) receive(now);
  if (m_count == 0) return std::nullopt;
  const Taken& taken = m_taken[m_first];
  const auto piece = decode(slot(m_first).first(taken.size), m_expected);
  if (!piece.ok()) {
    m_order.malformed(piece.error());
    return std::nullopt;
  }
  const StreamHeader& header = piece.value().header;
  if (!m_order.accept(header)) return std::nullopt;
  return AssembledBuffer{header.number, header.made, taken.arrived, header.end, piece.value().bytes};
}

void LocalReceivingEnd::release() TACTUS_REALTIME {
  if (!m_order.isHeld()) return;
  m_order.release();
  m_first = (m_first + 1) % m_taken.size();
  --m_count;
}

EndWait LocalReceivingEnd::wait() const TACTUS_REALTIME {
  if (m_order.isOver()) return {};
  if (!m_order.isHeld() && m_count > 0) return EndWait::atOnce();
  if (m_count == m_taken.size()) return {};  // not before release()
  switch (m_reader.state()) {
    case RingState::Empty:
      if (m_reader.prepareWait()) return {.descriptor = m_reader.descriptor(), .events = POLLIN};
      return EndWait::atOnce();  // something came meanwhile
    case RingState::Ok:
      return EndWait::atOnce();  // it was not asked whether there is more
    default:
      // It is told once what came before is released.
      return m_order.isHeld() ? EndWait{} : EndWait::atOnce();
  }
}

}  // namespace tactus::net
