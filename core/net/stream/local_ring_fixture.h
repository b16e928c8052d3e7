// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/stream/local_ring.h"

namespace tactus::net {

inline constexpr int kPatience = 60'000;  // ms; what comes at all comes within

/// A descriptor of our own for what `descriptor` is of.
inline Descriptor copyOf(int descriptor) {
  return Descriptor(fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
}

/// What a peer would have received.
inline std::vector<Descriptor> copiesOf(const LocalRing& ring) {
  std::vector<Descriptor> copies;
  for (const int each : ring.descriptors()) copies.push_back(copyOf(each));
  return copies;
}

inline std::pair<Descriptor, Descriptor> socketPair(int type) {
  std::array<int, 2> pair{-1, -1};
  socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, pair.data());
  return {Descriptor(pair[0]), Descriptor(pair[1])};
}

/// Waits until `descriptor` is readable, `longest` ms.
inline bool readable(int descriptor, int longest = kPatience) {
  pollfd waited{descriptor, POLLIN, 0};
  return poll(&waited, 1, longest) == 1;
}

/// Record `number` of a test's stream: its bytes follow from the number, its size is the caller's.
inline void fillRecord(std::span<std::byte> record, std::uint64_t number) {
  std::uint64_t state = number * 0x9e3779b97f4a7c15 + record.size();
  for (std::byte& each : record) {
    state += state >> 7 ^ 0x5bd1e995;
    each = static_cast<std::byte>(state);
  }
}

inline bool isRecord(std::span<const std::byte> record, std::uint64_t number) {
  std::vector<std::byte> expected(record.size());
  fillRecord(expected, number);
  return std::equal(record.begin(), record.end(), expected.begin());
}

}  // namespace tactus::net
