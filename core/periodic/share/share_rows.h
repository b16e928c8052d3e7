// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "core/periodic/share/share_spec.h"

namespace tactus::periodic {

/// A node of a share tree as it is shown.
struct ShareRow {
  ShareNode node = ShareNode::None;
  std::string path = {};                 ///< "/stream/film"
  int depth = 0;                         ///< of the root: 0
  std::optional<ShareOrder> order = {};  ///< of the children; absent: a queue
  double weight = 1;
  std::int32_t priority = 0;
  std::optional<double> share = {};  ///< of its parent (0 to 1) while all siblings have requests; absent: the
                                     ///< parent does not go by weight
  std::size_t waiting = 0;           ///< requests in the node's queues
  bool runnable = false;             ///< its parent may choose it
  bool suspended = false;            ///< itself
  double served = 0;                 ///< sum of the costs charged
};

/// One line for each row, in columns (QLinux, table 2, hsfq_link_status). Thread-safe: yes (pure).
/// Real-time-safe: no (allocates).
[[nodiscard]] std::string linesOf(std::span<const ShareRow> rows);

}  // namespace tactus::periodic
