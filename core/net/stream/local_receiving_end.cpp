// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_receiving_end.h"

#include <new>
#include <span>

#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::TimePoint;

Result<std::unique_ptr<LocalReceivingEnd>> LocalReceivingEnd::create(LocalRing ring, std::uint64_t session,
                                                                     const StreamContract& contract) {
  if (const auto valid = validate(contract); !valid.ok()) return valid.error();
  if (contract.transport != TransportKind::Local)
    return Error{ErrorCode::InvalidArgument, "The stream is not local."};
  try {
    return std::unique_ptr<LocalReceivingEnd>(new LocalReceivingEnd(
        std::move(ring), {session, contract.largestBuffer, contract.largestBuffer}, contract.reliable));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable,
                 periodic::format("There is no memory for a buffer of %zu bytes.", contract.largestBuffer)};
  }
}

LocalReceivingEnd::LocalReceivingEnd(LocalRing ring, const StreamExpectation& expected, bool reliable)
    : m_ring(std::move(ring)),
      m_reader(m_ring),
      m_expected(expected),
      m_record(kStreamHeaderSize + expected.largestBuffer),
      m_order(reliable) {}

void LocalReceivingEnd::receive(TimePoint /*now*/) TACTUS_REALTIME {}

std::optional<AssembledBuffer> LocalReceivingEnd::next(TimePoint now) TACTUS_REALTIME {
  if (m_order.isHeld() || m_order.isOver()) return std::nullopt;
  const std::size_t bytes = m_reader.take(m_record);
  if (bytes == 0) {
    if (m_reader.state() == RingState::Ended) m_order.closed(false);
    if (m_reader.state() == RingState::Broken) m_order.corrupt();
    if (m_reader.state() == RingState::TooLarge) m_order.malformed(WireFault::Length);
    return std::nullopt;
  }
  const auto piece = decode(std::span(m_record).first(bytes), m_expected);
  if (!piece.ok()) {
    m_order.malformed(piece.error());
    return std::nullopt;
  }
  const StreamHeader& header = piece.value().header;
  if (!m_order.accept(header)) return std::nullopt;
  return AssembledBuffer{header.number, header.made, now, header.end, piece.value().bytes};
}

EndWait LocalReceivingEnd::wait() const TACTUS_REALTIME {
  if (m_order.isHeld() || m_order.isOver()) return {};
  if (m_reader.prepareWait()) return {.descriptor = m_reader.descriptor(), .events = POLLIN};
  return {
      .descriptor = -1, .events = 0, .until = TimePoint::min()};  // something came, or next() was not asked
}

}  // namespace tactus::net
