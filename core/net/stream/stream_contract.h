// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/net/link/byte_regulator.h"
#include "core/net/link/link.h"
#include "core/net/link/link_class.h"
#include "core/net/stream/buffer_assembly.h"
#include "core/periodic/result.h"
#include "core/periodic/task/task_contract.h"
#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"

namespace tactus::net {

/// Which end of a stream a port is (RTSS 4.1): a read port receives, a write port sends.
enum class PortType : std::uint8_t { Read, Write };
inline constexpr std::array<std::string_view, 2> kPortTypes{"read", "write"};

/// What carries the buffers of a stream.
enum class TransportKind : std::uint8_t {
  Udp,
  Tcp,
  Local,  ///< shared memory of one machine
};
inline constexpr std::array<std::string_view, 3> kTransportKinds{"udp", "tcp", "local"};

/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr std::string_view nameOf(PortType type) noexcept {
  return kPortTypes[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr std::string_view nameOf(TransportKind kind) noexcept {
  return kTransportKinds[static_cast<std::size_t>(kind)];
}
/// The value of this name, as nameOf() gives it. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr std::optional<PortType> portTypeOf(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kPortTypes.size(); ++i)
    if (kPortTypes[i] == name) return static_cast<PortType>(i);
  return std::nullopt;
}
[[nodiscard]] constexpr std::optional<TransportKind> transportKindOf(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kTransportKinds.size(); ++i)
    if (kTransportKinds[i] == name) return static_cast<TransportKind>(i);
  return std::nullopt;
}

/// The quality of service of a stream (RTSS 4.1, RTSS_qos). Both ports of a stream have the same.
struct StreamContract {
  TransportKind transport = TransportKind::Udp;
  std::size_t largestBuffer = 0;            ///< bytes; 1 ... kLargestBuffer
  std::optional<periodic::Rate> rate = {};  ///< buffers a second; absent: as many as pass, best effort
  /// W of the LBAP: in any interval of duration t at most W + t * rate buffers. 1 ... kLargestWorkahead.
  std::uint32_t workahead = 1;
  /// CPU time of the data handler and the protocol for one buffer, a first guess that measurement replaces;
  /// 0: a twentieth of the period. At most one period.
  periodic::Duration processing{0};
  bool reliable = false;     ///< nothing that is late or incomplete is given up; not over UDP
  bool isochronous = false;  ///< the read handler is called once a period, not as soon as a buffer is whole
  /// Permissible deviation from the periodic instant, early or late; 0: one period. At most
  /// kLargestJitter periods, and an hour.
  periodic::Duration jitter{0};
  /// At most from the write handler to the read handler; 0: what latencyOf() says. At most a day.
  periodic::Duration latency{0};
  std::uint32_t toleratedLoss = 0;          ///< buffers in 10,000
  LinkClass linkClass = LinkClass::Stream;  ///< on the sender's link; without a rate it is bulk
  double weight = 1;                        ///< among the flows of its class
  /// To which the rate falls at most while the contract is violated; absent: a quarter of the rate.
  std::optional<periodic::Rate> leastRate = {};

  static constexpr std::uint32_t kLargestWorkahead = 64;
  static constexpr int kLargestJitter = 64;
  static constexpr std::uint32_t kLossUnit = 10'000;

  friend bool operator==(const StreamContract&, const StreamContract&) = default;
};

/// What stands for the period of a stream without a rate: a packet of sound.
inline constexpr periodic::Duration kPeriodWithoutRate = std::chrono::milliseconds(20);
/// Headers of a UDP datagram on the link, the stream's own not counted: Ethernet, IPv6 (IPv4 is less), UDP.
inline constexpr std::size_t kDatagramHeaders = 14 + 40 + 8;
/// A TCP segment in a full Ethernet frame: headers of Ethernet, IPv6 and TCP with timestamps, and the rest.
inline constexpr std::size_t kSegmentHeaders = 14 + 40 + 32;
inline constexpr std::size_t kSegmentPayload = 1500 - 40 - 32;

/// InvalidArgument with a sentence for the first field that is out of range or contradicts another.
/// All translations below are for valid contracts. Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] Result<void> validate(const StreamContract& contract);

/// 1/rate, or kPeriodWithoutRate. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] periodic::Duration periodOf(const StreamContract& contract) noexcept;
/// The longest period to which the default stretches it (RTSS 4.2): 1/leastRate, or 4/rate.
/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] periodic::Duration longestPeriodOf(const StreamContract& contract) noexcept;
/// The jitter that holds: the contract's, or one period. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] periodic::Duration jitterOf(const StreamContract& contract) noexcept;
/// The latency that holds: the contract's, or W + 1 periods and the jitter. The writer's and the reader's
/// task have one period each (the implicit deadline of rate-monotonic order, RTSS 4.2), a buffer made ahead
/// waits for up to W - 1 periods, and the network has the jitter. (RTSS sets one period, which two tasks with
/// one period each cannot promise.) Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] periodic::Duration latencyOf(const StreamContract& contract) noexcept;

/// What a buffer of `length` bytes puts on the link, all headers counted; 0 for a local transport.
/// Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] std::size_t bytesOnLinkOf(TransportKind transport, std::size_t length) noexcept;

/// What the port's thread, which calls the handler, asks of the processors (RTSS 4.3.1: T = 1/rate, C = the
/// processing time). LBAP of the rate and W; an isochronous reader has W = 1. The deadline is one period, or
/// where the jitter is less, the jitter and the processing time: then the handler begins within the jitter.
/// Without a rate the task is best effort. Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] periodic::TaskContract taskContractOf(const StreamContract& contract, PortType type,
                                                    std::string name);
/// What the stream asks of the sender's link (RTSS 4.3.2: buffer size times buffer rate), W buffers at once;
/// absent without a rate and for a local transport. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] std::optional<ByteContract> byteContractOf(const StreamContract& contract) noexcept;
/// The stream's flow on the sender's link; absent for a local transport. Bulk without a rate. A packet that
/// waits longer than the latency is given up, unless the stream is reliable. Thread-safe: yes (pure).
/// Real-time-safe: no (allocates).
[[nodiscard]] std::optional<FlowSpec> flowOf(const StreamContract& contract, std::string name);
/// How the reader puts pieces together. Over UDP the window holds the W buffers that may come at once, those
/// of one jitter, one that the handler has and one that begins. The other transports keep order, and what is
/// missing does not come: W buffers and the handler's; those of one jitter, too, where they wait here for the
/// instant at which they are due. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] AssemblyOptions assemblyOf(const StreamContract& contract) noexcept;
/// Bytes of memory that a port's end takes (RTSS 4.3.3), as bytesOf() of its class says. Over UDP a read port
/// has the kernel's buffer as well, which is to hold a window (the kernel may permit less), and a write port
/// what it takes with a link or without, whichever is more. A local write port has the ring, which both
/// share. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] std::size_t memoryOf(const StreamContract& contract, PortType type) noexcept;

}  // namespace tactus::net
