// SPDX-License-Identifier: Apache-2.0
// The scheduler on the real kernel: classes, levels, processors, budgets. No test here judges by a measured
// time.
#include "core/periodic/task/scheduler.h"

#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <mutex>
#include <thread>

#include "core/periodic/task/periodic_thread.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Kind = SchedulerEvent::Kind;

int policyOf(pid_t tid) {
  return sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;
}

int levelOf(pid_t tid) {
  sched_param param{};
  sched_getparam(tid, &param);
  return param.sched_priority;
}

int cpusOf(pid_t tid) {
  cpu_set_t set;
  sched_getaffinity(tid, sizeof set, &set);
  return CPU_COUNT(&set);
}

void burn(Duration cpu) {
  const Duration end = KernelTime().threadCpu() + cpu;
  while (KernelTime().threadCpu() < end) {
  }
}

template <typename Condition>
bool eventually(Condition condition) {
  for (int i = 0; i < 1000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

/// A thread that does as it is told, one thing after another.
class Worker {
 public:
  Worker() : m_thread([this] { run(); }) {
    while (m_tid.load() == 0) std::this_thread::yield();
  }
  ~Worker() { end(); }
  void end() {
    if (!m_thread.joinable()) return;
    {
      const std::lock_guard lock(m_mutex);
      m_end = true;
    }
    m_changed.notify_all();
    m_thread.join();
  }
  [[nodiscard]] pid_t tid() const { return m_tid.load(); }
  void start(std::function<void()> work) {
    {
      const std::lock_guard lock(m_mutex);
      m_work = std::move(work);
      m_done = false;
    }
    m_changed.notify_all();
  }
  void wait() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_done; });
  }
  void perform(std::function<void()> work) {
    start(std::move(work));
    wait();
  }

 private:
  // Sleeps until there is work: what an idle worker costs is what some tests ask for.
  void run() {
    m_tid = currentThreadId();
    std::unique_lock lock(m_mutex);
    for (;;) {
      m_changed.wait(lock, [this] { return m_end || m_work; });
      if (!m_work) return;
      const auto work = std::exchange(m_work, {});
      lock.unlock();
      work();
      lock.lock();
      m_done = true;
      m_changed.notify_all();
    }
  }
  std::atomic<pid_t> m_tid{0};
  std::mutex m_mutex;
  std::condition_variable m_changed;
  bool m_end = false;
  bool m_done = true;
  std::function<void()> m_work;
  std::thread m_thread;
};

class KernelScheduler : public ::testing::Test {
 protected:
  void SetUp() override {
    (void)!setpriority(PRIO_PROCESS, 0, 0);  // the tests may be run with a nice value, which threads inherit
    m_gate = KernelClassGate::probe(KernelClass::Fifo, {});
    if (m_gate->granted() != KernelClass::Fifo)
      GTEST_SKIP() << "SCHED_FIFO: " << m_gate->refusals()[0].reason;
    m_scheduler = std::make_unique<Scheduler>(m_time, *m_gate, m_trace);
    m_scheduler->setEventHandler([this](const SchedulerEvent& event) {
      const std::lock_guard lock(m_mutex);
      m_events.push_back(event);
    });
  }
  void TearDown() override {
    if (m_scheduler) m_scheduler->setEventHandler({});
  }
  [[nodiscard]] std::string told(Kind kind) {
    const std::lock_guard lock(m_mutex);
    for (const auto& event : m_events)
      if (event.kind == kind) return event.sentence;
    return {};
  }
  static TaskContract contract(const char* name, int perSecond, Duration processing) {
    TaskContract made;
    made.name = name;
    made.lbap.rate = Rate::perSecond(perSecond);
    made.processing = processing;
    made.service = ServiceClass::Guaranteed;
    return made;
  }
  KernelTime m_time;
  std::unique_ptr<KernelClassGate> m_gate;
  TraceLog m_trace;
  std::unique_ptr<Scheduler> m_scheduler;
  std::mutex m_mutex;
  std::vector<SchedulerEvent> m_events;
};

TEST_F(KernelScheduler, ThreadsGetTheLevelsAndProcessorsOfTheirReservations) {
  Worker slow;
  Worker fast;
  auto a = m_scheduler->adopt(contract("slow", 10, 5ms), slow.tid()).value();
  auto b = m_scheduler->adopt(contract("fast", 100, 1ms), fast.tid()).value();
  for (const auto& task : m_scheduler->report()) {
    ASSERT_TRUE(task.reserved) << task.refusal;
    ASSERT_EQ(task.parts.size(), 1u);
    EXPECT_EQ(policyOf(task.tid), SCHED_FIFO);
    EXPECT_EQ(levelOf(task.tid), task.parts[0].level);
    EXPECT_EQ(cpusOf(task.tid), 1);
  }
  EXPECT_EQ(m_scheduler->reservations().size(), 2u);
  b.reset();
  EXPECT_EQ(policyOf(fast.tid()), SCHED_OTHER);
  EXPECT_EQ(cpusOf(fast.tid()), static_cast<int>(m_scheduler->policy().cpus.size()));
  EXPECT_EQ(m_scheduler->reservations().size(), 1u);
}

TEST_F(KernelScheduler, RefusedByAdmissionRunsBelowThoseWhoHoldAReservation) {
  AdmissionPolicy one = m_scheduler->policy();
  one.cpus.resize(1);
  m_scheduler->setPolicy(one);
  Worker first;
  Worker second;
  auto a = m_scheduler->adopt(contract("Lecture", 10, 60ms), first.tid()).value();
  const auto strict = m_scheduler->reserve(contract("Film", 10, 50ms));
  ASSERT_FALSE(strict.ok());
  EXPECT_EQ(strict.error().code, ErrorCode::Refused);
  EXPECT_FALSE(strict.error().offers.empty());
  auto b = m_scheduler->adopt(contract("Film", 10, 50ms), second.tid()).value();
  const TaskReport report = b->report();
  EXPECT_FALSE(report.reserved);
  EXPECT_EQ(report.refusal, strict.error().sentence);
  EXPECT_EQ(levelOf(second.tid()), m_gate->minPriority());
  EXPECT_GT(levelOf(first.tid()), m_gate->minPriority());
  EXPECT_TRUE(eventually([&] { return told(Kind::NotAdmitted) == strict.error().sentence; }));
  // Room again: the watchdog's next look gives the reservation.
  a.reset();
  EXPECT_TRUE(eventually([&] { return b->report().reserved; }));
  EXPECT_TRUE(eventually([&] { return !told(Kind::Admitted).empty(); }));
}

TEST_F(KernelScheduler, WhoSaysSoRunsAmongOrdinaryProgramsWithoutAReservation) {
  AdmissionPolicy one = m_scheduler->policy();
  one.cpus.resize(1);
  m_scheduler->setPolicy(one);
  Worker first;
  Worker second;
  Worker third;
  auto a = m_scheduler->adopt(contract("Lecture", 10, 60ms), first.tid()).value();
  auto ordinary = contract("Film", 10, 50ms);
  ordinary.aboveOrdinary = false;
  auto b = m_scheduler->adopt(ordinary, second.tid()).value();
  auto best = contract("Camera", 10, 5ms);
  best.service = ServiceClass::BestEffort;
  auto c = m_scheduler->adopt(best, third.tid()).value();
  EXPECT_EQ(policyOf(second.tid()), SCHED_OTHER);
  EXPECT_EQ(b->report().kernelClass, KernelClass::None);
  EXPECT_EQ(policyOf(third.tid()), SCHED_OTHER);
  // What it asks for without a reservation is its contract all the same, and fits once it is little enough.
  EXPECT_FALSE(b->amend({.processing = 45ms}).ok());
  EXPECT_EQ(b->contract().processing, 45ms);
  const auto niceOf = [](pid_t tid) { return getpriority(PRIO_PROCESS, static_cast<id_t>(tid)); };
  EXPECT_EQ(niceOf(second.tid()), 0);
  EXPECT_TRUE(b->amend({.processing = 10ms}).ok());
  EXPECT_EQ(policyOf(second.tid()), SCHED_FIFO);
  // Served by its reservation, it leaves others their turn with the rest.
  EXPECT_EQ(niceOf(second.tid()) > 0, m_gate->setsNice());
  EXPECT_EQ(niceOf(first.tid()), 0);
  EXPECT_TRUE(c->amend({.service = ServiceClass::Guaranteed}).ok());
  EXPECT_EQ(policyOf(third.tid()), SCHED_FIFO);
  b.reset();
  EXPECT_EQ(niceOf(second.tid()), 0);
}

TEST_F(KernelScheduler, AReaderReservesWhatItsPeriodsCost) {
  Worker worker;
  auto reader = contract("source", 20, 10ms);
  reader.service = ServiceClass::Statistical;
  reader.enforces = false;
  auto task = m_scheduler->adopt(reader, worker.tid()).value();
  EXPECT_EQ(task->report().parts[0].demand.processing, 10ms);
  // It does next to nothing; with a margin that is far below what was declared.
  EXPECT_TRUE(eventually([&] { return task->report().parts[0].demand.processing < 2ms; }));
}

TEST_F(KernelScheduler, RefusedChangeKeepsTheOldContractInForce) {
  Worker worker;
  auto task = m_scheduler->reserve(contract("film", 20, 10ms), worker.tid());
  ASSERT_TRUE(task.ok());
  EXPECT_FALSE(task.value()->amend({.processing = 49ms}).ok());
  EXPECT_EQ(task.value()->report().contract.processing, 10ms);
  EXPECT_TRUE(task.value()->report().reserved);
  EXPECT_TRUE(task.value()->amend({.processing = 20ms}).ok());
  EXPECT_EQ(task.value()->report().contract.processing, 20ms);
}

TEST_F(KernelScheduler, OverrunIsDemotedInsideThePacketAndForgivenAtTheNext) {
  Worker worker;
  auto task = m_scheduler->adopt(contract("greedy", 10, 2ms), worker.tid()).value();
  if (!task->report().budgetBySignal) GTEST_SKIP() << "perf events: " << m_scheduler->budgetRefusal();
  int inside = 0;
  int after = 0;
  worker.perform([&] {
    task->enforce();
    burn(10ms);
    inside = levelOf(0);
    task->enforce();
    after = levelOf(0);
    burn(1ms);
    task->complete();
  });
  EXPECT_EQ(inside, m_gate->minPriority());
  EXPECT_GT(after, m_gate->minPriority());
  EXPECT_EQ(task->report().statistics.overruns, 1u);
}

TEST_F(KernelScheduler, AnOverrunIsForgivenOnceItsPacketIsComplete) {
  Worker worker;
  auto task = m_scheduler->adopt(contract("greedy", 10, 2ms), worker.tid()).value();
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
  worker.perform([&] {
    for (int i = 0; i < 200; ++i) {
      task->enforce();
      burn(300us);
      task->complete();
    }
  });
  EXPECT_EQ(task->report().statistics.overruns, 0u);
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
  worker.perform([&] {
    task->enforce();
    const Duration end = KernelTime().threadCpu() + 150ms;
    while (!lowered && KernelTime().threadCpu() < end) lowered = levelOf(0) == m_gate->minPriority();
    task->enforce();
    after = levelOf(0);
    task->complete();
  });
  EXPECT_TRUE(lowered);
  EXPECT_GT(after, m_gate->minPriority());
  EXPECT_EQ(task->report().statistics.overruns, 1u);
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
    auto asked = contract("ahead", 10, 5ms);
    asked.lbap.workahead = 3;
    asked.early = early;
    asked.aboveOrdinary = aboveOrdinary;
    auto task = m_scheduler->adopt(asked, worker.tid()).value();
    const int full = levelOf(worker.tid());
    bool below = false;
    bool promoted = false;
    worker.perform([&, policy = policy] {
      task->enforce();  // critical: the first
      const auto packet = task->enforce();
      below = policyOf(0) == policy && (policy != SCHED_FIFO || levelOf(0) == m_gate->minPriority());
      while (MonotonicClock::now() < packet.logicalArrival + 1s) {
        std::this_thread::sleep_for(1ms);  // the packet's own time is not to be used up
        if (policyOf(0) == SCHED_FIFO && levelOf(0) == full) {
          promoted = MonotonicClock::now() >= packet.logicalArrival;
          break;
        }
      }
      task->complete();
    });
    EXPECT_TRUE(below);
    EXPECT_TRUE(promoted);
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
      const Duration end = KernelTime().threadCpu() + 150ms;
      while (!lowered && KernelTime().threadCpu() < end) lowered = policyOf(0) == SCHED_OTHER;
      task->enforce();
      back = policyOf(0) == SCHED_FIFO && levelOf(0) == task->report().priority;
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
    while (!begun) std::this_thread::sleep_for(1ms);
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

TEST_F(KernelScheduler, ProcessingTimeIsLearnedAndReserved) {
  Worker worker;
  auto asked = contract("learner", 200, 4ms);
  asked.service = ServiceClass::Statistical;
  asked.kind = "test learner";
  auto task = m_scheduler->adopt(asked, worker.tid()).value();
  const double declared = static_cast<double>(task->report().parts[0].demand.processing.count());
  EXPECT_NEAR(declared, 4e6, 1);
  worker.start([&] {
    for (int i = 0; i < 300; ++i) {
      task->enforce();
      burn(500us);
      task->complete();
    }
  });
  EXPECT_TRUE(eventually([&] { return task->report().parts[0].demand.processing < 2ms; }));
  worker.wait();
  task.reset();
  const std::string learned = m_scheduler->learned();
  EXPECT_NE(learned.find("test learner"), std::string::npos);
  // The next run begins with what this one learned.
  Scheduler later(m_time, *m_gate, m_trace);
  later.loadLearned(learned);
  auto again = later.adopt(asked, 0).value();
  EXPECT_LT(again->report().parts[0].demand.processing, 2ms);
}

TEST_F(KernelScheduler, ThreadThatDiesGivesItsReservationBack) {
  std::unique_ptr<Task> task;
  {
    Worker worker;
    task = m_scheduler->adopt(contract("mortal", 10, 30ms), worker.tid()).value();
    EXPECT_EQ(m_scheduler->reservations().size(), 1u);
  }
  EXPECT_TRUE(eventually([&] { return m_scheduler->reservations().empty(); }));
  EXPECT_TRUE(eventually([&] { return told(Kind::ThreadEnded).find("mortal") == 0; }));
  EXPECT_EQ(task->report().tid, 0);
}

TEST_F(KernelScheduler, OneThatNeverEnforcesIsFoundAndDemoted) {
  Worker worker;
  std::atomic<bool> stop{false};
  worker.start([&] {
    while (!stop) {
      burn(5ms);
      std::this_thread::sleep_for(5ms);
    }
  });
  auto task = m_scheduler->adopt(contract("silent", 50, 1ms), worker.tid()).value();
  EXPECT_TRUE(eventually([&] { return !told(Kind::NeverEnforces).empty(); }));
  EXPECT_TRUE(eventually([&] { return policyOf(worker.tid()) == SCHED_OTHER; }));
  stop = true;
  worker.wait();
}

/// Begins a packet and does not end it: busy most of the time.
void stayInOnePacket(Task& task, const std::atomic<bool>& stop) {
  task.enforce();
  while (!stop) {
    burn(6ms);
    std::this_thread::sleep_for(2ms);
  }
}

TEST_F(KernelScheduler, DetachLetsAnEndlessPacketGoForGood) {
  Worker worker;
  auto asked = contract("stuck", 50, 1ms);
  asked.unruly = WatchPolicy::Detach;
  auto task = m_scheduler->adopt(asked, worker.tid()).value();
  std::atomic<bool> stop{false};
  worker.start([&] { stayInOnePacket(*task, stop); });
  EXPECT_TRUE(eventually([&] { return !told(Kind::EndlessLoop).empty(); }));
  EXPECT_EQ(policyOf(worker.tid()), SCHED_OTHER);
  EXPECT_TRUE(m_scheduler->reservations().empty());
  stop = true;
  worker.wait();
}

TEST_F(KernelScheduler, WhoGetsWorseIsToldAgain) {
  Worker worker;
  auto asked = contract("late starter", 50, 1ms);
  asked.unruly = WatchPolicy::Detach;
  auto task = m_scheduler->adopt(asked, worker.tid()).value();
  std::atomic<bool> stop{false};
  worker.start([&] {
    // One packet in the first look back: far too few. None in the next: an endless loop.
    std::this_thread::sleep_for(1s);
    stayInOnePacket(*task, stop);
  });
  EXPECT_TRUE(eventually([&] { return !told(Kind::EndlessLoop).empty(); }));
  EXPECT_NE(told(Kind::OffRate).find("late starter processes only"), std::string::npos);
  stop = true;
  worker.wait();
}

TEST_F(KernelScheduler, FarMorePacketsThanDeclaredAreReported) {
  Worker worker;
  auto asked = contract("eager", 5, 1ms);
  asked.unruly = WatchPolicy::Report;
  auto task = m_scheduler->adopt(asked, worker.tid()).value();
  std::atomic<bool> stop{false};
  worker.start([&] {
    while (!stop) {
      task->pass();
      std::this_thread::sleep_for(2ms);
    }
  });
  EXPECT_TRUE(eventually([&] { return told(Kind::OffRate).find("and declared 5") != std::string::npos; }));
  EXPECT_EQ(policyOf(worker.tid()), SCHED_FIFO);
  stop = true;
  worker.wait();
}

void setAffinityOfAllThreads(const cpu_set_t& set) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
    sched_setaffinity(std::atoi(entry.path().filename().c_str()), sizeof set, &set);
}

TEST_F(KernelScheduler, ProcessorsThatGoAwayTakeOnlyTheLeastImportantAlong) {
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  if (CPU_COUNT(&all) < 2) GTEST_SKIP() << "one processor";
  Worker first;
  Worker second;
  auto statistical = contract("statistical", 10, 60ms);
  statistical.service = ServiceClass::Statistical;
  auto a = m_scheduler->adopt(statistical, first.tid()).value();
  auto b = m_scheduler->adopt(contract("guaranteed", 10, 60ms), second.tid()).value();
  ASSERT_TRUE(a->report().reserved && b->report().reserved);
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
  AdmissionPolicy left = m_scheduler->policy();
  const std::size_t many = left.cpus.size();
  setAffinityOfAllThreads(one);
  EXPECT_TRUE(eventually([&] { return m_scheduler->policy().cpus.size() == 1; }));
  EXPECT_TRUE(b->report().reserved);
  EXPECT_FALSE(a->report().reserved);
  EXPECT_TRUE(eventually([&] { return !told(Kind::ProcessorsChanged).empty(); }));
  EXPECT_TRUE(eventually([&] { return levelOf(first.tid()) == m_gate->minPriority(); }));
  EXPECT_GT(levelOf(second.tid()), m_gate->minPriority());
  setAffinityOfAllThreads(all);
  EXPECT_TRUE(eventually([&] { return m_scheduler->policy().cpus.size() == many; }));
  EXPECT_TRUE(eventually([&] { return a->report().reserved && b->report().reserved; }));
}

TEST(KernelSchedulerAlone, DeadlineClassIsABackEndToCompareWith) {
  auto gate = KernelClassGate::probe(KernelClass::Deadline, {});
  if (gate->granted() != KernelClass::Deadline) GTEST_SKIP() << gate->refusals()[0].reason;
  KernelTime time;
  TraceLog trace;
  Scheduler scheduler(time, *gate, trace);
  Worker worker;
  TaskContract contract;
  contract.name = "deadline";
  contract.lbap.rate = Rate::perSecond(100);
  contract.processing = 1ms;
  auto task = scheduler.adopt(contract, worker.tid()).value();
  EXPECT_EQ(policyOf(worker.tid()), 6);  // SCHED_DEADLINE
  worker.perform([&] {
    for (int i = 0; i < 50; ++i) {
      task->enforce();
      burn(200us);
      task->complete();
    }
  });
  EXPECT_EQ(task->report().statistics.completed, 50u);
  task.reset();
  EXPECT_EQ(policyOf(worker.tid()), SCHED_OTHER);
}

TEST(KernelSchedulerAlone, RevokedPrivilegeIsToldAndTheTaskGoesOn) {
  if (KernelClassGate::probe(KernelClass::Fifo, {})->granted() != KernelClass::Fifo)
    GTEST_SKIP() << "no SCHED_FIFO";
  const pid_t child = fork();  // from a process that has no other thread
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Alone in a process of its own: without the watchdog, whose thread would keep the capability.
    auto gate = KernelClassGate::probe(KernelClass::Fifo, {});
    KernelTime time;
    TraceLog trace;
    Scheduler scheduler(time, *gate, trace, false);
    std::atomic<bool> heard{false};
    scheduler.setEventHandler([&](const SchedulerEvent& event) {
      if (event.kind == Kind::RefusedClass) heard = true;
    });
    AdmissionPolicy one = scheduler.policy();
    one.cpus.resize(1);
    scheduler.setPolicy(one);
    TaskContract modest;
    modest.name = "revoked";
    modest.lbap.rate = Rate::perSecond(10);
    modest.processing = 1ms;
    auto task = scheduler.adopt(modest, currentThreadId()).value();
    auto other = scheduler.adopt(modest, 0).value();
    if (policyOf(0) != SCHED_FIFO) _exit(11);
    const rlimit none{0, 0};
    if (setrlimit(RLIMIT_RTPRIO, &none) != 0) _exit(12);
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct data[2]{};
    syscall(SYS_capget, &header, data);
    data[CAP_SYS_NICE / 32].effective &= ~(1u << (CAP_SYS_NICE % 32));
    data[CAP_SYS_NICE / 32].permitted &= ~(1u << (CAP_SYS_NICE % 32));
    if (syscall(SYS_capset, &header, data) != 0) _exit(13);
    // Shifts levels: the kernel is asked anew.
    if (!other->amend({.lbap = LbapContract{Rate::perSecond(100)}}).ok()) _exit(16);
    if (!task->amend({.lbap = LbapContract{Rate::perSecond(300)}}).ok()) _exit(17);
    for (int i = 0; i < 500 && !heard; ++i) usleep(10000);
    const bool goesOn = !task->enforce().interrupted && task->report().kernelClass == KernelClass::None;
    scheduler.setEventHandler({});
    task.reset();
    other.reset();
    _exit(heard ? (goesOn ? 0 : 15) : 14);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST_F(KernelScheduler, SixtyTasksShareTheLevelsOrAreTold) {
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<std::unique_ptr<Task>> tasks;
  for (int i = 0; i < 60; ++i) {
    workers.push_back(std::make_unique<Worker>());
    tasks.push_back(m_scheduler->adopt(contract("many", 10 + i, 300us), workers.back()->tid()).value());
  }
  for (const auto& task : tasks) {
    const TaskReport report = task->report();
    EXPECT_TRUE(report.reserved || !report.refusal.empty());
    EXPECT_EQ(policyOf(report.tid), SCHED_FIFO);
  }
}

}  // namespace
}  // namespace tactus::periodic
