// SPDX-License-Identifier: Apache-2.0
#pragma once

// For tests of the share tree.

#include <gtest/gtest.h>

#include <deque>
#include <string>

#include "core/periodic/share/share_tree.h"

namespace tactus::periodic {

struct SharePacket : ShareRequest {
  SharePacket(char from, double bytes, TimePoint due) noexcept
      : ShareRequest(due), label(from), cost(bytes) {}
  char label;
  double cost;
};

/// A tree, packets and a server that is driven by hand.
class ShareTreeFixture : public testing::Test {
 protected:
  ShareNode inner(ShareNode parent, std::string_view name, ShareOrder order, double weight = 1,
                  std::int32_t priority = 0) {
    return tree.make(parent, name, {order, weight, priority}).value();
  }
  ShareNode queue(ShareNode parent, std::string_view name, double weight = 1, std::int32_t priority = 0) {
    return tree.make(parent, name, {std::nullopt, weight, priority}).value();
  }
  /// `count` packets of a queue that are called `label`.
  SharePacket& send(ShareNode into, char label, int count = 1, double cost = 1, TimePoint due = {}) {
    for (int i = 0; i < count; ++i) {
      packets.emplace_back(label, cost, due);
      tree.enqueue(into, packets.back());
    }
    return packets.back();
  }
  /// Labels of the next packets in the order of their service; '-': nothing may be served.
  std::string serve(int count) {
    std::string order;
    for (int i = 0; i < count; ++i) {
      const auto taken = tree.take();
      if (!taken) {
        order += '-';
        continue;
      }
      const auto& packet = static_cast<const SharePacket&>(*taken->request);
      tree.charge(taken->queue, packet.cost);
      order += packet.label;
    }
    return order;
  }
  double served(ShareNode node) const {
    for (const auto& row : tree.rows())
      if (row.node == node) return row.served;
    return -1;
  }

  std::deque<SharePacket> packets;
  ShareTree tree;
  const ShareNode root = tree.root();
};

}  // namespace tactus::periodic
