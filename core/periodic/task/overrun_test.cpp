// SPDX-License-Identifier: Apache-2.0
// Budgets and early packets on the real kernel: a thread's level inside its packets.
#include <sys/syscall.h>
#include <unistd.h>

#include "core/periodic/task/scheduler_kernel_fixture.h"

namespace tactus::periodic {
namespace {

/// What somebody above it sees of a thread: its classes and levels in their order, and since when.
class Witness {
 public:
  struct Sight {
    int policy;
    int level;
    TimePoint since;
  };
  Witness(pid_t seen, KernelClassGate& gate) : m_thread([this, seen, &gate] { look(seen, gate); }) {
    m_looks.wait(false);
  }
  ~Witness() { (void)end(); }
  std::vector<Sight> end() {
    m_ends = true;
    if (m_thread.joinable()) m_thread.join();
    return m_sights;
  }

 private:
  void look(pid_t seen, KernelClassGate& gate) {
    EXPECT_TRUE(gate.raise(currentThreadId(), gate.maxPriority()).ok());
    for (bool last = false; !last; std::this_thread::sleep_for(200us)) {
      last = m_ends;
      struct {
        std::uint32_t size, policy;
        std::uint64_t flags;
        std::int32_t nice;
        std::uint32_t priority;
        std::uint64_t deadline[3];
      } attributes{};  // the kernel's sched_attr: both in one look
      if (syscall(SYS_sched_getattr, seen, &attributes, sizeof attributes, 0) != 0) continue;
      const int policy = static_cast<int>(attributes.policy);
      const int level = static_cast<int>(attributes.priority);
      if (m_sights.empty() || m_sights.back().policy != policy || m_sights.back().level != level)
        m_sights.push_back({policy, level, MonotonicClock::now()});
      m_looks = true;
      m_looks.notify_all();
    }
  }
  std::vector<Sight> m_sights;
  std::atomic<bool> m_ends{false}, m_looks{false};
  std::thread m_thread;
};

/// Processes packets until one took less than `budget` as the kernel counts; how many it took. What
/// interrupts and the machine below take of a thread's time is charged to it, and its packet is an overrun
/// then, rightly.
template <typename Packet>
std::uint64_t packetsUntilOneWithin(Duration budget, Packet process) {
  for (std::uint64_t packets = 1; packets <= 100; ++packets) {
    const Duration begin = KernelTime().threadCpu();
    process();
    if (KernelTime().threadCpu() - begin < budget) return packets;
  }
  ADD_FAILURE() << "no packet stayed within its time";
  return 0;
}

TEST_F(KernelScheduler, OverrunIsDemotedInsideThePacketAndForgivenAtTheNext) {
  Worker worker;
  auto task = m_scheduler->adopt(contract("greedy", 2, 2ms), worker.tid()).value();
  if (!task->report().budgetBySignal) GTEST_SKIP() << "perf events: " << m_scheduler->budgetRefusal();
  int inside = 0;
  int after = 0;
  std::uint64_t first = 0;
  std::uint64_t all = 0;
  std::uint64_t packets = 0;
  worker.perform([&] {
    task->enforce();
    burn(10ms);
    inside = levelOf(0);
    first = task->report().statistics.overruns;
    packets = packetsUntilOneWithin(2ms, [&] {
      task->enforce();
      burn(1ms);
      after = levelOf(0);
      all = task->report().statistics.overruns;
    });
    task->complete();
  });
  EXPECT_EQ(inside, m_gate->minPriority());
  EXPECT_GT(after, m_gate->minPriority());
  EXPECT_EQ(first, 1u);
  EXPECT_LE(all, packets);
}

TEST_F(KernelScheduler, AnOverrunIsForgivenOnceItsPacketIsComplete) {
  Worker worker;
  auto task = m_scheduler->adopt(contract("greedy", 2, 2ms), worker.tid()).value();
  if (!task->report().budgetBySignal) GTEST_SKIP() << "perf events: " << m_scheduler->budgetRefusal();
  std::vector<int> levels;
  worker.perform([&] {
    task->enforce();
    levels.push_back(levelOf(0));
    burn(10ms);
    levels.push_back(levelOf(0));
    task->complete();
    levels.push_back(levelOf(0));
    burn(10ms);  // what follows has a budget too
    levels.push_back(levelOf(0));
    task->enforce();
    levels.push_back(levelOf(0));
    burn(10ms);
    task->abandon(0);
    levels.push_back(levelOf(0));
  });
  const int own = levels.front();
  const int lowered = m_gate->minPriority();
  EXPECT_GT(own, lowered);
  EXPECT_EQ(levels, (std::vector<int>{own, lowered, own, lowered, own, own}));
}

TEST_F(KernelScheduler, AnOverrunHasItsBudgetAnewEachPeriod) {
  Worker worker;
  auto task = m_scheduler->adopt(contract("greedy", 10, 5ms), worker.tid()).value();
  if (!task->report().budgetBySignal) GTEST_SKIP() << "perf events: " << m_scheduler->budgetRefusal();
  std::vector<int> levels;
  worker.perform([&] {
    task->enforce();
    KernelTime time;
    for (const Duration end = time.threadCpu() + 450ms; time.threadCpu() < end;) {
      if (const int level = levelOf(0); levels.empty() || levels.back() != level) levels.push_back(level);
    }
    task->complete();
  });
  ASSERT_GE(levels.size(), 5u);  // its own, lowered, and twice the same
  const int own = levels.front();
  EXPECT_GT(own, m_gate->minPriority());
  for (std::size_t i = 0; i < levels.size(); ++i)
    EXPECT_EQ(levels[i], i % 2 == 0 ? own : m_gate->minPriority()) << i;
  EXPECT_EQ(task->report().statistics.overruns, 1u);
}

TEST_F(KernelScheduler, PacketsWithinTheirTimeAreNeverDemoted) {
  Worker worker;
  auto asked = contract("modest", 500, 1ms);
  auto task = m_scheduler->adopt(asked, worker.tid()).value();
  if (!task->report().budgetBySignal) GTEST_SKIP() << "perf events: " << m_scheduler->budgetRefusal();
  // What interrupts take of the thread's time is charged to it: only a packet that came near its time may be
  // one. Its time runs from one enforce() to the next; what is measured contains both.
  std::uint64_t nearly = 0;
  std::uint64_t overruns = 0;
  worker.perform([&] {
    Duration begin = KernelTime().threadCpu();
    const auto measure = [&] { nearly += KernelTime().threadCpu() - begin > 800us; };
    task->enforce();
    for (int i = 0; i < 200; ++i) {
      burn(300us);
      task->complete();
      const Duration next = KernelTime().threadCpu();
      task->enforce();
      measure();
      begin = next;
    }
    overruns = task->report().statistics.overruns;
    measure();
    task->complete();
  });
  EXPECT_LE(overruns, nearly);
}

TEST_F(KernelScheduler, WithoutSignalsTheWatchdogEndsAnOverrun) {
  AdmissionPolicy policy = m_scheduler->policy();
  policy.signals = false;
  m_scheduler->setPolicy(policy);
  Worker worker;
  auto task = m_scheduler->adopt(contract("greedy", 5, 2ms), worker.tid()).value();
  EXPECT_FALSE(task->report().budgetBySignal);
  bool lowered = false;
  int after = 0;
  std::uint64_t first = 0;
  std::uint64_t all = 0;
  std::uint64_t packets = 0;
  worker.perform([&] {
    task->enforce();
    const Duration end = KernelTime().threadCpu() + 2s;
    while (!lowered && KernelTime().threadCpu() < end) lowered = levelOf(0) == m_gate->minPriority();
    first = task->report().statistics.overruns;
    packets = packetsUntilOneWithin(2ms, [&] {
      task->enforce();
      after = levelOf(0);
      all = task->report().statistics.overruns;
    });
    task->complete();
  });
  EXPECT_TRUE(lowered);
  EXPECT_GT(after, m_gate->minPriority());
  EXPECT_EQ(first, 1u);
  EXPECT_LE(all, packets);  // of which one stayed within its time
}

TEST_F(KernelScheduler, EarlyPacketsRunBelowAndArePromoted) {
  struct Case {
    EarlyPackets early;
    bool aboveOrdinary;
    int policy;
  };
  for (const auto& [early, aboveOrdinary, policy] :
       {Case{EarlyPackets::Demoted, true, SCHED_FIFO}, Case{EarlyPackets::Demoted, false, SCHED_OTHER},
        Case{EarlyPackets::Idle, true, SCHED_IDLE}}) {
    Worker worker;
    auto asked = contract("ahead", 1, 5ms);
    asked.lbap.workahead = 3;
    asked.early = early;
    asked.aboveOrdinary = aboveOrdinary;
    auto task = m_scheduler->adopt(asked, worker.tid()).value();
    const int full = levelOf(worker.tid());
    Witness witness(worker.tid(), *m_gate);
    TimePoint arrival;
    worker.perform([&] {
      task->enforce();  // critical: the first
      arrival = task->enforce().logicalArrival;
      // Mostly asleep, so that the packet's own time is not used up; it may get no processor until then.
      EXPECT_TRUE(eventually([&] { return policyOf(0) == SCHED_FIFO && levelOf(0) == full; }));
      task->complete();
    });
    const auto sights = witness.end();
    ASSERT_EQ(sights.size(), 3u);
    EXPECT_EQ(sights[0].level, full);
    EXPECT_EQ(sights[1].policy, policy);
    EXPECT_EQ(sights[1].level, policy == SCHED_FIFO ? m_gate->minPriority() : 0);
    EXPECT_EQ(sights[2].policy, SCHED_FIFO);
    EXPECT_EQ(sights[2].level, full);
    EXPECT_GE(sights[2].since, arrival);
  }
}

TEST_F(KernelScheduler, AnOverrunEndsAmongOrdinaryProgramsForWhomSaysSo) {
  for (const bool signals : {true, false}) {
    AdmissionPolicy policy = m_scheduler->policy();
    policy.signals = signals;
    m_scheduler->setPolicy(policy);
    Worker worker;
    auto asked = contract("greedy", 5, 2ms);
    asked.aboveOrdinary = false;
    auto task = m_scheduler->adopt(asked, worker.tid()).value();
    bool lowered = false;
    bool back = false;
    worker.perform([&] {
      task->enforce();
      const Duration end = KernelTime().threadCpu() + 2s;
      while (!lowered && KernelTime().threadCpu() < end) lowered = policyOf(0) == SCHED_OTHER;
      (void)packetsUntilOneWithin(2ms, [&] {
        task->enforce();
        back = policyOf(0) == SCHED_FIFO && levelOf(0) == task->report().priority;
      });
      task->complete();
    });
    EXPECT_TRUE(lowered);
    EXPECT_TRUE(back);
  }
}

/// The moment it lowers itself for an early packet, somebody between its two levels takes the processor.
TEST_F(KernelScheduler, AnEarlyPacketIsPromotedEvenWhereItCouldNotSayThatItIsLower) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(m_scheduler->policy().cpus.front(), &one);
  AdmissionPolicy policy = m_scheduler->policy();
  policy.cpus = {policy.cpus.front()};
  m_scheduler->setPolicy(policy);
  Worker early;
  Worker between;
  auto asked = contract("early", 10, 50ms);
  asked.lbap.workahead = 3;
  asked.early = EarlyPackets::Demoted;
  auto task = m_scheduler->adopt(asked, early.tid()).value();
  ASSERT_EQ(sched_setaffinity(between.tid(), sizeof one, &one), 0);
  ASSERT_GT(levelOf(early.tid()), m_gate->minPriority() + 1);
  ASSERT_TRUE(m_gate->raise(between.tid(), m_gate->minPriority() + 1).ok());
  std::atomic<bool> begun{false}, over{false}, came{false}, finished{false};
  between.start([&] {
    begun.wait(false);
    const Duration begin = KernelTime().threadCpu();
    while (!over && !finished) {
      came = came || KernelTime().threadCpu() > begin + 10ms;
      finished = KernelTime().threadCpu() > begin + 400ms;
    }
  });
  bool inTime = false;
  early.perform([&] {
    task->enforce();  // critical: the first
    begun = true;
    begun.notify_all();
    burn(20ms);       // the other waits for the processor by now
    task->enforce();  // early by nearly 100 ms
    inTime = !finished;
    over = true;
    task->complete();
  });
  between.wait();
  EXPECT_TRUE(came);
  EXPECT_TRUE(inTime);
}

}  // namespace
}  // namespace tactus::periodic
