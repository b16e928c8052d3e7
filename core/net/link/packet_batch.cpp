// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/packet_batch.h"

#include <netinet/in.h>
#include <netinet/udp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tactus::net {
namespace {

using Outcome = SendResult::Outcome;

Outcome outcomeOf(int error) noexcept {
  switch (error) {
    case EAGAIN:
      return Outcome::WouldBlock;
    case ENOBUFS:
    case ENOMEM:
      return Outcome::NoBuffers;
    case EMSGSIZE:
      return Outcome::TooLarge;
    case ECONNREFUSED:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case EHOSTDOWN:
    case ENETDOWN:
    case ENONET:
      return Outcome::Unreachable;
    case EPERM:
    case EACCES:
      return Outcome::Denied;
    default:
      return Outcome::Failed;
  }
}

/// A train may be refused where its datagrams are not: larger than the path's MTU (EMSGSIZE, before
/// Linux 6.14 EINVAL), or no checksum offload (EIO).
bool refusesTrain(int error) noexcept {
  return error == EMSGSIZE || error == EINVAL || error == EIO;
}

bool sameDestination(const UdpAddress* one, const UdpAddress* other) noexcept {
  return one == other || (one != nullptr && other != nullptr && *one == *other);
}

/// Appends control messages to one message's buffer.
class ControlWriter {
 public:
  ControlWriter(msghdr& header, std::span<std::byte> room) noexcept : m_header(header), m_room(room) {}
  template <typename T>
  void add(int level, int type, T value) noexcept {
    auto* each = reinterpret_cast<cmsghdr*>(m_room.data() + m_used);
    each->cmsg_level = level;
    each->cmsg_type = type;
    each->cmsg_len = CMSG_LEN(sizeof value);
    std::memcpy(CMSG_DATA(each), &value, sizeof value);
    m_used += CMSG_SPACE(sizeof value);
    m_header.msg_control = m_room.data();
    m_header.msg_controllen = m_used;
  }

 private:
  msghdr& m_header;
  std::span<std::byte> m_room;
  std::size_t m_used = 0;
};

}  // namespace

PacketBatch::PacketBatch(std::size_t capacity)
    : m_capacity(capacity), m_messages(capacity), m_controls(capacity), m_lengths(capacity) {
  m_packets.reserve(capacity);
  m_parts.reserve(capacity * kParts);
  m_results.reserve(capacity);
}

std::size_t PacketBatch::bytesOf(std::size_t capacity) noexcept {
  return capacity * (sizeof(Packet) + kParts * sizeof(iovec) + sizeof(SendResult) + sizeof(mmsghdr) +
                     sizeof(Control) + sizeof(std::size_t));
}

bool PacketBatch::add(const OutgoingPacket& packet) TACTUS_REALTIME {
  if (full() || packet.parts.size() > kParts) return false;
  std::size_t bytes = 0;
  for (const iovec& part : packet.parts) bytes += part.iov_len;
  m_packets.push_back(
      {packet.socket, packet.destination, m_parts.size(), packet.parts.size(), bytes, packet.trafficClass});
  m_parts.insert(m_parts.end(), packet.parts.begin(), packet.parts.end());
  m_results.push_back({});
  return true;
}

void PacketBatch::clear() TACTUS_REALTIME {
  m_packets.clear();
  m_parts.clear();
  m_results.clear();
}

std::size_t PacketBatch::send() TACTUS_REALTIME {
  m_attempt = {};
  m_sent = 0;
  m_systemCalls = 0;
  for (SendResult& each : m_results)
    if (each.kept()) each = {};
  moveOn();
  while (m_attempt.position < m_packets.size()) sendSome();
  return m_sent;
}

/// The next datagram without a result is the first of the next call.
void PacketBatch::moveOn() TACTUS_REALTIME {
  std::size_t& position = m_attempt.position;
  while (position < m_packets.size() && m_results[position].outcome != Outcome::Unsent) ++position;
  m_attempt.second = false;
  m_attempt.unmarkedBy.reset();
}

/// How many datagrams from `first` on can be one message.
std::size_t PacketBatch::trainFrom(std::size_t first) const TACTUS_REALTIME {
  const Packet& head = m_packets[first];
  const bool alone = first < m_attempt.aloneUntil || (first == m_attempt.position && m_attempt.unmarkedBy);
  if (alone || head.bytes == 0 || !head.socket->segments(head.bytes)) return 1;
  std::size_t bytes = head.bytes;
  std::size_t length = 1;
  while (length < kTrainLength && first + length < m_packets.size()) {
    const Packet& next = m_packets[first + length];
    bytes += next.bytes;
    if (next.socket != head.socket || next.trafficClass != head.trafficClass || next.bytes == 0 ||
        next.bytes > head.bytes || bytes > kTrainBytes ||
        m_results[first + length].outcome != Outcome::Unsent ||
        !sameDestination(next.destination, head.destination))
      break;
    ++length;
    if (next.bytes < head.bytes) break;  // only the last may be shorter
  }
  return length;
}

void PacketBatch::buildOne(mmsghdr& message, Control& control, std::size_t first,
                           std::size_t length) TACTUS_REALTIME {
  const Packet& head = m_packets[first];
  const Packet& last = m_packets[first + length - 1];
  message = {};
  msghdr& header = message.msg_hdr;
  if (head.destination != nullptr) {
    header.msg_name = const_cast<sockaddr*>(head.destination->get());  // the kernel only reads it
    header.msg_namelen = head.destination->length();
  }
  header.msg_iov = m_parts.data() + head.firstPart;
  header.msg_iovlen = last.firstPart + last.parts - head.firstPart;
  ControlWriter writer(header, control);
  if (length > 1) writer.add(SOL_UDP, UDP_SEGMENT, static_cast<std::uint16_t>(head.bytes));
  const bool unmarked = first == m_attempt.position && m_attempt.unmarkedBy;
  if (!head.trafficClass || unmarked || !head.socket->marks()) return;
  const int value = *head.trafficClass;
  // An IPv6 socket sends to IPv4 receivers, too (::ffff:a.b.c.d), and each protocol ignores the other's.
  writer.add(IPPROTO_IP, IP_TOS, value);
  if (head.socket->ipv6()) writer.add(IPPROTO_IPV6, IPV6_TCLASS, value);
}

/// Messages of one socket, from the first datagram without a result on.
unsigned PacketBatch::build() TACTUS_REALTIME {
  unsigned messages = 0;
  std::size_t first = m_attempt.position;
  const UdpOffload* const socket = m_packets[first].socket;
  while (first < m_packets.size() && m_packets[first].socket == socket &&
         m_results[first].outcome == Outcome::Unsent) {
    const std::size_t length = trainFrom(first);
    buildOne(m_messages[messages], m_controls[messages], first, length);
    m_lengths[messages++] = length;
    first += length;
  }
  return messages;
}

void PacketBatch::sendSome() TACTUS_REALTIME {
  const unsigned messages = build();
  ++m_systemCalls;
  const int taken = sendmmsg(m_packets[m_attempt.position].socket->socket(), m_messages.data(), messages,
                             MSG_DONTWAIT | MSG_NOSIGNAL);
  // After a part of them the kernel does not say what stopped it: the next call, which begins there, does.
  if (taken > 0) {
    sent(static_cast<std::size_t>(taken));
  } else {
    failed(taken == 0 ? EAGAIN : errno);
  }
}

void PacketBatch::sent(std::size_t messages) TACTUS_REALTIME {
  const std::size_t first = m_attempt.position;
  UdpOffload& socket = *m_packets[first].socket;
  // Refused as they were, granted otherwise: that is how this socket's datagrams go from now on.
  if (m_attempt.unmarkedBy) {
    socket.refuseMarks(*m_attempt.unmarkedBy);
    m_attempt.trainError = 0;  // the train was refused for its traffic class, too
  } else if (m_attempt.trainError != 0 && first < m_attempt.aloneUntil &&
             m_packets[first].bytes == m_attempt.trainSize) {
    socket.refuseSegments(m_attempt.trainSize, m_attempt.trainError);
    m_attempt.trainError = 0;
  }
  std::size_t datagrams = 0;
  for (std::size_t i = 0; i < messages; ++i) datagrams += m_lengths[i];
  for (std::size_t i = 0; i < datagrams; ++i) m_results[first + i] = {Outcome::Sent, 0};
  m_sent += datagrams;
  moveOn();
}

/// The first message was not sent.
void PacketBatch::failed(int error) TACTUS_REALTIME {
  if (error == EINTR) return;
  const SendResult result{outcomeOf(error), error};
  if (result.kept()) return keepAll(result);
  if (!m_attempt.second) {
    m_attempt.second = true;
    return;
  }
  m_attempt.second = false;
  const std::size_t first = m_attempt.position;
  const std::size_t length = m_lengths[0];
  if (length > 1 && refusesTrain(error)) {
    m_attempt.aloneUntil = first + length;
    m_attempt.trainSize = m_packets[first].bytes;
    m_attempt.trainError = error;
    return;
  }
  const bool marked = m_packets[first].trafficClass && m_packets[first].socket->marks();
  if (error == EINVAL && marked && !m_attempt.unmarkedBy) {
    m_attempt.unmarkedBy = error;
    return;
  }
  for (std::size_t i = 0; i < length; ++i) m_results[first + i] = result;
  moveOn();
}

/// This datagram and all later ones of its socket.
void PacketBatch::keepAll(SendResult result) TACTUS_REALTIME {
  const UdpOffload* const socket = m_packets[m_attempt.position].socket;
  for (std::size_t i = m_attempt.position; i < m_packets.size(); ++i)
    if (m_packets[i].socket == socket) m_results[i] = result;
  moveOn();
}

}  // namespace tactus::net
