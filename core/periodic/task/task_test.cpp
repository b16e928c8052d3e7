// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/task.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <array>

#include "core/periodic/simulation/counted_allocations.h"
#include "core/periodic/simulation/virtual_time.h"
#include "core/periodic/task/scheduler.h"

namespace {
thread_local std::uint64_t t_locks = 0;
}  // namespace

/// Every std::mutex and PriorityInheritanceMutex of this program comes by here.
extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  ++t_locks;
  static const auto s_next =
      reinterpret_cast<int (*)(pthread_mutex_t*)>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  return s_next(mutex);
}

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

class VirtualTask : public ::testing::Test {
 protected:
  std::unique_ptr<Task> make(TaskContract contract) {
    contract.realtime = false;
    auto task = m_scheduler.adopt(std::move(contract), currentThreadId());
    return task.ok() ? std::move(task).value() : nullptr;
  }
  static TaskContract tenPerSecond(std::uint32_t workahead = 1) {
    TaskContract contract;
    contract.name = "ten a second";
    contract.lbap = {Rate::perSecond(10), workahead};
    return contract;
  }
  VirtualTime m_time;
  std::unique_ptr<KernelClassGate> m_gate = KernelClassGate::probe(KernelClass::None, {});
  TraceLog m_trace;
  Scheduler m_scheduler{m_time, *m_gate, m_trace, false};
};

TEST_F(VirtualTask, EnforceWaitsForTheLogicalArrivalTime) {
  const auto task = make(tenPerSecond());
  const TimePoint begin = m_time.now();
  for (int i = 0; i < 4; ++i) {
    const Enforced packet = task->enforce();
    EXPECT_EQ(m_time.now(), begin + i * 100ms);
    EXPECT_EQ(packet.logicalArrival, begin + i * 100ms);
    m_time.compute(20ms);
    task->complete();
  }
  EXPECT_EQ(m_time.sleeps, 3);
}

TEST_F(VirtualTask, LaxityIsTheTimeLeftBeforeTheDeadline) {
  const auto task = make(tenPerSecond());
  for (int i = 0; i < 100; ++i) {
    task->enforce();
    m_time.compute(30ms);
    task->complete();
  }
  const TaskStatistics figures = task->report().statistics;
  EXPECT_EQ(figures.packets, 100u);
  EXPECT_EQ(figures.completed, 100u);
  EXPECT_EQ(figures.misses, 0u);
  EXPECT_EQ(figures.laxity.minimum, 70ms);
  EXPECT_EQ(figures.laxity.maximum, 70ms);
  EXPECT_EQ(figures.responseTime.maximum, 30ms);
}

TEST_F(VirtualTask, OverlongPacketsMissTheirDeadlines) {
  const auto task = make(tenPerSecond());
  for (int i = 0; i < 10; ++i) {
    task->enforce();
    m_time.compute(i < 3 ? 130ms : 30ms);
    task->complete();
  }
  EXPECT_EQ(task->report().statistics.misses, 3u);
  EXPECT_EQ(task->report().statistics.laxity.minimum, -30ms);
}

TEST_F(VirtualTask, NextEnforceCompletesAPacketThatNobodyCompleted) {
  const auto task = make(tenPerSecond());
  task->enforce();
  m_time.compute(150ms);
  task->enforce();
  EXPECT_EQ(task->report().statistics.completed, 1u);
  EXPECT_EQ(task->report().statistics.misses, 1u);
}

TEST_F(VirtualTask, SecondCompleteDoesNothing) {
  const auto task = make(tenPerSecond());
  task->enforce();
  task->complete();
  m_time.advance(500ms);
  task->complete();
  EXPECT_EQ(task->report().statistics.completed, 1u);
  EXPECT_EQ(task->report().statistics.misses, 0u);
}

TEST_F(VirtualTask, CallersDeadlineReplacesTheContracts) {
  const auto task = make(tenPerSecond());
  task->pass();
  task->complete(m_time.now() - 1ms);
  EXPECT_EQ(task->report().statistics.misses, 1u);
}

TEST_F(VirtualTask, WorkaheadPassesWithoutWaiting) {
  const auto task = make(tenPerSecond(3));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(task->enforce().waited, 0ns);
  EXPECT_EQ(task->enforce().waited, 100ms);
}

TEST_F(VirtualTask, InterruptEndsTheWaitAndThoseThatFollow) {
  const auto task = make(tenPerSecond());
  task->enforce();
  m_time.whileAsleep = [&](TimePoint) { task->interrupt(); };
  EXPECT_TRUE(task->enforce().interrupted);
  EXPECT_TRUE(task->enforce().interrupted);
  m_time.whileAsleep = {};
  task->resume();
  EXPECT_FALSE(task->enforce().interrupted) << "re-anchored: the first packet after it does not wait";
  EXPECT_EQ(task->enforce().waited, 100ms);
}

TEST_F(VirtualTask, ChangeOfRateHoldsFromTheNextPacket) {
  const auto task = make(tenPerSecond());
  task->enforce();
  ASSERT_TRUE(task->amend({.lbap = LbapContract{Rate::perSecond(20)}}).ok());
  EXPECT_EQ(task->enforce().waited, 50ms);
  for (int i = 0; i < 100; ++i)
    ASSERT_TRUE(task->amend({.lbap = LbapContract{Rate::perSecond(100 + i)}}).ok());
  EXPECT_LT(task->enforce().waited, 6ms) << "only the last of many changes counts";
}

TEST_F(VirtualTask, AbandonedPacketHasNoLaxity) {
  const auto task = make(tenPerSecond());
  task->enforce();
  m_time.advance(1s);
  task->abandon(1);
  EXPECT_EQ(task->report().statistics.completed, 0u);
  EXPECT_EQ(task->report().statistics.misses, 0u);
}

TEST_F(VirtualTask, ClearedStatisticsBeginAgain) {
  const auto task = make(tenPerSecond());
  task->enforce();
  task->complete();
  task->clearStatistics();
  task->enforce();
  EXPECT_EQ(task->report().statistics.packets, 1u);
  EXPECT_EQ(task->report().statistics.completed, 0u);
}

TEST_F(VirtualTask, PerPacketPathNeverAllocatesNorLocks) {
  m_trace.start();
  const std::uint64_t locksBeforeAdmission = t_locks;
  const auto task = make(tenPerSecond(2));
  EXPECT_GT(t_locks, locksBeforeAdmission) << "locks are not counted here";
  const std::uint64_t allocations = allocationsOfThisThread();
  const std::uint64_t locks = t_locks;
  for (int i = 0; i < 20'000; ++i) {
    task->enforce(99ms, ByteCount{1000});
    (void)task->poll();
    m_time.compute(i % 50 == 0 ? 300ms : 20ms);
    task->complete();
    task->pass();
    task->abandon(1);
    if (i % 100 == 0) task->reanchor();
  }
  EXPECT_EQ(allocationsOfThisThread(), allocations);
  EXPECT_EQ(t_locks, locks);
}

TEST_F(VirtualTask, TraceHoldsTheSpansAndOpensAsJson) {
  m_trace.start();
  const auto task = make(tenPerSecond());
  for (int i = 0; i < 3; ++i) {
    task->enforce();
    m_time.compute(120ms);
    task->complete();
  }
  m_trace.collect();
  std::ostringstream out;
  m_trace.writeJson(out);
  const std::string json = out.str();
  EXPECT_NE(json.find("\"name\":\"run\",\"ph\":\"X\""), std::string::npos);
  EXPECT_NE(json.find("\"name\":\"miss\""), std::string::npos);
  EXPECT_NE(json.find("\"traceEvents\""), std::string::npos);
  EXPECT_EQ(std::count(json.begin(), json.end(), '{'), std::count(json.begin(), json.end(), '}'));
}

TEST_F(VirtualTask, NonsenseContractsAreRefusedWithAReason) {
  TaskContract contract = tenPerSecond();
  contract.cpuCap = 0;
  EXPECT_EQ(m_scheduler.adopt(contract, 0).error().code, ErrorCode::InvalidArgument);
  contract = tenPerSecond();
  contract.cpuCap = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(m_scheduler.adopt(contract, 0).error().code, ErrorCode::InvalidArgument);
  contract = tenPerSecond(0);
  EXPECT_EQ(m_scheduler.adopt(contract, 0).error().code, ErrorCode::InvalidArgument);
  contract = tenPerSecond();
  contract.deadline = -1ns;
  EXPECT_EQ(m_scheduler.adopt(contract, 0).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(m_scheduler.adopt(tenPerSecond(), 1).error().code, ErrorCode::NotFound)
      << "init is not of this process";
  EXPECT_TRUE(m_scheduler.report().empty());
}

TEST_F(VirtualTask, TaskOutlivesItsScheduler) {
  std::unique_ptr<Task> task;
  {
    Scheduler brief(m_time, *m_gate, m_trace, false);
    auto adopted = brief.adopt(tenPerSecond(), currentThreadId());
    ASSERT_TRUE(adopted.ok());
    task = std::move(adopted).value();
  }
  task->enforce();
  EXPECT_EQ(task->report().statistics.packets, 1u);
}

TEST(TraceRing, FullRingCountsWhatItLoses) {
  const auto ring = std::make_unique<TraceRing>();
  for (std::size_t i = 0; i < TraceRing::kCapacity + 5; ++i) ring->push({});
  EXPECT_EQ(ring->lost(), 5u);
  std::vector<TraceRecord> records;
  ring->drain(records);
  EXPECT_EQ(records.size(), TraceRing::kCapacity);
}

}  // namespace
}  // namespace tactus::periodic
