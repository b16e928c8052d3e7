// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/unseen_spans.h"

#include <gtest/gtest.h>

#include <chrono>

namespace tactus::net {
namespace {

using namespace std::chrono_literals;
using periodic::TimePoint;

TEST(UnseenSpans, RemembersTheLastInstantsAndForgetsTheOldest) {
  UnseenSpans spans(3);
  EXPECT_EQ(spans.of(TimePoint(1s)), 0ns);
  for (int i = 1; i <= 4; ++i) spans.note(TimePoint(1s * i), 1ms * i);
  EXPECT_EQ(spans.of(TimePoint(1s)), 0ns);
  EXPECT_EQ(spans.of(TimePoint(2s)), 2ms);
  EXPECT_EQ(spans.of(TimePoint(3s)), 3ms);
  EXPECT_EQ(spans.of(TimePoint(4s)), 4ms);
  EXPECT_EQ(spans.of(TimePoint(4s + 1ns)), 0ns);
}

}  // namespace
}  // namespace tactus::net
