// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/tcp_sending_end.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "core/net/stream/stream_socket.h"

namespace tactus::net {

using namespace std::chrono_literals;
using periodic::Duration;
using periodic::ResourceRefusal;
using periodic::TimePoint;

namespace {

constexpr std::size_t kGathered = 32 << 10;  // bytes that send() does not leave to flush()
constexpr Duration kLongestTurn = 24h;

ResourceRefusal refused(std::string sentence) {
  ResourceRefusal refusal;
  refusal.sentence = std::move(sentence);
  return refusal;
}

/// A turn that is late is asked for again, so that it may wait long; but where the order is by deadline, it
/// is the stream's.
FlowSpec turnsOf(const StreamContract& contract, std::string name) {
  FlowSpec flow = *flowOf(contract, std::move(name));
  const bool byDeadline = rowOf(flow.linkClass).order == periodic::ShareOrder::Deadline;
  flow.longestWait = byDeadline ? latencyOf(contract) : kLongestTurn;
  return flow;
}

}  // namespace

Result<std::unique_ptr<TcpSendingEnd>, ResourceRefusal> TcpSendingEnd::create(Descriptor socket,
                                                                              const StreamContract& contract,
                                                                              LinkTask* link,
                                                                              std::string name) {
  if (const auto valid = validate(contract); !valid.ok()) return refused(valid.error().message);
  if (contract.transport != TransportKind::Tcp) return refused("The stream is not over tcp.");
  if (const auto prepared = prepareStreamSocket(socket.get()); !prepared.ok())
    return refused(prepared.error().message);
  auto queue = RecordQueue::create(contract.largestBuffer, contract.workahead + 1);
  if (!queue.ok()) return refused(queue.error().message);
  std::optional<Duration> latency;
  if (!contract.reliable) latency = latencyOf(contract);
  std::unique_ptr<TcpSendingEnd> end(new TcpSendingEnd(std::move(socket), std::move(queue).value(), latency));
  if (link == nullptr) return end;
  auto turns = LinkTurns::open(*link, turnsOf(contract, std::move(name)));
  if (!turns.ok()) return turns.error();
  end->m_turns = std::move(turns).value();
  return end;
}

std::size_t TcpSendingEnd::bytesOf(const StreamContract& contract) noexcept {
  return RecordQueue::bytesOf(contract.largestBuffer, contract.workahead + 1);
}

TcpSendingEnd::~TcpSendingEnd() = default;

std::span<std::byte> TcpSendingEnd::room() TACTUS_REALTIME {
  if (m_error != 0) return {};
  const std::span<std::byte> room = m_queue.room();
  m_wantsRoom = room.empty();
  return room;
}

void TcpSendingEnd::send(const StreamHeader& header) TACTUS_REALTIME {
  const TimePoint uselessAt =
      m_latency && !header.end ? periodic::MonotonicClock::now() + *m_latency : TimePoint::max();
  if (m_error != 0 || !m_queue.push(header, uselessAt)) {
    ++m_figures.failed;
    return;
  }
  if (m_queue.waitingBytes() >= kGathered && !m_isFull) flush();
}

void TcpSendingEnd::flush() TACTUS_REALTIME {
  m_isFull = false;
  // A reliable stream needs no clock.
  const TimePoint now = m_latency ? periodic::MonotonicClock::now() : TimePoint::min();
  while (m_error == 0) {
    m_figures.late += m_queue.giveUp(now);
    if (!writeSome(now)) break;
  }
  if (m_error != 0) m_figures.failed += m_queue.clear();
}

/// False: nothing more leaves now.
bool TcpSendingEnd::writeSome(TimePoint now) TACTUS_REALTIME {
  std::size_t most = m_queue.waitingBytes();
  if (m_turns) most = m_turns->ask(most);
  if (most == 0) return false;
  std::array<iovec, 2> parts;
  const std::size_t bytes = m_queue.parts(most, now, parts);
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts[1].iov_len > 0 ? 2 : 1;
  const ssize_t took = sendmsg(m_socket.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (took < 0) {
    if (errno == EINTR) return true;
    m_isFull = errno == EAGAIN || errno == EWOULDBLOCK;
    if (!m_isFull) m_error = errno;
    return false;
  }
  const auto left = static_cast<std::size_t>(took);
  if (m_turns) m_turns->written(left);
  const RecordQueue::Left whole = m_queue.advance(left);
  m_figures.sent += whole.buffers;
  m_figures.sentBytes += whole.bytes;
  m_isFull = left < bytes;
  return !m_isFull;
}

EndWait TcpSendingEnd::wait() const TACTUS_REALTIME {
  // It is broken, or flush() came between and has made room.
  if (m_error != 0 || (m_wantsRoom && m_queue.hasRoom())) return EndWait::atOnce();
  if (m_queue.waitingBytes() == 0) return {};
  const TimePoint until = m_queue.uselessAt();
  if (m_turns && m_turns->isAsked()) return {m_turns->descriptor(), POLLIN, until};
  return {m_socket.get(), POLLOUT, until};
}

std::optional<EndBroken> TcpSendingEnd::broken() const {
  if (m_error == 0) return std::nullopt;
  if (m_error == EPIPE || m_error == ECONNRESET) return EndBroken{"The peer has closed the connection."};
  return EndBroken{std::string("The connection failed: ") + std::strerror(m_error) + "."};
}

}  // namespace tactus::net
