// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/record_order.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace tactus::net {
namespace {

StreamHeader number(std::uint32_t value) {
  return {.number = value, .length = 10};
}

bool take(RecordOrder& order, std::uint32_t value) {
  const bool accepted = order.accept(number(value));
  order.release();
  return accepted;
}

TEST(RecordOrder, NumbersFollowOneAnotherUntilTheEnd) {
  RecordOrder order(true);
  EXPECT_TRUE(take(order, 0));
  EXPECT_TRUE(take(order, 1));
  EXPECT_TRUE(order.accept({.number = 2, .end = true}));
  EXPECT_TRUE(order.isHeld());
  order.release();
  EXPECT_TRUE(order.hasEnded());
  order.closed(false);
  order.failed(ECONNRESET);
  order.malformed(WireFault::Magic);
  EXPECT_FALSE(order.broken()) << "after the end nothing counts";
  EXPECT_FALSE(take(order, 3));
  EXPECT_EQ(order.figures(), (AssemblyFigures{.whole = 3}));
}

TEST(RecordOrder, AReliableStreamLeavesNothingOut) {
  RecordOrder order(true);
  EXPECT_TRUE(take(order, 0));
  EXPECT_FALSE(take(order, 2));
  EXPECT_EQ(order.broken()->sentence, "The peer left out buffer 1.");
  EXPECT_FALSE(take(order, 1)) << "it is broken for good";
  EXPECT_EQ(order.figures(), (AssemblyFigures{.whole = 1}));
}

TEST(RecordOrder, WhatAnotherStreamLeavesOutIsLost) {
  RecordOrder order(false);
  EXPECT_TRUE(take(order, 2));
  EXPECT_TRUE(take(order, 3));
  EXPECT_TRUE(take(order, 7));
  EXPECT_EQ(order.figures(), (AssemblyFigures{.whole = 3, .lost = 5}));
  EXPECT_FALSE(take(order, 7));
  EXPECT_EQ(order.broken()->sentence, "The peer sent buffer 7 where buffer 8 was due.");
}

TEST(RecordOrder, NumbersWrap) {
  RecordOrder order(false);
  EXPECT_TRUE(take(order, INT32_MAX));
  EXPECT_TRUE(take(order, UINT32_MAX));
  EXPECT_TRUE(take(order, 0));
  EXPECT_EQ(order.figures().lost, std::uint64_t{2} * INT32_MAX);
}

TEST(RecordOrder, SaysWhyNothingMoreComes) {
  const auto sentence = [](auto what) {
    RecordOrder order(true);
    (void)take(order, 0);
    what(order);
    what(order);
    EXPECT_TRUE(order.isBroken());
    return order.broken()->sentence;
  };
  EXPECT_EQ(sentence([](RecordOrder& order) { order.closed(false); }),
            "The peer closed the stream before its end: buffer 1 was due.");
  EXPECT_EQ(sentence([](RecordOrder& order) { order.closed(true); }),
            "The peer closed the stream inside buffer 1.");
  EXPECT_EQ(sentence([](RecordOrder& order) { order.malformed(WireFault::Session); }),
            "The peer sent what is no buffer of this stream (session).");
  EXPECT_EQ(sentence([](RecordOrder& order) { order.failed(ETIMEDOUT); }),
            "The connection failed: Connection timed out.");
  EXPECT_EQ(sentence([](RecordOrder& order) { order.corrupt(); }),
            "The peer wrote into the shared memory what no stream writes.");
}

}  // namespace
}  // namespace tactus::net
