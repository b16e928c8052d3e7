// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/udp_offload.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <utility>

namespace tactus::net {
namespace {

std::optional<int> optionOf(int socket, int level, int name) noexcept {
  int value = 0;
  socklen_t length = sizeof value;
  if (getsockopt(socket, level, name, &value, &length) != 0) return std::nullopt;
  return value;
}

}  // namespace

UdpOffload::UdpOffload(int socket, bool ipv6, bool segments) noexcept
    : m_socket(socket), m_ipv6(ipv6), m_tooLong(segments ? SIZE_MAX : 0) {}

Result<UdpOffload> UdpOffload::probe(int socket, Segmentation segmentation) {
  const int domain = optionOf(socket, SOL_SOCKET, SO_DOMAIN).value_or(AF_UNSPEC);
  const bool inet = domain == AF_INET || domain == AF_INET6;
  if (!inet || optionOf(socket, SOL_SOCKET, SO_PROTOCOL) != IPPROTO_UDP)
    return Error{ErrorCode::InvalidArgument, "This is no UDP socket."};
  const bool granted = optionOf(socket, SOL_UDP, UDP_SEGMENT).has_value();
  return UdpOffload(socket, domain == AF_INET6, granted && segmentation == Segmentation::IfGranted);
}

void UdpOffload::refuseSegments(std::size_t size, int error) noexcept {
  m_tooLong = error == EIO ? 0 : std::min(m_tooLong, size);
  if (!std::exchange(m_segmentsTold, true))
    m_segmentsNews = Refusal{Refusal::What::Segmentation, error, m_tooLong};
}

void UdpOffload::refuseMarks(int error) noexcept {
  if (!std::exchange(m_marksRefused, true)) m_marksNews = Refusal{Refusal::What::TrafficClass, error, 0};
}

std::optional<UdpOffload::Refusal> UdpOffload::takeRefusal() noexcept {
  return m_segmentsNews ? std::exchange(m_segmentsNews, {}) : std::exchange(m_marksNews, {});
}

}  // namespace tactus::net
