// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/control_socket.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "core/periodic/time/timespec.h"

namespace tactus::net {

using periodic::MonotonicClock;
using periodic::TimePoint;

namespace {

constexpr int kFlags = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK;

/// "what" is a whole clause: "Nobody answers at tcp://host:1/".
Error failed(const std::string& what, int error) {
  ErrorCode code = ErrorCode::System;
  switch (error) {
    case EACCES:
    case EPERM:
      code = ErrorCode::PermissionDenied;
      break;
    case EADDRINUSE:
    case ECONNREFUSED:
    case ENETUNREACH:
    case EHOSTUNREACH:
    case ENETDOWN:
      code = ErrorCode::Unavailable;
      break;
    case ENOENT:
    case EADDRNOTAVAIL:
      code = ErrorCode::NotFound;
      break;
    case ETIMEDOUT:
      code = ErrorCode::Timeout;
      break;
    default:
      break;
  }
  return {code, what + ": " + std::strerror(error) + "."};
}

struct FreeAddresses {
  void operator()(addrinfo* list) const noexcept { freeaddrinfo(list); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Result<Addresses> resolve(const StreamAddress::Tcp& at, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(at.host.empty() ? nullptr : at.host.c_str(), std::to_string(at.port).c_str(),
                                &hints, &found);
  if (error != 0)
    return Error{ErrorCode::NotFound,
                 "The host '" + at.host + "' is not known: " + gai_strerror(error) + "."};
  return Addresses(found);
}

Result<sockaddr_un> addressOf(const StreamAddress::Unix& at) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (at.path.empty() || at.path.front() != '/' || at.path.size() >= sizeof address.sun_path)
    return Error{ErrorCode::InvalidArgument,
                 "The path of a Unix socket begins with '/' and has at most 107 bytes."};
  std::copy(at.path.begin(), at.path.end(), address.sun_path);
  return address;
}

/// An address for datagrams, as system calls take it.
struct DatagramAddress {
  sockaddr_storage bytes = {};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&bytes); }
};

/// A port of the host that getsockname() or getpeername() says; beside a Unix socket that is this one.
/// nullopt: there is no name, and errno.
std::optional<DatagramAddress> beside(decltype(getsockname)& name, int control, std::uint16_t port) noexcept {
  DatagramAddress address;
  address.length = sizeof address.bytes;
  if (name(control, reinterpret_cast<sockaddr*>(&address.bytes), &address.length) != 0) return std::nullopt;
  if (address.bytes.ss_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(address.bytes).sin6_port = htons(port);
    return address;
  }
  auto& v4 = reinterpret_cast<sockaddr_in&>(address.bytes);
  if (address.bytes.ss_family != AF_INET) {
    v4 = {};
    v4.sin_family = AF_INET;
    v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.length = sizeof v4;
  }
  v4.sin_port = htons(port);
  return address;
}

int waitFor(int socket, short events, TimePoint until) noexcept {
  pollfd polled{socket, events, 0};
  while (true) {
    const timespec wait = periodic::timespecOf(until - MonotonicClock::now());
    const int ready = ppoll(&polled, 1, &wait, nullptr);
    if (ready >= 0 || errno != EINTR) return ready;
  }
}

/// errno; 0: connected.
int connectUntil(int socket, const sockaddr* address, socklen_t length, TimePoint until) {
  if (connect(socket, address, length) == 0) return 0;
  // A Unix socket whose backlog is full says EAGAIN, and has nothing to wait for.
  if (errno == EAGAIN) return ECONNREFUSED;
  if (errno != EINPROGRESS) return errno;
  if (waitFor(socket, POLLOUT, until) <= 0) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  if (getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &size) != 0) return errno;
  return error;
}

Result<Descriptor> dialUnix(const StreamAddress::Unix& at, TimePoint until) {
  auto address = addressOf(at);
  if (!address.ok()) return address.error();
  Descriptor socket(::socket(AF_UNIX, kFlags, 0));
  if (!socket) return failed("A socket could not be made", errno);
  const int error = connectUntil(socket.get(), reinterpret_cast<const sockaddr*>(&address.value()),
                                 sizeof address.value(), until);
  if (error != 0) return failed("Nobody could be reached at " + at.path, error);
  return socket;
}

Result<Descriptor> dialTcp(const StreamAddress::Tcp& at, TimePoint until) {
  auto addresses = resolve(at, 0);
  if (!addresses.ok()) return addresses.error();
  int error = EADDRNOTAVAIL;
  for (const addrinfo* each = addresses.value().get(); each != nullptr; each = each->ai_next) {
    Descriptor socket(::socket(each->ai_family, kFlags, 0));
    if (!socket) {
      error = errno;
      continue;
    }
    error = connectUntil(socket.get(), each->ai_addr, each->ai_addrlen, until);
    if (error == 0) return socket;
  }
  return failed("Nobody could be reached at " + at.host + ", port " + std::to_string(at.port), error);
}

}  // namespace

Result<Descriptor> listenAt(const StreamAddress::Unix& at) {
  auto address = addressOf(at);
  if (!address.ok()) return address.error();
  const auto* any = reinterpret_cast<const sockaddr*>(&address.value());
  Descriptor socket(::socket(AF_UNIX, kFlags, 0));
  if (!socket) return failed("A socket could not be made", errno);
  const std::string what = "The streams' socket cannot be at " + at.path;
  // A socket takes its permissions when it is bound; nobody can connect before it listens.
  int error = bind(socket.get(), any, sizeof address.value()) == 0 ? 0 : errno;
  if (error == EADDRINUSE) {
    const Descriptor other(::socket(AF_UNIX, kFlags, 0));
    struct stat there {};
    const bool isSocket = lstat(at.path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode);
    if (isSocket && connect(other.get(), any, sizeof address.value()) != 0 && errno == ECONNREFUSED) {
      unlink(at.path.c_str());
      error = bind(socket.get(), any, sizeof address.value()) == 0 ? 0 : errno;
    }
  }
  if (error != 0) return failed(what, error);
  if (chmod(at.path.c_str(), S_IRUSR | S_IWUSR) != 0 || listen(socket.get(), SOMAXCONN) != 0)
    return failed(what, errno);
  return socket;
}

Result<Descriptor> listenAt(const StreamAddress::Tcp& at) {
  auto addresses = resolve(at, AI_PASSIVE);
  if (!addresses.ok()) return addresses.error();
  int error = EADDRNOTAVAIL;
  for (const addrinfo* each = addresses.value().get(); each != nullptr; each = each->ai_next) {
    Descriptor socket(::socket(each->ai_family, kFlags, 0));
    const int on = 1;
    if (socket && setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0 &&
        bind(socket.get(), each->ai_addr, each->ai_addrlen) == 0 && listen(socket.get(), SOMAXCONN) == 0)
      return socket;
    error = errno;
  }
  return failed("The port " + std::to_string(at.port) + " of " + (at.host.empty() ? "this host" : at.host) +
                    " cannot be listened at",
                error);
}

Result<Descriptor> dial(const StreamAddress& address, TimePoint until) {
  if (const auto* local = std::get_if<StreamAddress::Unix>(&address.at)) return dialUnix(*local, until);
  return dialTcp(std::get<StreamAddress::Tcp>(address.at), until);
}

bool waitToRead(int socket, TimePoint until) noexcept {
  return waitFor(socket, POLLIN, until) > 0;
}

Result<Descriptor> datagramsBeside(int control) {
  const auto own = beside(getsockname, control, 0);
  if (!own) return failed("The control connection has no address", errno);
  Descriptor socket(::socket(own->bytes.ss_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket || bind(socket.get(), own->get(), own->length) != 0)
    return failed("A socket for datagrams could not be made", errno);
  return socket;
}

std::uint16_t portOf(int socket) noexcept {
  sockaddr_storage own{};
  socklen_t length = sizeof own;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) != 0) return 0;
  if (own.ss_family == AF_INET) return ntohs(reinterpret_cast<const sockaddr_in&>(own).sin_port);
  if (own.ss_family == AF_INET6) return ntohs(reinterpret_cast<const sockaddr_in6&>(own).sin6_port);
  return 0;
}

Result<UdpAddress> datagramsOfPeer(int control, std::uint16_t port) {
  if (port == 0) return Error{ErrorCode::Corrupt, "The other host receives its datagrams at no port."};
  const auto peer = beside(getpeername, control, port);
  if (!peer) return failed("The other host has gone", errno);
  return UdpAddress::from(peer->get(), peer->length);
}

}  // namespace tactus::net
