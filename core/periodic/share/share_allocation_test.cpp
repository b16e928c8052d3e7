// SPDX-License-Identifier: Apache-2.0
// The calls that say they are real-time-safe allocate nothing. A program of its own: it counts allocations.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/periodic/share/share_tree.h"
#include "core/periodic/simulation/counted_allocations.h"

namespace tactus::periodic {
namespace {

constexpr std::size_t kQueues = 40;
constexpr std::size_t kRequests = 4;  // for each queue

TEST(ShareAllocationTest, TheRealTimeCallsAllocateNothing) {
  std::array<ShareRequest, kQueues * kRequests> requests;
  ShareTree tree;
  std::array<ShareNode, kQueues> queues{};
  const std::array orders{ShareOrder::Fair, ShareOrder::Strict, ShareOrder::Deadline, ShareOrder::Arrival};
  std::array<ShareNode, 4> inner{};
  for (std::size_t i = 0; i < inner.size(); ++i)
    inner[i] = tree.make(tree.root(), std::to_string(i), {orders[i], 1, 0}).value();
  for (std::size_t i = 0; i < kQueues; ++i)
    queues[i] = tree.make(inner[i % 4], std::to_string(i), {}).value();
  // Moved nodes have their room, too.
  for (std::size_t i = 0; i < kQueues; i += 5) ASSERT_TRUE(tree.move(queues[i], inner[(i + 1) % 4]).ok());

  const std::uint64_t before = allocationsOfThisThread();
  std::size_t served = 0;
  bool ok = true;
  for (int round = 0; round < 10; ++round) {
    for (std::size_t i = 0; i < requests.size(); ++i) tree.enqueue(queues[i % kQueues], requests[i]);
    for (std::size_t i = 0; i < requests.size(); i += 7) tree.drop(requests[i]);
    tree.suspend(inner[0]);
    ok = ok && tree.setWeight(inner[1], 1 + round).ok() && tree.setPriority(queues[1], round).ok();
    for (int i = 0; i < 20; ++i) {
      const auto taken = tree.take();
      ok = ok && taken.has_value();
      if (taken) tree.charge(taken->queue, 2e9);  // so much that tags go back to 0
    }
    tree.resume(inner[0]);
    for (auto taken = tree.take(); taken; taken = tree.take(), ++served) tree.charge(taken->queue, 1);
    ok = ok && tree.next() == nullptr && tree.first(queues[0]) == nullptr && tree.length(queues[0]) == 0;
  }
  EXPECT_EQ(allocationsOfThisThread() - before, 0u);
  EXPECT_TRUE(ok);
  EXPECT_EQ(served, 10 * (requests.size() - 23 - 20));
  const auto rows = tree.rows();
  EXPECT_GT(allocationsOfThisThread(), before) << "allocations are not counted";
}

}  // namespace
}  // namespace tactus::periodic
