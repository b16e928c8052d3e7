// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "core/periodic/result.h"

namespace tactus::net {

/// Where a datagram goes: an IPv4 or IPv6 address and a port. Thread-safe: no (a value). Real-time-safe: yes,
/// all but from().
class UdpAddress {
 public:
  /// InvalidArgument for another family or a length that does not fit the family.
  [[nodiscard]] static Result<UdpAddress> from(const sockaddr* address, socklen_t length);

  [[nodiscard]] const sockaddr* get() const noexcept { return &m_address.any; }
  [[nodiscard]] socklen_t length() const noexcept {
    return m_address.any.sa_family == AF_INET ? sizeof m_address.v4 : sizeof m_address.v6;
  }
  friend bool operator==(const UdpAddress& one, const UdpAddress& other) noexcept;

 private:
  UdpAddress() = default;
  union {
    sockaddr any;
    sockaddr_in v4;
    sockaddr_in6 v6;
  } m_address{};
};

}  // namespace tactus::net
