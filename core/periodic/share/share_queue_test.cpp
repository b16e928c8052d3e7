// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/share/share_queue.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace tactus::periodic {
namespace {

std::vector<const ShareRequest*> drain(ShareQueue& queue) {
  std::vector<const ShareRequest*> order;
  while (ShareRequest* first = queue.first()) {
    order.push_back(first);
    queue.remove(*first);
  }
  return order;
}

TEST(ShareQueueTest, RequestsLeaveInTheOrderOfTheirArrival) {
  std::array<ShareRequest, 3> requests;
  ShareQueue queue;
  for (std::uint64_t i = 0; i < 3; ++i) queue.append(requests[i], i);
  EXPECT_EQ(queue.length(), 3u);
  EXPECT_EQ(drain(queue), (std::vector<const ShareRequest*>{&requests[0], &requests[1], &requests[2]}));
  EXPECT_EQ(queue.length(), 0u);
}

TEST(ShareQueueTest, ARequestLeavesFromTheFrontTheMiddleAndTheEnd) {
  std::array<ShareRequest, 5> requests;
  ShareQueue queue;
  for (std::uint64_t i = 0; i < 5; ++i) queue.append(requests[i], i);
  queue.remove(requests[2]);
  queue.remove(requests[0]);
  queue.remove(requests[4]);
  EXPECT_FALSE(requests[2].waits());
  EXPECT_TRUE(requests[3].waits());
  queue.append(requests[2], 5);
  EXPECT_EQ(drain(queue), (std::vector<const ShareRequest*>{&requests[1], &requests[3], &requests[2]}));
}

TEST(ShareQueueTest, AQueueThatGoesLetsItsRequestsGo) {
  ShareRequest request;
  {
    ShareQueue queue;
    queue.append(request, 0);
    EXPECT_EQ(ShareQueue::queueOf(request), &queue);
  }
  EXPECT_FALSE(request.waits());
}

}  // namespace
}  // namespace tactus::periodic
