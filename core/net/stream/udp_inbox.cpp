// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/udp_inbox.h"

#include <netinet/in.h>
#include <netinet/udp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "core/net/link/udp_offload.h"
#include "core/net/stream/socket_fault.h"

namespace tactus::net {
namespace {

/// Errors of earlier datagrams that one take() reads away.
constexpr int kMostErrors = 4;

bool grantsTrains(int socket) noexcept {
  const int on = 1;
  return setsockopt(socket, SOL_UDP, UDP_GRO, &on, sizeof on) == 0;
}

/// The kernel takes twice what is asked.
constexpr std::size_t kLargestAsked = std::numeric_limits<int>::max() / 2;

/// With CAP_NET_ADMIN there is no limit.
void hold(int socket, std::size_t window) noexcept {
  const int wanted = static_cast<int>(std::min(window, kLargestAsked));
  int held = 0;
  socklen_t length = sizeof held;
  if (getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &held, &length) == 0 && held / 2 >= wanted) return;
  if (setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof wanted) == 0) return;
  (void)setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted);  // as much as is given
}

}  // namespace

Result<UdpInbox> UdpInbox::create(Descriptor socket, std::size_t window, Trains trains) {
  if (const auto offload = UdpOffload::probe(socket.get()); !offload.ok()) return offload.error();
  const bool granted = trains == Trains::IfGranted && grantsTrains(socket.get());
  hold(socket.get(), window);
  try {
    return UdpInbox(std::move(socket), granted);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::Unavailable, "There is no memory for the datagrams of a stream."};
  }
}

std::size_t UdpInbox::bytesOf(bool trains) noexcept {
  const std::size_t bytes = trains ? kTrainBytes : kSingleBytes;
  return (trains ? kTrains : kSingles) * (bytes + sizeof(iovec) + sizeof(Control) + sizeof(mmsghdr));
}

std::size_t UdpInbox::bytesOf() noexcept {
  return std::max(bytesOf(true), bytesOf(false));
}

std::size_t UdpInbox::kernelBytesOf(std::size_t window) noexcept {
  return 2 * std::min(window, kLargestAsked);
}

UdpInbox::UdpInbox(Descriptor socket, bool trains)
    : m_socket(std::move(socket)),
      m_slotBytes(trains ? kTrainBytes : kSingleBytes),
      m_memory((trains ? kTrains : kSingles) * m_slotBytes),
      m_parts(m_memory.size() / m_slotBytes),
      m_controls(m_parts.size()),
      m_messages(m_parts.size()) {
  for (std::size_t i = 0; i < m_messages.size(); ++i) {
    m_parts[i] = {m_memory.data() + i * m_slotBytes, m_slotBytes};
    m_messages[i].msg_hdr.msg_iov = &m_parts[i];
    m_messages[i].msg_hdr.msg_iovlen = 1;
    m_messages[i].msg_hdr.msg_control = m_controls[i].data();
    m_messages[i].msg_hdr.msg_controllen = m_controls[i].size();
  }
}

bool UdpInbox::take() TACTUS_REALTIME {
  if (current()) return true;
  for (std::size_t i = 0; i < m_taken; ++i)  // the kernel has written there
    m_messages[i].msg_hdr.msg_controllen = m_controls[i].size();
  m_message = 0;
  m_taken = 0;
  for (int errors = 0; errors < kMostErrors; ++errors) {
    const int count = recvmmsg(m_socket.get(), m_messages.data(), static_cast<unsigned>(m_messages.size()),
                               MSG_DONTWAIT, nullptr);
    if (count > 0) {
      m_taken = static_cast<std::size_t>(count);
      look();
      return true;
    }
    if (count == 0 || errno == EAGAIN) return false;
    if (isFatal(errno)) {
      m_fatal = errno;
      return false;
    }
  }
  return false;
}

/// At the first datagram of a message.
void UdpInbox::look() TACTUS_REALTIME {
  m_offset = 0;
  msghdr& header = m_messages[m_message].msg_hdr;
  m_size = m_messages[m_message].msg_len;
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    if (each->cmsg_level != SOL_UDP || each->cmsg_type != UDP_GRO) continue;
    int size = 0;
    std::memcpy(&size, CMSG_DATA(each), sizeof size);
    if (size > 0) m_size = static_cast<std::size_t>(size);
  }
}

std::optional<std::span<const std::byte>> UdpInbox::current() const TACTUS_REALTIME {
  if (m_message == m_taken) return std::nullopt;
  const std::size_t left = m_messages[m_message].msg_len - m_offset;
  return std::span<const std::byte>(m_memory).subspan(m_message * m_slotBytes + m_offset,
                                                      std::min(m_size, left));
}

void UdpInbox::advance() TACTUS_REALTIME {
  m_offset += m_size;
  if (m_offset < m_messages[m_message].msg_len) return;
  if (++m_message < m_taken) look();
}

}  // namespace tactus::net
