// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/udp_address.h"

#include <cstring>

namespace tactus::net {

Result<UdpAddress> UdpAddress::from(const sockaddr* address, socklen_t length) {
  UdpAddress made;
  const bool v4 = address != nullptr && length >= sizeof(sockaddr_in) && address->sa_family == AF_INET;
  const bool v6 = address != nullptr && length >= sizeof(sockaddr_in6) && address->sa_family == AF_INET6;
  if (v4) {
    std::memcpy(&made.m_address.v4, address, sizeof made.m_address.v4);
  } else if (v6) {
    std::memcpy(&made.m_address.v6, address, sizeof made.m_address.v6);
  } else {
    return Error{ErrorCode::InvalidArgument, "This is neither an IPv4 nor an IPv6 address."};
  }
  return made;
}

// Field by field: sockaddr_in ends in bytes that mean nothing.
bool operator==(const UdpAddress& one, const UdpAddress& other) noexcept {
  if (one.m_address.any.sa_family != other.m_address.any.sa_family) return false;
  if (one.m_address.any.sa_family == AF_INET) {
    return one.m_address.v4.sin_port == other.m_address.v4.sin_port &&
           one.m_address.v4.sin_addr.s_addr == other.m_address.v4.sin_addr.s_addr;
  }
  const sockaddr_in6& a = one.m_address.v6;
  const sockaddr_in6& b = other.m_address.v6;
  return a.sin6_port == b.sin6_port && a.sin6_scope_id == b.sin6_scope_id &&
         a.sin6_flowinfo == b.sin6_flowinfo &&
         std::memcmp(&a.sin6_addr, &b.sin6_addr, sizeof a.sin6_addr) == 0;
}

}  // namespace tactus::net
