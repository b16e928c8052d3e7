// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/net/link/udp_address.h"
#include "core/net/link/udp_offload.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// One datagram to send. All it points to is borrowed until it has its result.
struct OutgoingPacket {
  UdpOffload* socket;
  const UdpAddress* destination = nullptr;  ///< nullptr: the socket is connected
  std::span<const iovec> parts = {};        ///< header, payload, ...; at most PacketBatch::kParts
  std::optional<std::uint8_t> trafficClass =
      {};  ///< DSCP (RFC 8837) and ECN of this datagram; none: the socket's
};

/// What became of one datagram.
struct SendResult {
  enum class Outcome : std::uint8_t {
    Unsent,      ///< send() was not called yet
    Sent,        ///< the kernel has it
    WouldBlock,  ///< the socket's buffer is full: keep it, and send again after POLLOUT
    NoBuffers,  ///< the kernel or the device's queue is full, which POLLOUT does not tell: keep it, try later
    TooLarge,   ///< more than a datagram, or than the path carries where it must not be fragmented
    Unreachable,  ///< no route, or the receiver's host refuses it
    Denied,       ///< by a filter, or a broadcast without permission
    Failed,       ///< else; `error` says what
  } outcome = Outcome::Unsent;
  int error = 0;  ///< errno, 0 for Sent and Unsent
  /// The caller keeps the packet and sends it again, before later ones of this socket.
  [[nodiscard]] bool kept() const noexcept {
    return outcome == Outcome::WouldBlock || outcome == Outcome::NoBuffers;
  }
};

/// Sends datagrams that were chosen one by one, in their order, with as few system calls as possible and
/// without copying them. Consecutive datagrams of one socket, destination, traffic class and size (the last
/// may be shorter) are one message that the kernel cuts (UDP_SEGMENT); consecutive messages of one socket are
/// one sendmmsg(2). Nothing waits: neither for a blocking socket.
///
/// No datagram is lost without a result, none is sent twice, and the order of each socket is kept: once a
/// datagram is to be kept (WouldBlock, NoBuffers), all later ones of its socket are, too; other sockets go
/// on. Any other error may be that of an earlier datagram, which UDP reports with the next call (ICMP,
/// udp(7)): the present one is tried a second time before the error is its own. A train that the kernel does
/// not cut goes one by one, a datagram whose traffic class it does not take goes without, and the socket's
/// UdpOffload remembers.
///
/// Thread-safe: no (one thread, with all sockets that it names). Real-time-safe: yes, but for the system
/// calls and the constructor.
class PacketBatch {
 public:
  static constexpr std::size_t kParts = 4;  ///< of one datagram
  static constexpr std::size_t kTrainLength =
      64;  ///< datagrams of one message: the kernel's UDP_MAX_SEGMENTS
  static constexpr std::size_t kTrainBytes = 65'507;  ///< what one IPv4 datagram carries

  explicit PacketBatch(std::size_t capacity);
  /// How much memory a batch of so many datagrams takes. Thread-safe: yes (pure). Real-time-safe: yes.
  [[nodiscard]] static std::size_t bytesOf(std::size_t capacity) noexcept;

  /// The datagram goes with the next send(). False, and nothing is added, if the batch is full or the
  /// datagram has more than kParts parts.
  [[nodiscard]] bool add(const OutgoingPacket& packet) TACTUS_REALTIME;
  /// Sends what was added since clear() and is not sent or given up yet; returns how many datagrams went.
  std::size_t send() TACTUS_REALTIME;
  /// One for each datagram, in the order of add().
  [[nodiscard]] std::span<const SendResult> results() const noexcept { return m_results; }
  void clear() TACTUS_REALTIME;

  [[nodiscard]] std::size_t size() const noexcept { return m_packets.size(); }
  [[nodiscard]] bool full() const noexcept { return m_packets.size() == m_capacity; }
  /// System calls of the last send().
  [[nodiscard]] std::size_t systemCalls() const noexcept { return m_systemCalls; }

 private:
  struct Packet {
    UdpOffload* socket;
    const UdpAddress* destination;
    std::size_t firstPart, parts, bytes;
    std::optional<std::uint8_t> trafficClass;
  };
  /// Room for UDP_SEGMENT, IP_TOS and IPV6_TCLASS.
  using Control = std::array<std::byte, CMSG_SPACE(sizeof(std::uint16_t)) + 2 * CMSG_SPACE(sizeof(int))>;
  /// How the datagrams from `position` on are sent, until they are.
  struct Attempt {
    std::size_t position = 0;       // the first that has no result
    bool second = false;            // the first message failed once
    std::optional<int> unmarkedBy;  // the errno because of which the first goes without traffic class
    std::size_t aloneUntil = 0;     // datagrams before this one go one by one ...
    std::size_t trainSize = 0;      // ... since a train of this size
    int trainError = 0;             // was refused so
  };

  [[nodiscard]] std::size_t trainFrom(std::size_t first) const TACTUS_REALTIME;
  [[nodiscard]] unsigned build() TACTUS_REALTIME;
  void buildOne(mmsghdr& message, Control& control, std::size_t first, std::size_t length) TACTUS_REALTIME;
  void sendSome() TACTUS_REALTIME;
  void sent(std::size_t messages) TACTUS_REALTIME;
  void failed(int error) TACTUS_REALTIME;
  void keepAll(SendResult result) TACTUS_REALTIME;
  void moveOn() TACTUS_REALTIME;

  const std::size_t m_capacity;
  std::vector<Packet> m_packets;  // all vectors have their capacity from the start
  std::vector<iovec> m_parts;     // of the packets, one after another: a train's are one array
  std::vector<SendResult> m_results;
  std::vector<mmsghdr> m_messages;
  std::vector<Control> m_controls;
  std::vector<std::size_t> m_lengths;  // datagrams of each message
  Attempt m_attempt;
  std::size_t m_sent = 0;
  std::size_t m_systemCalls = 0;
};

}  // namespace tactus::net
