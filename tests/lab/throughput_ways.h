// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/net/stream/stream_contract.h"
#include "tests/lab/throughput_trial.h"

namespace tactus::lab {

/// A way of ours, or another that is run beside it.
struct ComparedWay {
  ThroughputWay way;
  net::TransportKind transport = net::TransportKind::Tcp;  ///< of ours, with which it is compared
  enum class Kind { Ours, Socket, Rpc } kind = Kind::Ours;
  std::string row = {};  ///< of a socket: over what ours is compared with it
};

/// All ways that this build has: ours over TCP, UDP and locally, bare sockets, and the RPC systems whose
/// programs lie beside this one. `absent`: gets the names of the others.
[[nodiscard]] std::vector<ComparedWay> comparedWays(std::vector<std::string>& absent);

}  // namespace tactus::lab
