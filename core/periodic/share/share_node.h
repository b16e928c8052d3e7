// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to the share tree.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/periodic/share/share_clock.h"
#include "core/periodic/share/share_heap.h"
#include "core/periodic/share/share_tree.h"

namespace tactus::periodic {

/// A node. An inner node's heap holds its runnable children, also while one of them is in service: a child
/// leaves it when it has no request left, or is suspended. Invariant between calls: `next` and the heaps are
/// up to date.
struct ShareTree::Node : ShareQueue {
  /// Whether a child is chosen before another. Arrival numbers are unique: there are no ties.
  struct Before {
    ShareOrder order;
    [[nodiscard]] bool operator()(const Node& a, const Node& b) const noexcept {
      switch (order) {
        case ShareOrder::Fair:
          if (a.tags.start != b.tags.start) return a.tags.start < b.tags.start;
          break;
        case ShareOrder::Strict:
          if (a.priority != b.priority) return a.priority < b.priority;
          break;
        case ShareOrder::Deadline:
          if (a.next->deadline != b.next->deadline) return a.next->deadline < b.next->deadline;
          break;
        case ShareOrder::Arrival:
          break;
      }
      return arrivalOf(*a.next) < arrivalOf(*b.next);
    }
  };

  Node(ShareNode handle, std::string_view called, const ShareSpec& spec)
      : id(handle),
        name(called),
        order(spec.order),
        weight(spec.weight),
        priority(spec.priority),
        runnable(Before{spec.order.value_or(ShareOrder::Fair)}) {}

  [[nodiscard]] bool isQueue() const noexcept { return !order; }
  [[nodiscard]] bool isFair() const noexcept { return order == ShareOrder::Fair; }
  /// Whether its parent may choose it.
  [[nodiscard]] bool isRunnable() const noexcept { return next != nullptr && !suspended; }
  /// Whether none of its children is runnable or in service.
  [[nodiscard]] bool isIdle() const noexcept { return runnable.isEmpty() && !inService; }

  const ShareNode id;
  const std::string name;
  const std::optional<ShareOrder> order;  // of the children; absent: a queue
  double weight;
  std::int32_t priority;
  bool suspended = false;
  double served = 0;

  Node* parent = nullptr;
  std::vector<Node*> children = {};  // by age
  ShareHeap<Node, Before> runnable;  // children
  ShareClock clock = {};             // of the children, if isFair()

  ShareHeapPlace place = {};           // in the parent's `runnable`
  ShareTags tags = {};                 // under a `Fair` parent
  const ShareRequest* next = nullptr;  // the request that it gives next; nullptr: none below it may be served

  bool inService = false;  // on the path of the request in service
  Node* payer = nullptr;   // while in service: the parent through which the request was taken
};

}  // namespace tactus::periodic
