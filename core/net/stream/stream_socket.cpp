// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/stream_socket.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace tactus::net {
namespace {

Error failed(const char* what) {
  return {ErrorCode::System, std::string(what) + ": " + std::strerror(errno) + "."};
}

int valueOf(int socket, int name) {
  int value = -1;
  socklen_t size = sizeof value;
  return getsockopt(socket, SOL_SOCKET, name, &value, &size) == 0 ? value : -1;
}

bool set(int socket, int name, int value) {
  return setsockopt(socket, IPPROTO_TCP, name, &value, sizeof value) == 0;
}

}  // namespace

Result<void> prepareStreamSocket(int socket) {
  if (valueOf(socket, SO_TYPE) != SOCK_STREAM)
    return Error{ErrorCode::InvalidArgument, "A stream of buffers needs a stream socket."};
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  if (getpeername(socket, reinterpret_cast<sockaddr*>(&peer), &length) != 0)
    return failed("The socket is not connected");
  if (valueOf(socket, SO_PROTOCOL) != IPPROTO_TCP) return {};
  if (!set(socket, TCP_NODELAY, 1)) return failed("TCP keeps small buffers back");
  if (!set(socket, TCP_NOTSENT_LOWAT, kMostUnsent)) return failed("TCP takes too much ahead");
  return {};
}

}  // namespace tactus::net
