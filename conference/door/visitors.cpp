// SPDX-License-Identifier: Apache-2.0
#include "conference/door/visitors.h"

#include <algorithm>
#include <utility>

namespace tactus::conference {

std::string networkOf(GInetAddress* address) {
  const auto* bytes = g_inet_address_to_bytes(address);
  const auto inWords = [](GInetAddress* made) {
    char* text = g_inet_address_to_string(made);
    std::string words = text;
    g_free(text);
    g_object_unref(made);
    return words;
  };
  if (g_inet_address_get_family(address) == G_SOCKET_FAMILY_IPV4)
    return inWords(static_cast<GInetAddress*>(g_object_ref(address)));
  constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
  if (std::equal(std::begin(kMapped), std::end(kMapped), bytes))
    return inWords(g_inet_address_new_from_bytes(bytes + sizeof kMapped, G_SOCKET_FAMILY_IPV4));
  std::uint8_t network[16] = {};
  std::copy_n(bytes, 8, network);
  return inWords(g_inet_address_new_from_bytes(network, G_SOCKET_FAMILY_IPV6)) + "/64";
}

Visitor* Visitors::add(ObjectRef<GSocket> socket, std::string address, std::string network,
                       periodic::TimePoint now) {
  if (m_visitors.size() >= m_limits.connections) return nullptr;
  std::size_t& same = m_ofNetwork[network];
  if (same >= m_limits.connectionsOfAddress) return nullptr;
  ++same;
  const ConnectionId id{++m_last};
  Visitor& visitor = m_visitors[id];
  visitor.id = id;
  visitor.address = std::move(address);
  visitor.network = std::move(network);
  visitor.socket = std::move(socket);
  enter(visitor, VisitorState::Arrived, now);
  return &visitor;
}

Visitor* Visitors::find(ConnectionId id) {
  const auto found = m_visitors.find(id);
  return found == m_visitors.end() ? nullptr : &found->second;
}

void Visitors::enter(Visitor& visitor, VisitorState state, periodic::TimePoint now) {
  visitor.state = state;
  switch (state) {
    case VisitorState::Arrived:
      visitor.deadline = now + m_limits.arrival;
      break;
    case VisitorState::Handshaking:
      visitor.deadline = std::min(visitor.deadline, now + m_limits.handshake);
      break;
    case VisitorState::Headers:
      visitor.deadline = now + m_limits.headers;
      break;
    case VisitorState::Request:
      visitor.deadline = now + m_limits.request;
      break;
    case VisitorState::Conversation:
      visitor.deadline = periodic::TimePoint::max();
      break;
  }
}

bool Visitors::mayShakeHands(const Visitor& visitor) const {
  std::size_t all = 0, same = 0;
  for (const auto& [id, each] : m_visitors) {
    if (each.state != VisitorState::Handshaking) continue;
    ++all;
    if (each.network == visitor.network) ++same;
  }
  return all < m_limits.handshakes && same < m_limits.handshakesOfAddress;
}

std::vector<ConnectionId> Visitors::overdue(periodic::TimePoint now) const {
  std::vector<ConnectionId> ids;
  for (const auto& [id, each] : m_visitors)
    if (now >= each.deadline) ids.push_back(id);
  return ids;
}

void Visitors::end(ConnectionId id) {
  if (find(id) == nullptr) return;
  const Visitor gone = take(id);
  // The farewell is written at once if the socket takes anything: a third of its buffer is free then.
  const bool takes = (g_socket_condition_check(gone.socket.get(), G_IO_OUT) & G_IO_OUT) != 0;
  if (gone.tls && takes && gone.state != VisitorState::Handshaking)
    (void)g_io_stream_close(gone.tls.get(), nullptr, nullptr);
  (void)g_socket_close(gone.socket.get(), nullptr);
}

void Visitors::cut(ConnectionId id) {
  if (find(id) == nullptr) return;
  const Visitor gone = take(id);
  (void)g_socket_shutdown(gone.socket.get(), TRUE, TRUE, nullptr);
}

Visitor Visitors::take(ConnectionId id) {
  const auto found = m_visitors.find(id);
  Visitor gone = std::move(found->second);
  m_visitors.erase(found);
  if (const auto count = m_ofNetwork.find(gone.network); --count->second == 0) m_ofNetwork.erase(count);
  gone.conversation.reset();
  return gone;
}

void Visitors::forEach(const std::function<void(Visitor&)>& action) {
  for (auto& [id, each] : m_visitors) action(each);
}

}  // namespace tactus::conference
