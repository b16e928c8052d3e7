// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/socket_fault.h"

#include <cerrno>
#include <cstring>

#include "core/periodic/trace/format.h"

namespace tactus::net {

bool isFatal(int error) noexcept {
  switch (error) {
    case EBADF:
    case ENOTSOCK:
    case EDESTADDRREQ:  // nor is it connected
    case EAFNOSUPPORT:  // its destination is of another family
    case EPIPE:         // it was shut down
      return true;
    default:
      return false;
  }
}

std::string fatalSentence(int error) {
  return periodic::format("The stream's UDP socket does not work any more: %s.", std::strerror(error));
}

}  // namespace tactus::net
