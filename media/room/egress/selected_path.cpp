// SPDX-License-Identifier: Apache-2.0
#include "media/room/egress/selected_path.h"

#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace tactus::media {
namespace {

std::shared_ptr<EgressPath> pathOf(GSocket* socket, const NiceAddress& peer) {
  sockaddr_storage address{};
  nice_address_copy_to_sockaddr(&peer, reinterpret_cast<sockaddr*>(&address));
  const socklen_t length = address.ss_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  const auto to = net::UdpAddress::from(reinterpret_cast<const sockaddr*>(&address), length);
  net::Descriptor own(dup(g_socket_get_fd(socket)));
  const auto offload = net::UdpOffload::probe(own.get());
  if (!to.ok() || !offload.ok()) return nullptr;
  return std::make_shared<EgressPath>(EgressPath{std::move(own), to.value(), offload.value()});
}

}  // namespace

std::shared_ptr<EgressPath> selectedPath(NiceAgent* agent, guint stream, guint component) {
  NiceCandidate *local = nullptr, *remote = nullptr;
  if (!nice_agent_get_selected_pair(agent, stream, component, &local, &remote)) return nullptr;
  GSocket* const socket = nice_agent_get_selected_socket(agent, stream, component);
  return socket != nullptr ? pathOf(socket, remote->addr) : nullptr;
}

}  // namespace tactus::media
