// SPDX-License-Identifier: Apache-2.0
#pragma once

// For the tests of the UDP ends on the loopback device. Nothing depends on how fast a thread answers.

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/link/link_task_fixture.h"
#include "core/net/link/packet_batch_fixture.h"
#include "core/net/stream/buffer_assembly_fixture.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"
#include "core/net/stream/udp_receiving_end.h"
#include "core/net/stream/udp_sending_end.h"

namespace tactus::net {

inline constexpr std::uint64_t kTestSession = 0x1234'5678'9abc'def0;

/// A best-effort stream whose buffers are of use for an hour, and whose reader waits a second for what
/// another processor's queue of the loopback device overtook.
inline StreamContract patientContract(std::size_t largest, std::uint32_t workahead = 1) {
  StreamContract contract;
  contract.largestBuffer = largest;
  contract.workahead = workahead;
  contract.latency = std::chrono::hours(1);
  contract.jitter = StreamContract::kLargestJitter * periodOf(contract);
  return contract;
}

/// A socket on the loopback device.
inline Descriptor loopbackSocket() {
  Descriptor made(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const UdpAddress any = addressOf("127.0.0.1", 0);
  EXPECT_EQ(bind(made.get(), any.get(), any.length()), 0);
  return made;
}
/// The same for IPv6; none: there is no IPv6.
inline Descriptor loopbackSocketV6() {
  Descriptor made(socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const UdpAddress any = addressOf("::1", 0);
  if (!made || bind(made.get(), any.get(), any.length()) != 0) return {};
  return made;
}
inline UdpAddress addressOf(const Descriptor& socket) {
  sockaddr_in6 name{};
  socklen_t length = sizeof name;
  getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &length);
  return UdpAddress::from(reinterpret_cast<const sockaddr*>(&name), length).value();
}

inline std::unique_ptr<UdpReceivingEnd> receivingEnd(Descriptor socket, const StreamContract& contract,
                                                     UdpInbox::Trains trains = UdpInbox::Trains::IfGranted) {
  return UdpReceivingEnd::create(std::move(socket), kTestSession, contract, trains).value();
}

/// Waits for what the ends name, as a port does it. A minute without it is a failure.
inline void waitFor(std::initializer_list<EndWait> waits) {
  constexpr auto kAtMost = std::chrono::minutes(1);
  std::vector<pollfd> descriptors;
  periodic::TimePoint until = periodic::TimePoint::max();
  for (const EndWait& each : waits) {
    until = std::min(until, each.until);
    if (each.descriptor >= 0) descriptors.push_back({each.descriptor, each.events, 0});
  }
  ASSERT_TRUE(!descriptors.empty() || until != periodic::TimePoint::max()) << "nothing to wait for";
  const periodic::TimePoint now = periodic::MonotonicClock::now();
  const bool patient = until > now + kAtMost;
  const auto limit = std::chrono::ceil<std::chrono::milliseconds>(
      std::clamp<periodic::Duration>(patient ? kAtMost : until - now, periodic::Duration::zero(), kAtMost));
  const int ready = poll(descriptors.data(), descriptors.size(), static_cast<int>(limit.count()));
  ASSERT_TRUE(ready > 0 || (ready == 0 && !patient)) << "what it waits for does not come";
}

/// Fills the next buffer and sends it; false: no room.
inline bool sendBuffer(SendingEnd& end, std::uint32_t number, std::size_t length) {
  const auto room = end.room();
  if (room.empty()) return false;
  const auto content = contentOf(number, length);
  std::copy(content.begin(), content.end(), room.begin());
  end.send({.number = number,
            .session = kTestSession,
            .length = static_cast<std::uint32_t>(length),
            .offset = 0,
            .made = periodic::MonotonicClock::now().time_since_epoch(),
            .end = length == 0});
  return true;
}

/// What a reader got.
struct Received {
  std::vector<std::uint32_t> numbers = {};
  std::vector<std::size_t> lengths = {};
  bool end = false;
};

/// Takes all that is there; a buffer with other bytes than it was sent with fails the test.
inline void receiveBuffers(ReceivingEnd& end, Received& into) {
  const periodic::TimePoint now = periodic::MonotonicClock::now();
  end.receive(now);
  while (const auto buffer = end.next(now)) {
    EXPECT_TRUE(sameBytes(buffer->bytes, contentOf(buffer->number, buffer->bytes.size()))) << buffer->number;
    into.numbers.push_back(buffer->number);
    into.lengths.push_back(buffer->bytes.size());
    into.end = into.end || buffer->end;
    end.release();
  }
}

/// Sends buffers of these lengths and receives them all. No more are on their way than the kernel holds.
inline Received transfer(SendingEnd& from, ReceivingEnd& to, const std::vector<std::size_t>& lengths) {
  constexpr std::size_t kMostBuffers = 64, kMostBytes = 70'000;
  Received received;
  std::size_t sent = 0, bytes = 0;
  while (received.numbers.size() < lengths.size() && !testing::Test::HasFatalFailure()) {
    const std::size_t before = received.numbers.size();
    for (; sent < lengths.size() && sent < before + kMostBuffers && bytes < kMostBytes; ++sent) {
      if (!sendBuffer(from, static_cast<std::uint32_t>(sent), lengths[sent])) break;
      bytes += lengths[sent];
    }
    from.flush();
    receiveBuffers(to, received);
    for (std::size_t i = before; i < received.numbers.size(); ++i) bytes -= received.lengths[i];
    if (received.numbers.size() == before) waitFor({from.wait(), to.wait()});
  }
  return received;
}

/// Waits until all that was sent has left, or was given up.
inline void drain(SendingEnd& end) {
  for (end.flush(); !end.isEmpty() && !testing::Test::HasFatalFailure(); end.flush()) waitFor({end.wait()});
}

inline std::vector<std::uint32_t> numbersUpTo(std::size_t count) {
  std::vector<std::uint32_t> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i);
  return numbers;
}

}  // namespace tactus::net
