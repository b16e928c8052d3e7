// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace tactus::periodic {

/// A node of one share tree, until it is removed; a handle is not given to another node. `None` is never
/// valid.
enum class ShareNode : std::uint32_t { None = 0 };

/// How an inner node chooses among its runnable children. Equals: the child whose next request arrived first.
enum class ShareOrder {
  Fair,      ///< by weight: smallest start tag first (SFQ)
  Strict,    ///< smallest priority number first
  Deadline,  ///< earliest deadline of the first request; the children are queues
  Arrival,   ///< earliest arrival of the first request (FIFO); the children are queues
};

[[nodiscard]] constexpr std::string_view nameOf(ShareOrder order) noexcept {
  switch (order) {
    case ShareOrder::Fair:
      return "fair";
    case ShareOrder::Strict:
      return "strict";
    case ShareOrder::Deadline:
      return "deadline";
    case ShareOrder::Arrival:
      return "arrival";
  }
  return "";
}

/// Weights of share tree nodes. The range keeps quotients of a cost and a weight finite.
inline constexpr double kLeastShareWeight = 1e-9;
inline constexpr double kLargestShareWeight = 1e12;

/// What a new node is.
struct ShareSpec {
  std::optional<ShareOrder> order;  ///< of the children; absent: the node is a queue
  double weight = 1;          ///< kLeastShareWeight ... kLargestShareWeight; counts under a `Fair` parent
  std::int32_t priority = 0;  ///< smaller is more urgent; counts under a `Strict` parent
};

}  // namespace tactus::periodic
