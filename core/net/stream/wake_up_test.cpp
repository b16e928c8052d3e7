// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/wake_up.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <mqueue.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/net/stream/local_ring_fixture.h"

namespace tactus::net {
namespace {

TEST(WakeUp, IsReadableFromRaiseToClear) {
  const auto made = WakeUp::create();
  ASSERT_TRUE(made.ok()) << made.error().message;
  const WakeUp wakeUp(made.value().get());
  EXPECT_FALSE(readable(wakeUp.descriptor(), 0));
  for (int i = 0; i < 3; ++i) {
    wakeUp.raise();
    EXPECT_TRUE(readable(wakeUp.descriptor(), 0));
    EXPECT_TRUE(readable(wakeUp.descriptor(), 0)) << "until it is cleared";
    wakeUp.clear();
    EXPECT_FALSE(readable(wakeUp.descriptor(), 0));
  }
}

TEST(WakeUp, IsRaisedOrNotHoweverOften) {
  const auto made = WakeUp::create();
  ASSERT_TRUE(made.ok()) << made.error().message;
  const WakeUp wakeUp(made.value().get());
  for (int i = 0; i < 100; ++i) wakeUp.raise();
  wakeUp.clear();
  EXPECT_FALSE(readable(wakeUp.descriptor(), 0));
  for (int i = 0; i < 100; ++i) wakeUp.clear();
  wakeUp.raise();
  EXPECT_TRUE(readable(wakeUp.descriptor(), 0));
}

TEST(WakeUp, AProcessMayHaveMany) {
  std::vector<Descriptor> many;
  for (int i = 0; i < 20; ++i) {
    auto made = WakeUp::create();
    ASSERT_TRUE(made.ok()) << made.error().message;
    many.push_back(std::move(made).value());
  }
  WakeUp(many[7].get()).raise();
  for (const Descriptor& each : many) EXPECT_EQ(readable(each.get(), 0), each.get() == many[7].get());
}

TEST(WakeUp, ANameThatAnotherProcessLeftIsNotTaken) {
  const std::string name = "/tactus-" + std::to_string(getpid()) + "-0";
  const Descriptor left(
      mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR, nullptr));
  ASSERT_TRUE(left) << std::strerror(errno);
  const auto made = WakeUp::create();
  EXPECT_EQ(mq_unlink(name.c_str()), 0);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(WakeUp::check(made.value()).ok());
  EXPECT_FALSE(WakeUp::check(left).ok());
}

TEST(WakeUp, ACopyThatWaitsDoesNotMakeOursWait) {
  const auto made = WakeUp::create();
  ASSERT_TRUE(made.ok()) << made.error().message;
  const Descriptor peers = copyOf(made.value().get());
  ASSERT_EQ(fcntl(peers.get(), F_SETFL, 0), 0);  // it is the same flag
  ASSERT_EQ(fcntl(made.value().get(), F_GETFL) & O_NONBLOCK, 0);
  const WakeUp wakeUp(made.value().get());
  for (int i = 0; i < 3; ++i) {
    wakeUp.clear();
    wakeUp.clear();
    wakeUp.raise();
    wakeUp.raise();
    EXPECT_TRUE(readable(peers.get(), 0));
  }
}

TEST(WakeUp, WhatIsNoQueueOfOneByteIsRefused) {
  EXPECT_EQ(WakeUp::check(Descriptor()).error().code, ErrorCode::Corrupt);
  EXPECT_EQ(WakeUp::check(socketPair(SOCK_STREAM).first).error().code, ErrorCode::Corrupt);
  EXPECT_EQ(WakeUp::check(Descriptor(eventfd(0, EFD_CLOEXEC))).error().code, ErrorCode::Corrupt);
  const auto made = WakeUp::create();
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_TRUE(WakeUp::check(made.value()).ok());
}

/// A queue as a peer might make it.
bool accepted(int access, long messages, long bytes) {
  mq_attr attributes{};
  attributes.mq_maxmsg = messages;
  attributes.mq_msgsize = bytes;
  const std::string name = "/tactus-test-" + std::to_string(getpid());
  const Descriptor queue(
      mq_open(name.c_str(), access | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR, &attributes));
  EXPECT_TRUE(queue) << std::strerror(errno);
  EXPECT_EQ(mq_unlink(name.c_str()), 0);
  return WakeUp::check(queue).ok();
}

TEST(WakeUp, AQueueThatClearWouldNotEmptyIsRefused) {
  EXPECT_TRUE(accepted(O_RDWR, 1, 1));
  EXPECT_FALSE(accepted(O_RDWR, 2, 1));
  EXPECT_FALSE(accepted(O_RDWR, 1, 2));
  EXPECT_FALSE(accepted(O_RDONLY, 1, 1));
  EXPECT_FALSE(accepted(O_WRONLY, 1, 1));
}

}  // namespace
}  // namespace tactus::net
