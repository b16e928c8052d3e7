// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/bare_sockets.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "core/net/descriptor.h"
#include "tests/lab/bare_datagrams.h"

namespace tactus::lab {
namespace {

using net::Descriptor;

constexpr std::size_t kHeader = 32;

bool isDatagrams(BareSocket socket) noexcept {
  return socket == BareSocket::Udp || socket == BareSocket::UdpTrains;
}

bool failed(const char* what) {
  std::fprintf(stderr, "A bare socket: %s: %s.\n", what, std::strerror(errno));
  return false;
}

/// Where the receiver is.
struct Place {
  sockaddr_storage address = {};
  socklen_t length = 0;

  static Place of(const BareTrial& trial, std::uint32_t port) {
    Place place;
    if (trial.socket == BareSocket::Unix) {
      sockaddr_un local{};
      local.sun_family = AF_UNIX;
      std::strncpy(local.sun_path, trial.path.c_str(), sizeof local.sun_path - 1);
      place.length = sizeof local;
      std::memcpy(&place.address, &local, sizeof local);
    } else {
      sockaddr_in loopback{};
      loopback.sin_family = AF_INET;
      loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      loopback.sin_port = htons(static_cast<std::uint16_t>(port));
      place.length = sizeof loopback;
      std::memcpy(&place.address, &loopback, sizeof loopback);
    }
    return place;
  }
  [[nodiscard]] const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&address); }
};

Descriptor socketOf(const BareTrial& trial) {
  const int family = trial.socket == BareSocket::Unix ? AF_UNIX : AF_INET;
  return Descriptor(
      ::socket(family, (isDatagrams(trial.socket) ? SOCK_DGRAM : SOCK_STREAM) | SOCK_CLOEXEC, 0));
}

std::uint32_t portOf(const Descriptor& socket, BareSocket kind) {
  if (kind == BareSocket::Unix) return 1;
  sockaddr_in address{};
  socklen_t length = sizeof address;
  if (getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length) != 0) return 0;
  return ntohs(address.sin_port);
}

void receiveRecords(int socket, std::size_t size, TrialPage& page) {
  std::vector<std::byte> record(kHeader + size);
  while (recv(socket, record.data(), record.size(), MSG_WAITALL) == static_cast<ssize_t>(record.size()))
    page.arrived.add(size);
}

void sendRecords(int socket, std::size_t size, TrialPage& page) {
  std::vector<std::byte> record(kHeader + size);
  for (std::uint64_t number = 0;; ++number) {
    std::memcpy(record.data(), &number, sizeof number);
    if (send(socket, record.data(), record.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(record.size()))
      return;
    page.sent.add(size);
  }
}

}  // namespace

void receiveBare(const BareTrial& trial, TrialPage& page) {
  const Descriptor socket = socketOf(trial);
  const Place place = Place::of(trial, 0);
  if (bind(socket.get(), place.get(), place.length) != 0) return (void)failed("bind");
  const bool datagrams = isDatagrams(trial.socket);
  if (datagrams && !holdDatagrams(socket.get(), trial.kernelBytes)) return (void)failed("SO_RCVBUFFORCE");
  if (!datagrams && listen(socket.get(), 1) != 0) return (void)failed("listen");
  page.port.store(portOf(socket, trial.socket), std::memory_order_release);
  if (datagrams)
    return receiveDatagrams(socket.get(), trial.size, trial.socket == BareSocket::UdpTrains, page);
  const Descriptor peer(accept4(socket.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (peer.get() < 0) return (void)failed("accept");
  receiveRecords(peer.get(), trial.size, page);
}

void sendBare(const BareTrial& trial, TrialPage& page) {
  const Descriptor socket = socketOf(trial);
  const Place place = Place::of(trial, page.port.load(std::memory_order_acquire));
  if (connect(socket.get(), place.get(), place.length) != 0) return (void)failed("connect");
  if (isDatagrams(trial.socket))
    sendDatagrams(socket.get(), trial.size, trial.socket == BareSocket::UdpTrains, page);
  else
    sendRecords(socket.get(), trial.size, page);
}

}  // namespace tactus::lab
