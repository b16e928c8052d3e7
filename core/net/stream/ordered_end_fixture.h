// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of the ends whose transport keeps order.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/link/link_task_fixture.h"
#include "core/net/stream/local_ring_fixture.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"

namespace tactus::net::ordered {

inline constexpr std::uint64_t kTestSession = 0x5e551011;

inline periodic::TimePoint now() {
  return periodic::MonotonicClock::now();
}

/// Waits for one of `all`, as long as it may take. False: nothing came.
inline bool waitForAny(std::initializer_list<EndWait> all) {
  std::vector<pollfd> waited;
  const auto instant = now();
  auto until = instant + std::chrono::milliseconds(kPatience);
  bool ends = false;
  for (const EndWait& each : all) {
    if (each.descriptor >= 0) waited.push_back({each.descriptor, each.events, 0});
    ends = ends || each.until < until;
    until = std::min(until, each.until);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(std::max(until, instant) - instant);
  return poll(waited.data(), waited.size(), static_cast<int>(left.count())) > 0 || ends;
}

/// Two connected sockets on the loopback device.
inline std::pair<Descriptor, Descriptor> tcpPair() {
  const Descriptor listener(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in own{};
  own.sin_family = AF_INET;
  own.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof own;
  auto* address = reinterpret_cast<sockaddr*>(&own);
  Descriptor one(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (bind(listener.get(), address, length) != 0 || listen(listener.get(), 1) != 0 ||
      getsockname(listener.get(), address, &length) != 0 || connect(one.get(), address, length) != 0)
    return {};
  return {std::move(one), Descriptor(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC))};
}

inline StreamContract contractOf(TransportKind transport, std::size_t largest, bool reliable = true) {
  StreamContract contract;
  contract.transport = transport;
  contract.largestBuffer = largest;
  contract.workahead = 2;
  contract.reliable = reliable;
  return contract;
}

inline StreamHeader headerOf(std::uint32_t number, std::size_t length) {
  return {.number = number,
          .session = kTestSession,
          .length = static_cast<std::uint32_t>(length),
          .made = std::chrono::seconds(1) + periodic::Duration(number),
          .end = length == 0};
}

/// Sends buffer `number`, whose bytes follow from the number. False: there is no room.
inline bool sendBuffer(SendingEnd& end, std::uint32_t number, std::size_t length) {
  const auto room = end.room();
  if (room.size() < length) return false;
  fillRecord(room.first(length), number);
  end.send(headerOf(number, length));
  return true;
}

/// Sends buffers of these lengths and then the end, as there is room.
class Writer {
 public:
  Writer(SendingEnd& end, std::vector<std::size_t> lengths) : m_end(end), m_lengths(std::move(lengths)) {}
  void go() {
    m_end.flush();
    while (m_number < m_lengths.size() && sendBuffer(m_end, m_number, m_lengths[m_number])) ++m_number;
    if (m_number == m_lengths.size()) m_end.send(headerOf(m_number++, 0));
    m_end.flush();
  }
  [[nodiscard]] bool done() const { return m_number > m_lengths.size() && m_end.isEmpty(); }
  [[nodiscard]] EndWait wait() const { return m_end.wait(); }

 private:
  SendingEnd& m_end;
  std::vector<std::size_t> m_lengths;
  std::uint32_t m_number = 0;
};

/// Takes buffers, and compares them with what a Writer of the same lengths sends.
class Reader {
 public:
  Reader(ReceivingEnd& end, std::vector<std::size_t> lengths) : m_end(end), m_lengths(std::move(lengths)) {}
  void go() {
    m_end.receive(now());
    while (const auto buffer = m_end.next(now())) {
      const std::size_t length = m_number < m_lengths.size() ? m_lengths[m_number] : 0;
      const auto expected = headerOf(m_number, length);
      if (buffer->number == m_number && buffer->made == expected.made && buffer->end == expected.end &&
          buffer->bytes.size() == length && isRecord(buffer->bytes, m_number))
        ++m_right;
      m_ended = m_ended || buffer->end;
      ++m_number;
      m_end.release();
    }
  }
  [[nodiscard]] bool done() const { return m_ended; }
  /// Buffers that were right and at their place, the end included.
  [[nodiscard]] std::size_t right() const { return m_right; }
  [[nodiscard]] EndWait wait() const { return m_end.wait(); }

 private:
  ReceivingEnd& m_end;
  std::vector<std::size_t> m_lengths;
  std::uint32_t m_number = 0;
  std::size_t m_right = 0;
  bool m_ended = false;
};

/// Carries buffers of these lengths and the end in one thread; returns how many came as they were.
inline std::size_t carry(SendingEnd& from, ReceivingEnd& to, const std::vector<std::size_t>& lengths) {
  Writer writer(from, lengths);
  Reader reader(to, lengths);
  for (;;) {
    writer.go();
    reader.go();
    if (reader.done() || from.broken() || to.broken()) break;
    if (!waitForAny({writer.wait(), reader.wait()})) break;
  }
  return reader.right();
}

}  // namespace tactus::net::ordered
