// SPDX-License-Identifier: Apache-2.0
#include "core/net/port/port_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>

#include "core/net/port/port_thread_fixture.h"

namespace tactus::net {
namespace {

using namespace std::chrono_literals;

StreamContract bestEffort() {
  StreamContract contract;
  contract.largestBuffer = 100;
  return contract;
}

/// Runs until it is halted, or ends with what the test gives it.
class TestLoop final : public PortLoop {
 public:
  explicit TestLoop(std::optional<LoopEnded> end = {}) : m_end(std::move(end)) {}
  std::optional<LoopEnded> run(periodic::Task& /*task*/, LoopWake& wake) override {
    if (m_runs.exchange(true)) ADD_FAILURE() << "two runs at a time";
    begun.happen();
    while (!m_end && !wake.isRaised()) wake.wait({});
    m_runs = false;
    return m_end;
  }
  Happening begun;

 private:
  const std::optional<LoopEnded> m_end;
  std::atomic<bool> m_runs{false};
};

/// Does not return before it is let.
class StubbornLoop final : public PortLoop {
 public:
  std::optional<LoopEnded> run(periodic::Task& /*task*/, LoopWake& /*wake*/) override {
    begun.happen();
    EXPECT_TRUE(let.await());
    returns.happen();
    return std::nullopt;
  }
  Happening begun, let, returns;
};

class PortThreads : public testing::Test {
 protected:
  PortScheduler m_scheduler;
  Happening m_ended;
  std::unique_ptr<PortThread> m_thread = m_scheduler.thread(bestEffort(), PortType::Read, m_ended);
};

TEST_F(PortThreads, AHaltBeforeTheFirstLoopIsTrueAtOnce) {
  EXPECT_TRUE(m_thread->halt(0s));
  EXPECT_TRUE(m_thread->halt(0s));
  EXPECT_FALSE(m_thread->takeEnded().has_value());
  TestLoop loop;
  m_thread->go(loop);
  EXPECT_TRUE(loop.begun.await());
  EXPECT_TRUE(m_thread->halt(kLongest));
}

TEST_F(PortThreads, EachGoIsARunAndAfterAHaltNoneRuns) {
  TestLoop loop;
  for (std::size_t i = 1; i <= 500; ++i) {
    m_thread->go(loop);
    ASSERT_TRUE(loop.begun.await(i));
    ASSERT_TRUE(m_thread->halt(kLongest));
    ASSERT_EQ(loop.begun.count(), i);
  }
  EXPECT_EQ(m_ended.count(), 0u);
}

TEST_F(PortThreads, AHaltRightAfterAGoNeverHangsAndNeverRunsLater) {
  TestLoop loop;
  for (int i = 0; i < 500; ++i) {
    m_thread->go(loop);
    ASSERT_TRUE(m_thread->halt(kLongest));
    const std::size_t runs = loop.begun.count();
    ASSERT_TRUE(m_thread->halt(kLongest));
    ASSERT_EQ(loop.begun.count(), runs);
  }
}

TEST_F(PortThreads, AHaltDoesNotWaitForLongerThanItShall) {
  StubbornLoop loop;
  m_thread->go(loop);
  ASSERT_TRUE(loop.begun.await());
  EXPECT_FALSE(m_thread->halt(0s));
  EXPECT_FALSE(m_thread->halt(1ms));
  loop.let.happen();
  EXPECT_TRUE(m_thread->halt(periodic::Duration::max()));
  EXPECT_EQ(loop.begun.count(), 1u);
  TestLoop other;
  m_thread->go(other);
  EXPECT_TRUE(other.begun.await());
  EXPECT_TRUE(m_thread->halt(kLongest));
}

TEST_F(PortThreads, ALoopThatEndsByItselfIsToldOnceAndAnotherMayFollow) {
  TestLoop broken({{.byStream = false, .sentence = "It broke."}}), ended({{.byStream = true}}), goesOn;
  for (std::size_t i = 0; i < 200; ++i) {
    m_thread->go(broken);
    ASSERT_TRUE(m_ended.await(2 * i + 1));
    const auto why = m_thread->takeEnded();
    ASSERT_TRUE(why.has_value());
    ASSERT_EQ(why->sentence, "It broke.");
    ASSERT_FALSE(m_thread->takeEnded().has_value());
    m_thread->go(ended);
    ASSERT_TRUE(m_ended.await(2 * i + 2));
    ASSERT_TRUE(m_thread->takeEnded().value().byStream);
  }
  EXPECT_EQ(broken.begun.count(), 200u);
  EXPECT_EQ(ended.begun.count(), 200u);
  m_thread->go(goesOn);
  EXPECT_TRUE(goesOn.begun.await());
  EXPECT_TRUE(m_thread->halt(kLongest));
  EXPECT_FALSE(m_thread->takeEnded().has_value());
  m_thread.reset();
  EXPECT_EQ(m_ended.count(), 400u);
}

TEST_F(PortThreads, AHaltAfterTheLoopHasEndedKeepsWhyUntilTheNextGo) {
  TestLoop broken({{.byStream = false, .sentence = "It broke."}}), goesOn;
  m_thread->go(broken);
  ASSERT_TRUE(m_ended.await());
  EXPECT_TRUE(m_thread->halt(0s));
  m_thread->go(goesOn);
  EXPECT_FALSE(m_thread->takeEnded().has_value()) << "it is of another loop";
  EXPECT_TRUE(m_thread->halt(kLongest));
}

TEST_F(PortThreads, ALiveOneIsDeletedOnceItsLoopReturns) {
  for (int i = 0; i < 100; ++i) {
    TestLoop loop;
    m_thread->go(loop);
    const bool hasBegun = i % 2 != 0 || loop.begun.await();
    ASSERT_TRUE(hasBegun);
    m_thread.reset();
    ASSERT_LE(loop.begun.count(), 1u) << "no other run begins meanwhile";
    m_thread = m_scheduler.thread(bestEffort(), PortType::Read, m_ended);
  }
  EXPECT_EQ(m_ended.count(), 0u);
}

TEST_F(PortThreads, OneThatIsDeletedWhileItsHandlerRunsWaitsForIt) {
  StubbornLoop loop;
  m_thread->go(loop);
  ASSERT_TRUE(loop.begun.await());
  EXPECT_FALSE(m_thread->halt(0s));
  loop.let.happen();
  m_thread.reset();
  EXPECT_EQ(loop.returns.count(), 1u);
}

TEST_F(PortThreads, AContractThatIsOutOfRangeIsRefused) {
  TestScheduler scheduler;
  StreamContract contract = bestEffort();
  for (const bool rated : {false, true}) {
    if (rated) contract.rate = periodic::Rate::perSecond(50);
    auto task = taskContractOf(contract, PortType::Write, "port");
    task.lbap.workahead = 0;
    const auto refused = PortThread::create(scheduler.get(), task, [] {});
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().sentence, "");
  }
}

}  // namespace
}  // namespace tactus::net
