// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/net/descriptor.h"
#include "core/periodic/result.h"

namespace tactus::net {

/// Descriptors of one message.
inline constexpr std::size_t kMostDescriptors = 4;
/// Bytes of a message with descriptors: few enough that a socket takes all of them or none.
inline constexpr std::size_t kLongestMessage = 1024;

/// What came with receiveDescriptors().
struct ReceivedDescriptors {
  std::size_t bytes = 0;  ///< of the message
  std::vector<Descriptor> descriptors = {};
};

/// Sends `message` and copies of `descriptors` to the peer of `socket`, a connected Unix socket (unix(7),
/// SCM_RIGHTS): all of it or nothing. InvalidArgument: no message or one that is too long; no descriptors or
/// too many. Unavailable: the peer is gone. Timeout: the socket takes nothing now, and does not wait or has
/// waited as long as it may (SO_SNDTIMEO). System: else. Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<void> sendDescriptors(int socket, std::span<const std::byte> message,
                                           std::span<const int> descriptors);

/// Receives a message with exactly `count` descriptors; they are closed when a program is started in this
/// process. On a stream socket one call receives no more than what precedes the next descriptors, and may
/// receive a part of a message whose sender wants it so: the caller checks `bytes`.
/// Corrupt: another number of descriptors came (they are closed), or the message is longer than `into`.
/// Unavailable: the peer is gone. Timeout: nothing came, and the socket does not wait or has waited as long
/// as it may (SO_RCVTIMEO). InvalidArgument: `into` is empty, `count` is 0 or too large. System: else.
/// Thread-safe: yes. Real-time-safe: no.
[[nodiscard]] Result<ReceivedDescriptors> receiveDescriptors(int socket, std::span<std::byte> into,
                                                             std::size_t count);

}  // namespace tactus::net
