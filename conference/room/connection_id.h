// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace tactus::conference {

/// A connection to the host of a room, never used again within its run. Plain data.
struct ConnectionId {
  std::uint64_t value = 0;
  auto operator<=>(const ConnectionId&) const = default;
};

}  // namespace tactus::conference
