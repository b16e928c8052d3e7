// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/standing_backlog.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>
#include <vector>

namespace tactus::media {
namespace {

constexpr std::size_t kPiece = 480, kSecond = 48'000;

/// A queue that is emptied by a piece each 10 ms, and filled in bursts; what is to be left out is left out.
class Queue {
 public:
  /// For so many pieces. Returns the least that waited.
  std::size_t run(std::size_t pieces, std::size_t burst) {
    std::size_t least = std::numeric_limits<std::size_t>::max();
    for (std::size_t i = 0; i < pieces; ++i) {
      m_due += kPiece;
      std::size_t came = 0;
      while (m_due >= burst) {
        m_due -= burst;
        came += burst;
      }
      least = std::min(least, step(came));
    }
    return least;
  }
  std::size_t step(std::size_t came) {
    const std::size_t out = std::min(came, m_out);
    m_out -= out;
    leftOut += out;
    m_out += m_backlog.passed(came - out, kPiece);
    return m_backlog.waits();
  }
  std::size_t leftOut = 0;

 private:
  StandingBacklog m_backlog{kPiece, kSecond};
  std::size_t m_due = 0, m_out = 0;
};

RC_GTEST_PROP(StandingBacklog, WhatCameBeforeItWasWantedIsGoneInTwoSecondsAndNothingElse, ()) {
  const auto burst = *rc::gen::inRange<std::size_t>(64, 2048);
  const auto early = *rc::gen::inRange<std::size_t>(0, 24'000);
  Queue queue;
  queue.step(early);
  queue.run(200, burst);
  RC_ASSERT(queue.run(100, burst) <= 2 * kPiece + burst % kPiece);
  const std::size_t leftOut = queue.leftOut;
  RC_ASSERT(leftOut <= early + kPiece + burst);
  queue.run(1000, burst);
  RC_ASSERT(queue.leftOut <= leftOut + kPiece);  // it is stable
}

TEST(StandingBacklog, BurstsAreNoBacklog) {
  Queue queue;
  queue.run(1000, 2048);
  EXPECT_EQ(queue.leftOut, 0U);
}

TEST(StandingBacklog, AClockThatIsFasterIsFollowed) {
  Queue queue;
  std::size_t most = 0;
  for (int i = 0; i < 60'000; ++i)
    most = std::max(most, queue.step(kPiece + (i % 100 == 0 ? 5 : 0)));  // 100 ppm
  EXPECT_LE(most, 4 * kPiece);
  EXPECT_GT(queue.leftOut, 0U);
}

}  // namespace
}  // namespace tactus::media
