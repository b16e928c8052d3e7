// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/periodic_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <vector>

#include "core/periodic/simulation/virtual_time.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

class PeriodicThreads : public ::testing::Test {
 protected:
  static TaskContract contract(std::int64_t perSecond) {
    TaskContract made;
    made.name = "periodic";
    made.realtime = false;
    made.lbap.rate = Rate::perSecond(perSecond);
    return made;
  }
  std::unique_ptr<KernelClassGate> m_gate = KernelClassGate::probe(KernelClass::None, {});
  TraceLog m_trace;
};

/// Time is virtual, and the loop's thread alone uses it.
TEST_F(PeriodicThreads, AnInterruptedThreadSleepsUntilItIsResumed) {
  VirtualTime time;
  Scheduler scheduler(time, *m_gate, m_trace, false);
  const TimePoint begin = time.now();
  std::promise<Task*> task;
  const auto shared = task.get_future().share();
  int sleepsForEver = 0;
  std::uint64_t packetsWhilePaused = 0;
  time.whileAsleep = [&](TimePoint until) {
    if (until != TimePoint::max()) return;
    ++sleepsForEver;
    packetsWhilePaused = shared.get()->counters().packets;
    time.advance(1h);
    shared.get()->resume();
  };
  std::vector<TimePoint> runs;
  std::promise<void> over;
  {
    auto thread = PeriodicThread::start(scheduler, contract(10), [&] {
      runs.push_back(time.now());
      if (runs.size() == 3) shared.get()->interrupt();
      if (runs.size() < 5) return true;
      over.set_value();
      return false;
    });
    ASSERT_TRUE(thread.ok());
    task.set_value(&thread.value()->task());
    over.get_future().wait();
  }
  EXPECT_EQ(runs, (std::vector<TimePoint>{begin, begin + 100ms, begin + 200ms, begin + 1h + 200ms,
                                          begin + 1h + 300ms}));
  EXPECT_EQ(sleepsForEver, 1);
  EXPECT_EQ(packetsWhilePaused, 3u);
}

TEST_F(PeriodicThreads, AWaitThatIsInterruptedIsNoMiss) {
  VirtualTime time;
  Scheduler scheduler(time, *m_gate, m_trace, false);
  std::promise<Task*> task;
  const auto shared = task.get_future().share();
  time.whileAsleep = [&](TimePoint until) {
    if (until == TimePoint::max()) {
      time.advance(1h);
      shared.get()->resume();
    } else {
      shared.get()->interrupt();
    }
  };
  std::promise<void> over;
  int runs = 0;
  auto thread = PeriodicThread::start(scheduler, contract(10), [&] {
    if (++runs == 1) shared.wait();
    if (runs < 4) return true;
    over.set_value();
    return false;
  });
  ASSERT_TRUE(thread.ok());
  task.set_value(&thread.value()->task());
  over.get_future().wait();
  EXPECT_EQ(thread.value()->task().counters().completed, 3u) << "of four, of which the last ends the loop";
  EXPECT_EQ(thread.value()->task().counters().misses, 0u);
}

TEST_F(PeriodicThreads, EndsAtOnceFromALongWaitAndWhileInterrupted) {
  KernelTime time;
  Scheduler scheduler(time, *m_gate, m_trace, false);
  TaskContract hourly = contract(1);
  hourly.lbap.rate = Rate::perSecond(1, 3600);
  for (const bool interrupted : {false, true}) {
    std::promise<void> begun;
    auto thread = PeriodicThread::start(scheduler, hourly, [&] {
      begun.set_value();  // throws if there is a second run
      return true;
    });
    ASSERT_TRUE(thread.ok());
    begun.get_future().wait();
    if (interrupted) thread.value()->task().interrupt();
  }
}

TEST_F(PeriodicThreads, GoesOnAsOftenAsItIsResumed) {
  KernelTime time;
  Scheduler scheduler(time, *m_gate, m_trace, false);
  std::atomic<int> runs{0};
  auto thread = PeriodicThread::start(scheduler, contract(1000), [&] {
    ++runs;
    runs.notify_one();
    return true;
  });
  ASSERT_TRUE(thread.ok());
  for (int i = 0; i < 200; ++i) {
    thread.value()->task().interrupt();
    const int before = runs;
    thread.value()->task().resume();
    runs.wait(before);  // for ever, if a resume() is lost
  }
}

}  // namespace
}  // namespace tactus::periodic
