// SPDX-License-Identifier: Apache-2.0
#include "conference/tcp_relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace tactus::conference::testing {
namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

net::Descriptor makeSocket() {
  return net::Descriptor(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

}  // namespace

TcpRelay::TcpRelay(std::uint16_t target) : m_target(target), m_listening(makeSocket()) {
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(bind(m_listening.get(), plain, size), 0);
  EXPECT_EQ(listen(m_listening.get(), 16), 0);
  EXPECT_EQ(getsockname(m_listening.get(), plain, &size), 0);
  m_port = ntohs(address.sin_port);
  int ends[2] = {-1, -1};
  EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
  m_ordersOut = net::Descriptor(ends[0]);
  m_ordersIn = net::Descriptor(ends[1]);
  m_thread = std::thread([this] { run(); });
}

TcpRelay::~TcpRelay() {
  order(Order::End);
  m_thread.join();
}

void TcpRelay::order(Order order) {
  EXPECT_EQ(write(m_ordersIn.get(), &order, 1), 1);
}

void TcpRelay::run() {
  while (!m_over) {
    std::vector<pollfd> polled{{m_ordersOut.get(), POLLIN, 0}};
    if (m_listening && !m_frozen) polled.push_back({m_listening.get(), POLLIN, 0});
    if (!m_frozen)
      for (const auto& [descriptor, owner] : m_ends) polled.push_back({descriptor, POLLIN, 0});
    if (poll(polled.data(), polled.size(), -1) < 0) continue;
    // What one of them does may end others: after each, all are looked at anew.
    for (const pollfd& each : polled) {
      if (each.revents == 0) continue;
      Order order{};
      if (each.fd == m_ordersOut.get()) {
        if (read(each.fd, &order, 1) == 1) obey(order);
      } else if (each.fd == m_listening.get()) {
        accept();
      } else {
        pass(each.fd);
      }
      break;
    }
  }
}

void TcpRelay::obey(Order order) {
  m_over = order == Order::End;
  m_frozen = m_frozen || order == Order::Freeze;
  if (order == Order::Close) m_listening = {};
  if (order == Order::Freeze) return;
  m_ends.clear();
  m_peers.clear();
}

void TcpRelay::accept() {
  net::Descriptor near(accept4(m_listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
  net::Descriptor far = makeSocket();
  const sockaddr_in address = loopback(m_target);
  if (!near || connect(far.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) return;
  m_peers[near.get()] = far.get();
  m_peers[far.get()] = near.get();
  const int nearNumber = near.get();
  const int farNumber = far.get();
  m_ends[nearNumber] = std::move(near);
  m_ends[farNumber] = std::move(far);
}

void TcpRelay::pass(int from) {
  std::array<char, 65'536> bytes{};
  const int to = m_peers.at(from);
  const ssize_t count = recv(from, bytes.data(), bytes.size(), 0);
  ssize_t sent = 0;
  while (count > 0 && sent < count) {
    const ssize_t more = send(to, bytes.data() + sent, static_cast<std::size_t>(count - sent), MSG_NOSIGNAL);
    if (more <= 0) break;
    sent += more;
  }
  if (count <= 0 || sent < count) drop(from);
}

void TcpRelay::drop(int descriptor) {
  const int other = m_peers.at(descriptor);
  for (const int each : {descriptor, other}) {
    m_peers.erase(each);
    m_ends.erase(each);
  }
}

}  // namespace tactus::conference::testing
