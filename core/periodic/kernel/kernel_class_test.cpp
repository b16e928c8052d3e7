// SPDX-License-Identifier: Apache-2.0
// The only tests here that touch the kernel: classes are really set and read back, and one thread really
// loops.
#include "core/periodic/kernel/kernel_class.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <future>
#include <thread>

#include "core/periodic/task/periodic_thread.h"
#include "core/periodic/task/scheduler.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

class Broker final : public RealtimeBroker {
 public:
  Broker(KernelClass kernelClass, bool grants) : m_class(kernelClass), m_grants(grants) {}
  KernelClass kernelClass() const noexcept override { return m_class; }
  Result<int> maxPriority() override {
    if (!m_grants) return Error{ErrorCode::Unavailable, "nobody is there."};
    return 20;
  }
  Duration rttimeLimit() override { return 200ms; }
  Result<void> makeRealtime(pid_t, int) override { return {}; }

 private:
  KernelClass m_class;
  bool m_grants;
};

std::vector<std::unique_ptr<RealtimeBroker>> brokers(bool rtkit, bool portal) {
  std::vector<std::unique_ptr<RealtimeBroker>> list;
  list.push_back(std::make_unique<Broker>(KernelClass::RtkitRr, rtkit));
  list.push_back(std::make_unique<Broker>(KernelClass::PortalRr, portal));
  return list;
}

/// What a child ended with: its exit status, or the signal that killed it, negative.
int outcomeOf(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child) return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

TEST(KernelClassGate, NotAskedForMeansNoneAndTheReasonIsKept) {
  const auto gate = KernelClassGate::probe(KernelClass::None, {});
  EXPECT_EQ(gate->granted(), KernelClass::None);
  ASSERT_EQ(gate->refusals().size(), 1u);
  EXPECT_EQ(gate->refusals()[0].reason, "it was not asked for.");
  EXPECT_TRUE(gate->raise(currentThreadId(), 10).ok()) << "nothing is granted, nothing fails";
}

TEST(KernelClassGate, RtkitComesBeforeThePortalAndThePortalBeforeNothing) {
  // In a child: a broker's grant sets RLIMIT_RTTIME, which cannot be raised again.
  const pid_t child = fork();
  if (child == 0) {
    int failures = 0;
    failures +=
        KernelClassGate::probe(KernelClass::RtkitRr, brokers(true, true))->granted() != KernelClass::RtkitRr;
    failures += KernelClassGate::probe(KernelClass::RtkitRr, brokers(false, true))->granted() !=
                KernelClass::PortalRr;
    const auto none = KernelClassGate::probe(KernelClass::RtkitRr, brokers(false, false));
    failures += none->granted() != KernelClass::None || none->refusals().size() != 3;
    failures += KernelClassGate::probe(KernelClass::PortalRr, brokers(true, true))->granted() !=
                KernelClass::PortalRr;
    _exit(failures);
  }
  EXPECT_EQ(outcomeOf(child), 0);
}

TEST(KernelClassGate, RaisedThreadReallyIsFifoAndLoweredAgain) {
  const auto gate = KernelClassGate::probe(KernelClass::Fifo, {});
  if (gate->granted() != KernelClass::Fifo) GTEST_SKIP() << "SCHED_FIFO: " << gate->refusals()[0].reason;
  std::thread([&] {
    EXPECT_TRUE(gate->raise(currentThreadId(), 17).ok());
    EXPECT_EQ(sched_getscheduler(0), SCHED_FIFO | SCHED_RESET_ON_FORK);
    sched_param param{};
    sched_getparam(0, &param);
    EXPECT_EQ(param.sched_priority, 17);
    gate->lower(currentThreadId());
    EXPECT_EQ(sched_getscheduler(0) & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
  }).join();
}

TEST(KernelClassGate, WithoutPrivilegeEverythingWorksWithoutAClass) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give its privileges up";
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{0, 0};
    setrlimit(RLIMIT_RTPRIO, &none);
    if (setuid(65534) != 0) _exit(10);
    const auto gate = KernelClassGate::probe(KernelClass::Fifo, {});
    if (gate->granted() != KernelClass::None) _exit(11);
    if (gate->refusals()[0].reason.find("RLIMIT_RTPRIO is 0") == std::string::npos) _exit(12);
    KernelTime time;
    TraceLog trace;
    Scheduler scheduler(time, *gate, trace);
    TaskContract contract;
    contract.name = "unprivileged";
    contract.lbap.rate = Rate::perSecond(200);
    int rounds = 0;
    std::promise<void> tenth;
    {
      auto thread = PeriodicThread::start(scheduler, contract, [&] {
        if (++rounds == 10) tenth.set_value();
        return rounds < 10;
      });
      if (!thread.ok()) _exit(13);
      if (tenth.get_future().wait_for(5s) != std::future_status::ready) _exit(14);
    }
    _exit(rounds == 10 ? 0 : 15);
  }
  EXPECT_EQ(outcomeOf(child), 0);
}

TEST(Watchdog, EndlessLoopLosesItsClassAndTheUserIsTold) {
  const auto gate = KernelClassGate::probe(KernelClass::Fifo, {});
  if (gate->granted() != KernelClass::Fifo) GTEST_SKIP() << "SCHED_FIFO: " << gate->refusals()[0].reason;
  KernelTime time;
  TraceLog trace;
  Scheduler scheduler(time, *gate, trace);
  std::promise<std::string> told;
  std::atomic<bool> once{false};
  const auto subscription = scheduler.subscribe([&](const SchedulerEvent& event) {
    if (event.kind == SchedulerEvent::Kind::Demoted && !once.exchange(true)) told.set_value(event.sentence);
  });
  TaskContract contract;
  contract.name = "loop";
  std::atomic<bool> end{false};
  std::atomic<pid_t> tid{0};
  std::thread looper([&] {
    tid = currentThreadId();
    tid.notify_all();
    while (!end.load(std::memory_order_relaxed)) {
    }
  });
  tid.wait(0);
  auto task = scheduler.adopt(contract, tid);
  auto sentence = told.get_future();
  const bool inTime = sentence.wait_for(5s) == std::future_status::ready;
  const int policy = sched_getscheduler(tid);
  end = true;
  looper.join();
  ASSERT_TRUE(inTime);
  EXPECT_EQ(policy & ~SCHED_RESET_ON_FORK, SCHED_OTHER);
  EXPECT_NE(sentence.get().find("loop used "), std::string::npos);
  EXPECT_EQ(task.value()->report().statistics.demotions, 1u);
  scheduler.unsubscribe(subscription);
}

/// Grants everything and says when it was asked for a thread a second time.
class CountingBroker final : public RealtimeBroker {
 public:
  CountingBroker(pid_t thread, std::promise<void>& again) : m_thread(thread), m_again(again) {}
  KernelClass kernelClass() const noexcept override { return KernelClass::RtkitRr; }
  Result<int> maxPriority() override { return 20; }
  Duration rttimeLimit() override { return 200ms; }
  Result<void> makeRealtime(pid_t tid, int) override {
    if (tid == m_thread && ++m_asked == 2) m_again.set_value();
    return {};
  }

 private:
  const pid_t m_thread;
  std::promise<void>& m_again;
  std::atomic<int> m_asked{0};
};

int kernelLimitIsFollowed() {
  std::promise<void> again, demoted;
  std::promise<pid_t> modest;
  std::promise<void> end;
  std::thread other([&] {
    modest.set_value(currentThreadId());
    end.get_future().wait();
  });
  const pid_t tid = modest.get_future().get();
  std::vector<std::unique_ptr<RealtimeBroker>> list;
  list.push_back(std::make_unique<CountingBroker>(tid, again));
  const auto gate = KernelClassGate::probe(KernelClass::RtkitRr, std::move(list));
  if (gate->granted() != KernelClass::RtkitRr) return 10;
  KernelTime time;
  TraceLog trace;
  Scheduler scheduler(time, *gate, trace);
  const auto subscription = scheduler.subscribe([&](const SchedulerEvent& event) {
    if (event.kind == SchedulerEvent::Kind::Demoted && event.taskName == "greedy") demoted.set_value();
  });
  TaskContract contract;
  contract.unruly = WatchPolicy::Demote;
  contract.name = "modest";
  auto first = scheduler.adopt(contract, tid).value();
  contract.name = "greedy";
  auto second = scheduler.adopt(contract, currentThreadId()).value();
  const Duration busy = time.threadCpu() + 100ms;
  while (time.threadCpu() < busy) {
  }
  raise(SIGXCPU);
  const int told = demoted.get_future().wait_for(5s) == std::future_status::ready ? 0 : 11;
  const int restored = again.get_future().wait_for(5s) == std::future_status::ready ? 0 : 12;
  scheduler.unsubscribe(subscription);
  end.set_value();
  other.join();
  return std::max(told, restored);
}

TEST(Watchdog, AfterTheKernelsLimitAllButTheGreediestHaveTheirClassAgain) {
  const pid_t child = fork();  // the limit cannot be raised again
  if (child == 0) {
    int failure = 0;
    // A thread of its own: the id of the main one is known from before the fork.
    std::thread([&] { failure = kernelLimitIsFollowed(); }).join();
    _exit(failure);
  }
  EXPECT_EQ(outcomeOf(child), 0);
}

}  // namespace
}  // namespace tactus::periodic
