// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/net/descriptor.h"
#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// What comes on a UDP socket, datagram by datagram, with few system calls. Trains that the sender made, or
/// the network device put together, come as one message (UDP_GRO, Linux 5.0), and are cut here.
///
/// Errors of earlier datagrams (ICMP) on the socket are read away. Thread-safe: no. Real-time-safe: yes
/// (system calls that do not wait), all but create().
class UdpInbox {
 public:
  enum class Trains { IfGranted, Off };
  /// Messages of one system call, and the memory of each: a train is at most as large as an IP packet.
  static constexpr std::size_t kTrains = 4, kTrainBytes = 65'536;
  /// Without trains. What is longer than this is cut off, and still longer than any piece.
  static constexpr std::size_t kSingles = 64, kSingleBytes = 2048;

  /// How much memory an inbox takes at most, whatever the kernel grants. Thread-safe: yes (pure).
  [[nodiscard]] static std::size_t bytesOf() noexcept;
  /// How much the kernel holds for a window: twice as much, for its own memory. Thread-safe: yes (pure).
  [[nodiscard]] static std::size_t kernelBytesOf(std::size_t window) noexcept;
  /// Owns the socket. `window`: bytes, with its own for each datagram, that the kernel is to hold while
  /// nobody calls take(); it holds less where it permits no more. InvalidArgument: this is no UDP socket.
  /// Unavailable: no memory.
  [[nodiscard]] static Result<UdpInbox> create(Descriptor socket, std::size_t window,
                                               Trains trains = Trains::IfGranted);

  /// Takes what has come, if all datagrams of the last time are done with. True: current() has one.
  bool take() TACTUS_REALTIME;
  /// The first datagram that is not done with; the same until advance(). Absent: take().
  [[nodiscard]] std::optional<std::span<const std::byte>> current() const TACTUS_REALTIME;
  void advance() TACTUS_REALTIME;
  /// Whether the last take() had as many messages as there is memory for: more may have come.
  [[nodiscard]] bool wasFull() const noexcept { return m_taken == m_messages.size(); }

  [[nodiscard]] int socket() const noexcept { return m_socket.get(); }
  /// errno of a socket that is none any more; 0: it works.
  [[nodiscard]] int fatalError() const noexcept { return m_fatal; }

 private:
  using Control = std::array<std::byte, CMSG_SPACE(sizeof(int))>;
  UdpInbox(Descriptor socket, bool trains);
  [[nodiscard]] static std::size_t bytesOf(bool trains) noexcept;
  void look() TACTUS_REALTIME;

  Descriptor m_socket;
  std::size_t m_slotBytes;
  std::vector<std::byte> m_memory;  // it never moves, as the next three
  std::vector<iovec> m_parts;
  std::vector<Control> m_controls;
  std::vector<mmsghdr> m_messages;
  std::size_t m_taken = 0;    // messages of the last take()
  std::size_t m_message = 0;  // the one of current()
  std::size_t m_offset = 0;   // of current() in it
  std::size_t m_size = 0;     // of its datagrams; the last may be shorter
  int m_fatal = 0;
};

}  // namespace tactus::net
