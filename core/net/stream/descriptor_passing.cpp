// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/descriptor_passing.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace tactus::net {
namespace {

/// Room for the descriptors, aligned as the kernel's macros want it.
struct alignas(cmsghdr) ControlRoom : std::array<std::byte, CMSG_SPACE(kMostDescriptors * sizeof(int))> {};

Error failed(const char* what, int error) {
  if (error == EPIPE || error == ECONNRESET || error == ECONNREFUSED || error == ENOTCONN)
    return {ErrorCode::Unavailable, std::string(what) + ": the peer is gone."};
  if (error == EAGAIN) return {ErrorCode::Timeout, std::string(what) + ": the peer did not answer in time."};
  return {ErrorCode::System, std::string(what) + ": " + std::strerror(error) + "."};
}

/// The descriptors of a message; each is owned from here on. CMSG_NXTHDR stays within what the kernel wrote.
std::vector<Descriptor> descriptorsOf(msghdr& header) {
  std::vector<Descriptor> descriptors;
  descriptors.reserve(kMostDescriptors);
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (each->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(each) + i * sizeof descriptor, sizeof descriptor);
      descriptors.emplace_back(descriptor);
    }
  }
  return descriptors;
}

}  // namespace

Result<void> sendDescriptors(int socket, std::span<const std::byte> message,
                             std::span<const int> descriptors) {
  if (message.empty() || message.size() > kLongestMessage)
    return Error{ErrorCode::InvalidArgument, "A message with descriptors has 1 to 1024 bytes."};
  if (descriptors.empty() || descriptors.size() > kMostDescriptors)
    return Error{ErrorCode::InvalidArgument, "A message carries 1 to 4 descriptors."};
  iovec part{const_cast<std::byte*>(message.data()), message.size()};
  ControlRoom room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = room.data();
  header.msg_controllen = CMSG_SPACE(descriptors.size_bytes());
  cmsghdr* rights = CMSG_FIRSTHDR(&header);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(descriptors.size_bytes());
  std::memcpy(CMSG_DATA(rights), descriptors.data(), descriptors.size_bytes());
  ssize_t sent = -1;
  do {
    sent = sendmsg(socket, &header, MSG_NOSIGNAL);
  } while (sent < 0 && errno == EINTR);
  if (sent < 0) return failed("Descriptors could not be sent", errno);
  if (static_cast<std::size_t>(sent) != message.size())
    return Error{ErrorCode::System, "A message with descriptors was sent in part."};
  return {};
}

Result<ReceivedDescriptors> receiveDescriptors(int socket, std::span<std::byte> into, std::size_t count) {
  if (into.empty() || count == 0 || count > kMostDescriptors)
    return Error{ErrorCode::InvalidArgument, "A message has at least a byte and 1 to 4 descriptors."};
  iovec part{into.data(), into.size()};
  ControlRoom room{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = room.data();
  header.msg_controllen = room.size();
  ssize_t received = -1;
  do {
    received = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  } while (received < 0 && errno == EINTR);
  if (received < 0) return failed("No descriptors were received", errno);
  ReceivedDescriptors message{static_cast<std::size_t>(received), descriptorsOf(header)};
  if (received == 0 && message.descriptors.empty()) return failed("No descriptors were received", ECONNRESET);
  if ((header.msg_flags & MSG_TRUNC) != 0)
    return Error{ErrorCode::Corrupt, "The peer sent a longer message than agreed."};
  // MSG_CTRUNC: the kernel has closed those that found no room.
  if ((header.msg_flags & MSG_CTRUNC) != 0 || message.descriptors.size() != count)
    return Error{ErrorCode::Corrupt, "The peer sent another number of descriptors than agreed."};
  return message;
}

}  // namespace tactus::net
