// SPDX-License-Identifier: Apache-2.0
// Changes of a contract while its task runs.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <utility>

#include "core/periodic/simulation/virtual_time.h"
#include "core/periodic/task/scheduler.h"
#include "core/periodic/task/terms_handover.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

class Amended : public ::testing::Test {
 protected:
  std::unique_ptr<Task> make() {
    TaskContract contract;
    contract.name = "ten a second";
    contract.lbap = {Rate::perSecond(10)};
    contract.service = ServiceClass::Guaranteed;
    contract.processing = 10ms;
    return m_scheduler.adopt(std::move(contract), currentThreadId()).value();
  }
  void packet(Task& task, Duration length) {
    task.enforce();
    m_time.compute(length);
    task.complete();
  }
  VirtualTime m_time;
  std::unique_ptr<KernelClassGate> m_gate = KernelClassGate::probe(KernelClass::None, {});
  TraceLog m_trace;
  Scheduler m_scheduler{m_time, *m_gate, m_trace, false};
};

TEST_F(Amended, AChangedDeadlineReachesAdmissionLaxityAndMisses) {
  const auto task = make();
  packet(*task, 30ms);
  EXPECT_EQ(task->report().parts.at(0).demand.deadline, 100ms);
  EXPECT_EQ(task->report().statistics.laxity.minimum, 70ms);
  EXPECT_EQ(task->report().statistics.misses, 0u);
  ASSERT_TRUE(task->amend({.deadline = 20ms}).ok());
  EXPECT_EQ(task->report().parts.at(0).demand.deadline, 20ms);
  packet(*task, 30ms);
  EXPECT_EQ(task->report().statistics.laxity.minimum, -10ms);
  EXPECT_EQ(task->report().statistics.misses, 1u);
  ASSERT_TRUE(task->amend({.deadline = 40ms}).ok());
  packet(*task, 30ms);
  EXPECT_EQ(task->report().statistics.misses, 1u);
}

TEST_F(Amended, ARefusedDeadlineChangesNothing) {
  const auto task = make();
  ASSERT_TRUE(task->amend({.deadline = 20ms}).ok());
  const auto refused = task->amend({.deadline = 5ms});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().sentence, "ten a second cannot need 10 ms of processing within 5 ms.");
  EXPECT_EQ(task->contract().deadline, 20ms);
  EXPECT_EQ(task->report().parts.at(0).demand.deadline, 20ms);
  packet(*task, 10ms);
  EXPECT_EQ(task->report().statistics.laxity.minimum, 10ms);
}

TEST_F(Amended, ARefusedChangeKeepsTheOldContractInForce) {
  const auto task = make();
  EXPECT_FALSE(task->amend({.processing = 98ms}).ok());
  EXPECT_EQ(task->contract().processing, 10ms);
  EXPECT_TRUE(task->report().reserved);
  EXPECT_FALSE(task->amend({.lbap = task->contract().lbap, .processing = 98ms}).ok());
  EXPECT_TRUE(task->report().reserved) << "the same LBAP is no news";
  EXPECT_TRUE(task->amend({.processing = 20ms}).ok());
  EXPECT_EQ(task->contract().processing, 20ms);
}

TEST_F(Amended, ANewRateHoldsEvenIfAdmissionRefusesIt) {
  const auto task = make();
  packet(*task, 0ms);
  EXPECT_FALSE(task->amend({.lbap = LbapContract{Rate::perSecond(1000)}}).ok());  // 10 ms each: 10 processors
  EXPECT_FALSE(task->report().reserved);
  EXPECT_NE(task->report().refusal, "");
  EXPECT_EQ(task->enforce().waited, 1ms);
  EXPECT_TRUE(task->amend({.lbap = LbapContract{Rate::perSecond(20)}}).ok());
  EXPECT_TRUE(task->report().reserved);
}

TEST_F(Amended, ValuesOutOfRangeChangeNothing) {
  const auto task = make();
  EXPECT_EQ(task->amend({.frequency = 0.0}).error().code, ErrorCode::InvalidArgument);
  EXPECT_EQ(task->amend({.lbap = LbapContract{Rate::perSecond(20), 0}}).error().code,
            ErrorCode::InvalidArgument);
  EXPECT_EQ(task->contract().frequency, 1);
  EXPECT_EQ(task->contract().lbap, LbapContract{Rate::perSecond(10)});
}

/// Goes on until each thread has seen the other's changes often, so that the two really ran side by side.
TEST_F(Amended, TwoThreadsThatChangeDifferentFieldsLoseNothing) {
  constexpr int kOften = 20;
  constexpr int kMostRounds = 2'000'000;
  const auto task = make();
  std::atomic<int> lost{0};
  std::array<std::atomic<int>, 2> seen{};
  const auto author = [&](double TaskContract::*mine, double TaskContract::*others, std::size_t self,
                          auto patchOf) {
    double before = 0;
    for (int i = 0; i < kMostRounds && (seen[0] < kOften || seen[1] < kOften); ++i) {
      const double value = 1.0 / (2 + i % 10);
      if (!task->amend(patchOf(value)).ok()) ++lost;
      const TaskContract now = task->contract();
      if (now.*mine != value) ++lost;
      if (std::exchange(before, now.*others) != now.*others) ++seen[self];
    }
  };
  std::thread first(author, &TaskContract::quantile, &TaskContract::frequency, std::size_t{0},
                    [](double value) { return ContractPatch{.quantile = value}; });
  std::thread second(author, &TaskContract::frequency, &TaskContract::quantile, std::size_t{1},
                     [](double value) { return ContractPatch{.frequency = value}; });
  first.join();
  second.join();
  EXPECT_EQ(lost, 0);
  if (seen[0] < kOften || seen[1] < kOften) GTEST_SKIP() << "the two threads hardly ran side by side";
}

/// The bound thread takes new terms while another thread publishes more of them.
TEST_F(Amended, TheBoundThreadSeesRateAndDeadlineOfOneContract) {
  TermsHandOver handOver;
  std::atomic<bool> end{false};
  std::thread writer([&] {
    for (int i = 1; i <= 20'000; ++i) handOver.publish({{Rate::perSecond(i)}, Duration(i)});
    end = true;
  });
  int mixed = 0;
  std::int64_t last = 0;
  for (bool over = false; !over || last < 20'000;) {
    over = end;
    if (const auto terms = handOver.take()) {
      last = terms->deadline.count();
      mixed += terms->lbap.rate == Rate::perSecond(last) ? 0 : 1;
    }
  }
  writer.join();
  EXPECT_EQ(mixed, 0);
}

}  // namespace
}  // namespace tactus::periodic
