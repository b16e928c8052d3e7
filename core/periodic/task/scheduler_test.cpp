// SPDX-License-Identifier: Apache-2.0
// The scheduler on the real kernel: classes, levels, processors.
#include "core/periodic/task/scheduler.h"

#include <linux/capability.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <future>

#include "core/periodic/simulation/virtual_time.h"
#include "core/periodic/task/scheduler_kernel_fixture.h"
#include "core/periodic/task/scheduler_shared.h"

namespace tactus::periodic {
namespace {

using Kind = SchedulerEvent::Kind;

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
  EXPECT_EQ(told(Kind::NotAdmitted), strict.error().sentence);
  // Room again: the watchdog's next look gives the reservation.
  a.reset();
  EXPECT_EQ(told(Kind::Admitted), "Film has its reservation now.");
  EXPECT_TRUE(b->report().reserved);
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

/// The watchdog's looks in virtual time, on a thread that really has a class.
TEST_F(KernelScheduler, ATaskThatNeverEnforcesLosesItsClassForASecond) {
  VirtualTime time;
  const auto shared = std::make_shared<Scheduler::Shared>(time, *m_gate, m_trace);
  Worker worker;
  Task::Body silent(shared, 1, contract("silent", 50, 1ms));
  silent.record.threads.bind(worker.tid());
  (void)shared->table.reserveLocked(silent);
  shared->table.addLocked(silent);
  shared->classes.assignLocked();
  EXPECT_EQ(policyOf(worker.tid()), SCHED_FIFO);
  shared->watchdog.lookLocked(time.now());
  worker.perform([] { burn(150ms); });
  time.advance(2s);
  shared->watchdog.lookLocked(time.now());
  EXPECT_EQ(policyOf(worker.tid()), SCHED_OTHER);
  EXPECT_EQ(cpusOf(worker.tid()), static_cast<int>(m_scheduler->policy().cpus.size()));
  time.advance(1s);
  shared->watchdog.lookLocked(time.now());
  EXPECT_EQ(policyOf(worker.tid()), SCHED_FIFO);
  shared->classes.lowerLocked(silent);
  shared->table.removeLocked(silent);
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
  EXPECT_NE(told(Kind::ProcessorsChanged), "");
  EXPECT_EQ(m_scheduler->policy().cpus.size(), 1u);
  EXPECT_TRUE(b->report().reserved);
  EXPECT_FALSE(a->report().reserved);
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
    std::promise<void> heard;
    bool once = false;
    const auto subscription = scheduler.subscribe([&](const SchedulerEvent& event) {
      if (event.kind == Kind::RefusedClass && !std::exchange(once, true)) heard.set_value();
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
    const bool inTime = heard.get_future().wait_for(5s) == std::future_status::ready;
    const bool goesOn = !task->enforce().interrupted && task->report().kernelClass == KernelClass::None;
    scheduler.unsubscribe(subscription);
    task.reset();
    other.reset();
    _exit(inTime ? (goesOn ? 0 : 15) : 14);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
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
