// SPDX-License-Identifier: Apache-2.0
#include "tests/lab/bare_datagrams.h"

#include <netinet/in.h>
#include <netinet/udp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tactus::lab {
namespace {

constexpr std::size_t kPiece = 1400;
constexpr std::size_t kMostInTrain = 64, kLargestTrain = 65'507;
constexpr std::size_t kGatheredBytes = 64 << 10, kGatheredBuffers = 128;
constexpr std::size_t kTrainsAtOnce = 4, kTrainBytes = 65'536;

/// Before each piece.
struct PieceHeader {
  std::uint64_t buffer = 0;
  std::uint32_t piece = 0, pieces = 0;
  std::array<std::byte, 16> rest = {};
};
constexpr std::size_t kHeader = sizeof(PieceHeader);
static_assert(kHeader == 32);

constexpr std::size_t piecesOf(std::size_t size) {
  return (size + kPiece - 1) / kPiece;
}

using Control = std::array<std::byte, CMSG_SPACE(sizeof(int))>;

/// Buffers with the headers of their pieces, one datagram behind the other.
class Datagrams {
 public:
  Datagrams(std::size_t size, std::size_t buffers) {
    const auto pieces = static_cast<std::uint32_t>(piecesOf(size));
    m_memory.resize(buffers * (size + pieces * kHeader));
    std::size_t begin = 0;
    for (std::size_t i = 0; i < buffers; ++i) {
      for (std::uint32_t piece = 0; piece < pieces; ++piece) {
        const std::size_t bytes = kHeader + std::min(kPiece, size - piece * kPiece);
        const PieceHeader header{i, piece, pieces, {}};
        std::memcpy(m_memory.data() + begin, &header, sizeof header);
        m_parts.push_back({m_memory.data() + begin, bytes});
        begin += bytes;
      }
    }
  }
  [[nodiscard]] std::vector<iovec>& parts() noexcept { return m_parts; }
  /// The buffers become the next ones.
  void number(std::uint64_t first, std::size_t pieces) noexcept {
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
      const std::uint64_t buffer = first + i / pieces;
      std::memcpy(m_parts[i].iov_base, &buffer, sizeof buffer);
    }
  }

 private:
  std::vector<std::byte> m_memory;
  std::vector<iovec> m_parts;  // the datagrams
};

/// The messages that carry datagrams in trains: a shorter datagram ends one.
class Trains {
 public:
  explicit Trains(const std::vector<iovec>& datagrams) {
    std::vector<std::size_t> segments;
    std::size_t count = 0;
    for (const iovec& datagram : datagrams) {
      const bool goesOn =
          count > 0 && count < kMostInTrain && m_parts.back().iov_len % segments.back() == 0 &&
          datagram.iov_len <= segments.back() && m_parts.back().iov_len + datagram.iov_len <= kLargestTrain;
      if (goesOn) {
        m_parts.back().iov_len += datagram.iov_len;
        ++count;
      } else {
        m_parts.push_back(datagram);
        segments.push_back(datagram.iov_len);
        count = 1;
      }
    }
    m_controls.resize(m_parts.size());
    m_messages.resize(m_parts.size());
    for (std::size_t i = 0; i < m_parts.size(); ++i) prepare(i, segments[i]);
  }
  void send(int socket) noexcept {
    for (std::size_t i = 0; i < m_messages.size();) {
      const int sent =
          sendmmsg(socket, m_messages.data() + i, static_cast<unsigned>(m_messages.size() - i), 0);
      i += sent > 0 ? static_cast<std::size_t>(sent) : 1;  // what is refused is lost
    }
  }

 private:
  void prepare(std::size_t i, std::size_t segment) noexcept {
    msghdr& header = m_messages[i].msg_hdr;
    header.msg_iov = &m_parts[i];
    header.msg_iovlen = 1;
    if (m_parts[i].iov_len <= segment) return;
    header.msg_control = m_controls[i].data();
    header.msg_controllen = m_controls[i].size();
    cmsghdr* control = CMSG_FIRSTHDR(&header);
    control->cmsg_level = SOL_UDP;
    control->cmsg_type = UDP_SEGMENT;
    control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto value = static_cast<std::uint16_t>(segment);
    std::memcpy(CMSG_DATA(control), &value, sizeof value);
    header.msg_controllen = CMSG_SPACE(sizeof(std::uint16_t));
  }

  std::vector<iovec> m_parts;
  std::vector<Control> m_controls;
  std::vector<mmsghdr> m_messages;
};

/// Counts buffers of which all pieces came. The network keeps their order, or loses them.
class WholeBuffers {
 public:
  WholeBuffers(std::size_t size, TrialPage& page)
      : m_size(size), m_page(page), m_memory(piecesOf(size) * kPiece) {}
  /// Where the next piece belongs if nothing is lost.
  [[nodiscard]] std::byte* place() noexcept { return m_memory.data() + m_came % piecesOf(m_size) * kPiece; }
  void add(const PieceHeader& header, const std::byte* bytes, std::size_t size) noexcept {
    if (header.piece >= piecesOf(m_size) || header.pieces != piecesOf(m_size) || size > kPiece) return;
    if (header.buffer != m_number) {
      m_number = header.buffer;
      m_came = 0;
    }
    std::byte* place = m_memory.data() + header.piece * kPiece;
    if (place != bytes) std::memmove(place, bytes, size);
    if (++m_came == header.pieces) m_page.arrived.add(m_size);
  }

 private:
  const std::size_t m_size;
  TrialPage& m_page;
  std::vector<std::byte> m_memory;  // of a buffer
  std::uint64_t m_number = 0;
  std::size_t m_came = 0;  // pieces of it
};

void receiveSingles(int socket, WholeBuffers& buffers) {
  for (;;) {
    PieceHeader header;
    std::array<iovec, 2> parts{{{&header, sizeof header}, {buffers.place(), kPiece}}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t came = recvmsg(socket, &message, 0);
    if (came < static_cast<ssize_t>(kHeader)) continue;
    buffers.add(header, static_cast<const std::byte*>(parts[1].iov_base),
                static_cast<std::size_t>(came) - kHeader);
  }
}

/// How long the datagrams of a train are.
std::size_t segmentOf(const mmsghdr& message) {
  msghdr header = message.msg_hdr;
  for (cmsghdr* each = CMSG_FIRSTHDR(&header); each != nullptr; each = CMSG_NXTHDR(&header, each)) {
    int size = 0;
    if (each->cmsg_level == SOL_UDP && each->cmsg_type == UDP_GRO)
      std::memcpy(&size, CMSG_DATA(each), sizeof size);
    if (size > 0) return static_cast<std::size_t>(size);
  }
  return message.msg_len;
}

void cut(const std::byte* train, const mmsghdr& message, WholeBuffers& buffers) {
  const std::size_t segment = segmentOf(message);
  for (std::size_t at = 0; at + kHeader <= message.msg_len; at += segment) {
    PieceHeader header;
    std::memcpy(&header, train + at, sizeof header);
    buffers.add(header, train + at + kHeader, std::min(segment, message.msg_len - at) - kHeader);
  }
}

void receiveTrains(int socket, WholeBuffers& buffers) {
  std::vector<std::byte> memory(kTrainsAtOnce * kTrainBytes);
  std::array<iovec, kTrainsAtOnce> parts;
  std::array<Control, kTrainsAtOnce> controls;
  std::array<mmsghdr, kTrainsAtOnce> messages{};
  for (;;) {
    for (std::size_t i = 0; i < kTrainsAtOnce; ++i) {
      parts[i] = {memory.data() + i * kTrainBytes, kTrainBytes};
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
      messages[i].msg_hdr.msg_control = controls[i].data();
      messages[i].msg_hdr.msg_controllen = controls[i].size();
    }
    const int came = recvmmsg(socket, messages.data(), kTrainsAtOnce, MSG_WAITFORONE, nullptr);
    for (std::size_t i = 0; came > 0 && i < static_cast<std::size_t>(came); ++i)
      cut(memory.data() + i * kTrainBytes, messages[i], buffers);
  }
}

}  // namespace

bool holdDatagrams(int socket, std::size_t bytes) {
  const int wanted = static_cast<int>(bytes);
  int held = 0;
  socklen_t length = sizeof held;
  if (getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &held, &length) == 0 && held / 2 >= wanted) return true;
  return setsockopt(socket, SOL_SOCKET, SO_RCVBUFFORCE, &wanted, sizeof wanted) == 0 ||
         setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &wanted, sizeof wanted) == 0;
}

void sendDatagrams(int socket, std::size_t size, bool trains, TrialPage& page) {
  const std::size_t buffers =
      trains ? std::clamp<std::size_t>(kGatheredBytes / size, 1, kGatheredBuffers) : 1;
  Datagrams datagrams(size, buffers);
  Trains gathered(datagrams.parts());
  for (std::uint64_t number = 0;; number += buffers) {
    datagrams.number(number, piecesOf(size));
    if (trains) {
      gathered.send(socket);
    } else {
      for (const iovec& each : datagrams.parts()) (void)!send(socket, each.iov_base, each.iov_len, 0);
    }
    for (std::size_t i = 0; i < buffers; ++i) page.sent.add(size);
  }
}

void receiveDatagrams(int socket, std::size_t size, bool trains, TrialPage& page) {
  WholeBuffers buffers(size, page);
  const int on = 1;
  if (trains && setsockopt(socket, SOL_UDP, UDP_GRO, &on, sizeof on) == 0)
    return receiveTrains(socket, buffers);
  receiveSingles(socket, buffers);
}

}  // namespace tactus::lab
