// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/net/descriptor.h"
#include "core/net/link/link_task.h"
#include "core/net/link/udp_address.h"
#include "core/net/stream/local_ring.h"
#include "core/net/stream/stream_contract.h"
#include "core/net/stream/stream_end.h"
#include "core/periodic/result.h"

namespace tactus::net {

/// What carries the data of a stream, as two hosts agree about it on the control connection:
///
///   udp    the reader binds a socket and says its port; the writer sends to the control peer's address
///   tcp    who asks connects once more with whoever answers, and says the session
///   local  the writer makes a ring, whose descriptors travel with its message
///
/// Thread-safe: no. Real-time-safe: no.
struct DataPath {
  Descriptor socket = {};                      ///< udp, tcp
  std::optional<UdpAddress> destination = {};  ///< udp, of a writer
  std::optional<LocalRing> ring = {};          ///< local

  /// This side's part, before the other's is known: a reader's socket, a writer's ring. `control` is
  /// connected. Errors: a local stream over a control connection that is not local (Unsupported); System.
  [[nodiscard]] static Result<DataPath> offer(const StreamContract& contract, PortType type, int control,
                                              bool isLocal);
  /// The other's part of it: the port at which a reader receives, a writer's ring.
  [[nodiscard]] Result<void> complete(const StreamContract& contract, PortType type, int control,
                                      std::uint16_t port, std::vector<Descriptor> ring);
  /// At which a port of this type receives datagrams; 0: it does not.
  [[nodiscard]] std::uint16_t port(const StreamContract& contract, PortType type) const noexcept;
  /// What a writer passes to the other side, before its end is made; none: nothing.
  [[nodiscard]] std::vector<int> descriptors() const;

  /// The end of a port of this type. The path is used up. Refused: by the link. `link`: nullptr for none.
  [[nodiscard]] Result<std::unique_ptr<SendingEnd>> sendingEnd(const StreamContract& contract, LinkTask* link,
                                                               const std::string& name);
  [[nodiscard]] Result<std::unique_ptr<ReceivingEnd>> receivingEnd(const StreamContract& contract,
                                                                   std::uint64_t session);
};

}  // namespace tactus::net
