// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_sending_end.h"

#include "core/periodic/trace/format.h"

namespace tactus::net {

using periodic::TimePoint;

namespace {

/// So many bytes that two processes which take turns wake each other seldom.
constexpr std::size_t kLeastCapacity = std::size_t{256} << 10;

}  // namespace

std::size_t LocalSendingEnd::capacityFor(const StreamContract& contract) noexcept {
  return std::max(kLeastCapacity,
                  LocalRing::capacityFor(contract.workahead + 1, kStreamHeaderSize + contract.largestBuffer));
}

Result<std::unique_ptr<LocalSendingEnd>> LocalSendingEnd::create(LocalRing ring,
                                                                 const StreamContract& contract) {
  if (const auto valid = validate(contract); !valid.ok()) return valid.error();
  if (contract.transport != TransportKind::Local)
    return Error{ErrorCode::InvalidArgument, "The stream is not local."};
  std::unique_ptr<LocalSendingEnd> end(new LocalSendingEnd(std::move(ring), contract.largestBuffer));
  if (end->m_writer.largest() < kStreamHeaderSize + contract.largestBuffer)
    return Error{ErrorCode::InvalidArgument,
                 periodic::format("The ring is too small for buffers of %zu bytes.", contract.largestBuffer)};
  return end;
}

LocalSendingEnd::~LocalSendingEnd() {
  m_writer.close();
}

std::span<std::byte> LocalSendingEnd::room() TACTUS_REALTIME {
  if (m_end) return {};
  if (m_room.empty()) m_room = m_writer.room(kStreamHeaderSize + m_largestBuffer);
  return m_room.empty() ? m_room : m_room.subspan(kStreamHeaderSize);
}

void LocalSendingEnd::send(const StreamHeader& header) TACTUS_REALTIME {
  if (header.length == 0 && !m_end && m_writer.state() != RingState::Ended) {
    m_room = {};
    m_end = header;
    flush();
    return;
  }
  if (header.length == 0 || room().size() < header.length) {
    ++m_figures.failed;
    return;
  }
  encode(header, m_room.first<kStreamHeaderSize>());
  m_writer.commit(kStreamHeaderSize + header.length);
  m_room = {};
  ++m_figures.sent;
  m_figures.sentBytes += header.length;
}

void LocalSendingEnd::flush() TACTUS_REALTIME {
  if (!m_end) return;
  const std::span<std::byte> room = m_writer.room(kStreamHeaderSize);
  if (!room.empty()) {
    encode(*m_end, room.first<kStreamHeaderSize>());
    m_writer.commit(kStreamHeaderSize);
    m_writer.close();
    ++m_figures.sent;
  } else if (m_writer.state() == RingState::Full) {
    return;
  } else {
    ++m_figures.failed;
  }
  m_end.reset();
}

EndWait LocalSendingEnd::wait() const TACTUS_REALTIME {
  if (m_writer.prepareWait()) return {.descriptor = m_writer.descriptor(), .events = POLLIN};
  // There is room by now, or it is broken.
  if (m_writer.state() == RingState::Full || m_writer.state() == RingState::Broken) return EndWait::atOnce();
  return {};
}

std::optional<EndBroken> LocalSendingEnd::broken() const {
  if (m_writer.state() != RingState::Broken) return std::nullopt;
  return EndBroken{"The peer wrote into the shared memory what no stream writes."};
}

}  // namespace tactus::net
