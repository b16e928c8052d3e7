// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/half_open_connections.h"

#include <sys/socket.h>

#include <utility>
#include <variant>

namespace tactus::net {

using periodic::TimePoint;

void HalfOpenConnections::accept(int listener, TimePoint now) {
  for (std::size_t i = 0; i < kMost; ++i) {
    Descriptor socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) return;  // nobody waits; or there is no descriptor, and the next look tries again
    if (m_all.size() >= kMost) m_all.pop_front();
    m_all.push_back({ControlConnection(std::move(socket)), now + kPatience});
  }
}

void HalfOpenConnections::read(TimePoint now) {
  m_all.remove_if([now](HalfOpenConnection& each) { return !each.asked && !readOne(each, now); });
}

/// False: what it said is no beginning, or it has gone; it is to be closed.
bool HalfOpenConnections::readOne(HalfOpenConnection& each, TimePoint now) {
  auto came = each.connection.receive();
  if (!came.ok()) {
    const bool isOther = came.error().code == ErrorCode::Unsupported;
    if (came.error().code != ErrorCode::Unavailable)
      (void)each.connection.send(
          RefusedMessage{isOther ? Refusal::Unsupported : Refusal::Invalid, came.error().message});
    return false;
  }
  if (!came.value()) return true;
  const HandshakeMessage& message = came.value()->message;
  if (!std::holds_alternative<ConnectMessage>(message) && !std::holds_alternative<DataMessage>(message)) {
    (void)each.connection.send(RefusedMessage{Refusal::Invalid, "A connection begins with 'connect'."});
    return false;
  }
  each.asked = *std::move(came).value();
  each.until = now + kPatience;
  return true;
}

void HalfOpenConnections::expire(TimePoint now) {
  m_all.remove_if([now](HalfOpenConnection& each) {
    if (each.until > now) return false;
    if (each.asked && std::holds_alternative<ConnectMessage>(each.asked->message))
      (void)each.connection.send(RefusedMessage{Refusal::Busy, "The port did not get ready within 5 s."});
    return true;
  });
}

Descriptor HalfOpenConnections::takeData(std::uint64_t session) {
  for (auto each = m_all.begin(); each != m_all.end(); ++each) {
    const auto* data = each->asked ? std::get_if<DataMessage>(&each->asked->message) : nullptr;
    if (data == nullptr || data->session != session) continue;
    Descriptor socket = each->connection.take();
    m_all.erase(each);
    return socket;
  }
  return {};
}

void HalfOpenConnections::poll(std::vector<pollfd>& polled) const {
  for (const HalfOpenConnection& each : m_all)
    if (!each.asked) polled.push_back({each.connection.descriptor(), POLLIN, 0});
}

TimePoint HalfOpenConnections::nextExpiry() const noexcept {
  TimePoint next = TimePoint::max();
  for (const HalfOpenConnection& each : m_all) next = std::min(next, each.until);
  return next;
}

}  // namespace tactus::net
