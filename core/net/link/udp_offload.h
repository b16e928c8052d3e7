// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/periodic/result.h"

namespace tactus::net {

/// A UDP socket, borrowed, and what the kernel grants for what is sent on it: asked once, and corrected by
/// what sends find out. Thread-safe: no (the sending thread's). Real-time-safe: yes, all but probe().
class UdpOffload {
 public:
  enum class Segmentation { IfGranted, Off };
  /// What the kernel does not do on this socket, and with which errno it said so.
  struct Refusal {
    enum class What {
      Segmentation,  ///< datagrams of `size` bytes or more go one by one
      TrafficClass,  ///< datagrams keep the socket's own DSCP and ECN
    } what;
    int error;
    std::size_t size;
  };

  /// InvalidArgument if `socket` is no UDP socket of IPv4 or IPv6. It may be connected or not, blocking or
  /// not.
  [[nodiscard]] static Result<UdpOffload> probe(int socket,
                                                Segmentation segmentation = Segmentation::IfGranted);

  [[nodiscard]] int socket() const noexcept { return m_socket; }
  [[nodiscard]] bool ipv6() const noexcept { return m_ipv6; }
  /// Whether the kernel cuts a train into datagrams of `size` bytes (UDP_SEGMENT, Linux 4.18).
  [[nodiscard]] bool segments(std::size_t size) const noexcept { return size < m_tooLong; }
  /// Whether a datagram may have a DSCP and ECN of its own.
  [[nodiscard]] bool marks() const noexcept { return !m_marksRefused; }

  /// A train of `size`-byte datagrams was refused with `error` and its datagrams are sent one by one: so are
  /// those of this size or more from now on. EIO (no checksum offload, IPsec) refuses every size.
  void refuseSegments(std::size_t size, int error) noexcept;
  void refuseMarks(int error) noexcept;
  /// What was refused since the last call; each kind once in the socket's life.
  [[nodiscard]] std::optional<Refusal> takeRefusal() noexcept;

 private:
  UdpOffload(int socket, bool ipv6, bool segments) noexcept;
  int m_socket;
  bool m_ipv6;
  bool m_marksRefused = false;
  std::size_t m_tooLong;  // the smallest datagram that cannot be one of a train
  std::optional<Refusal> m_segmentsNews, m_marksNews;
  bool m_segmentsTold = false;
};

}  // namespace tactus::net
