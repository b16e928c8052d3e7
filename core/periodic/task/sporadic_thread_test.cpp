// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/sporadic_thread.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <semaphore>
#include <thread>
#include <utility>
#include <vector>

#include "core/periodic/simulation/virtual_time.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

TaskContract contract(std::int64_t perSecond, std::uint32_t workahead) {
  TaskContract made;
  made.name = "sporadic";
  made.realtime = false;
  made.lbap = {Rate::perSecond(perSecond), workahead};
  return made;
}

/// Time is virtual, and the loop's thread alone uses it: the callbacks run there.
class SporadicInVirtualTime : public ::testing::Test {
 protected:
  using Iterate = std::function<NextRelease(SporadicThread&)>;
  /// Runs the loop until it has done m_last iterations and sleeps. `m_runs` says when each iteration began,
  /// `m_sleeps` until when it slept.
  void run(const TaskContract& wanted, const Iterate& iterate) {
    std::promise<SporadicThread*> made;
    std::promise<void> over;
    const auto self = made.get_future().share();
    m_time.whileAsleep = [&](TimePoint until) {
      if (m_runs.size() == m_last) {
        self.get()->task().end();
        self.get()->wake();
        over.set_value();
        return;
      }
      m_sleeps.push_back(until);
      if (m_whileAsleep) m_whileAsleep(*self.get(), until);
    };
    auto thread = SporadicThread::start(m_scheduler, wanted, [&] {
      SporadicThread& here = *self.get();
      m_runs.push_back(m_time.now());
      const NextRelease next = iterate(here);
      return m_runs.size() == m_last ? NextRelease::onWake() : next;
    });
    ASSERT_TRUE(thread.ok());
    made.set_value(thread.value().get());
    over.get_future().wait();
    m_thread = std::move(thread).value();
  }
  VirtualTime m_time;
  std::unique_ptr<KernelClassGate> m_gate = KernelClassGate::probe(KernelClass::None, {});
  TraceLog m_trace;
  Scheduler m_scheduler{m_time, *m_gate, m_trace, false};
  std::function<void(SporadicThread&, TimePoint)> m_whileAsleep;
  std::size_t m_last = 0;
  std::vector<TimePoint> m_runs, m_sleeps;
  std::unique_ptr<SporadicThread> m_thread;
  const TimePoint m_begin = m_time.now();
};

TEST_F(SporadicInVirtualTime, RunsAtTheInstantsThatItAsksFor) {
  m_last = 4;
  TimePoint next = m_begin;
  run(contract(1000, 1), [&](SporadicThread&) {
    m_time.compute(1ms);
    return NextRelease::at(next += 7ms + Duration(m_runs.size()));
  });
  EXPECT_EQ(m_runs, (std::vector<TimePoint>{m_begin, m_begin + 7'000'001ns, m_begin + 14'000'003ns,
                                            m_begin + 21'000'006ns}));
  EXPECT_EQ(m_sleeps.size(), 3u);
}

TEST_F(SporadicInVirtualTime, AWakeComesBeforeTheInstant) {
  m_last = 2;
  m_whileAsleep = [&](SporadicThread& self, TimePoint) {
    m_time.advance(3ms);
    self.wake();
  };
  run(contract(1000, 1), [&](SporadicThread&) { return NextRelease::at(m_begin + 1h); });
  EXPECT_EQ(m_runs[1], m_begin + 3ms);
}

TEST_F(SporadicInVirtualTime, WakesDuringAnIterationGiveExactlyOneFurther) {
  m_last = 3;
  m_whileAsleep = [&](SporadicThread& self, TimePoint until) {
    EXPECT_EQ(until, TimePoint::max());
    EXPECT_EQ(m_runs.size(), 2u);
    self.wake();
  };
  run(contract(1000, 100), [&](SporadicThread& self) {
    if (m_runs.size() == 1)
      for (int i = 0; i < 10; ++i) self.wake();
    return NextRelease::onWake();
  });
  EXPECT_EQ(m_sleeps.size(), 1u);
}

TEST_F(SporadicInVirtualTime, AStormOfWakesGetsTheRateAndTheWorkaheadOfTheContract) {
  m_last = 100;
  const auto storm = [](SporadicThread& self) {
    for (int i = 0; i < 100; ++i) self.wake();
  };
  m_whileAsleep = [&](SporadicThread& self, TimePoint) { storm(self); };
  run(contract(10, 3), [&](SporadicThread& self) {
    if (m_runs.size() < m_last) storm(self);
    return NextRelease::onWake();
  });
  for (std::size_t i = 0; i < m_runs.size(); ++i)
    EXPECT_EQ(m_runs[i], m_begin + (i < 3 ? 0ms : static_cast<int>(i - 2) * 100ms)) << i;
}

TEST_F(SporadicInVirtualTime, InstantsThatHavePassedEarnNoCredit) {
  m_last = 6;
  run(contract(10, 1), [&](SporadicThread&) {
    if (m_runs.size() == 1) m_time.advance(10s);
    return NextRelease::at(m_begin);
  });
  for (std::size_t i = 1; i < m_runs.size(); ++i)
    EXPECT_EQ(m_runs[i], m_begin + 10s + static_cast<int>(i - 1) * 100ms) << i;
}

TEST_F(SporadicInVirtualTime, EachRunIsAPacketWithLaxityFromItsInstant) {
  m_last = 3;
  m_whileAsleep = [&](SporadicThread&, TimePoint until) {
    if (m_runs.size() == 2) m_time.advance(until - m_time.now() + 130ms);  // it is woken too late
  };
  run(contract(10, 1), [&](SporadicThread&) {
    m_time.compute(30ms);
    return NextRelease::at(m_time.now() + 1s);
  });
  const TaskStatistics figures = m_thread->task().report().statistics;
  EXPECT_EQ(figures.completed, 3u);
  EXPECT_EQ(figures.laxity.maximum, 70ms);
  EXPECT_EQ(figures.laxity.minimum, -60ms) << "130 ms late and 30 ms of work, of a period of 100 ms";
  EXPECT_EQ(figures.misses, 1u);
}

TEST_F(SporadicInVirtualTime, InterruptedItSleepsAndAllWakesMeanwhileAreOne) {
  m_last = 3;
  m_whileAsleep = [&](SporadicThread& self, TimePoint until) {
    EXPECT_EQ(until, TimePoint::max());
    for (int i = 0; i < 1000; ++i) self.wake();
    if (m_runs.size() != 1) return;
    m_time.advance(1h);
    self.task().resume();
  };
  run(contract(1000, 2), [&](SporadicThread& self) {
    if (m_runs.size() == 1) self.task().interrupt();
    return NextRelease::onWake();
  });
  EXPECT_EQ(m_runs, (std::vector<TimePoint>{m_begin, m_begin + 1h, m_begin + 1h}));
  EXPECT_EQ(m_sleeps.size(), 2u) << "for resume(), and for a wake() after the second run";
  EXPECT_EQ(m_thread->task().counters().misses, 0u);
}

TEST_F(SporadicInVirtualTime, AnInterruptedWaitForItsTurnIsMadeUpForAfterResume) {
  m_last = 2;
  m_whileAsleep = [&](SporadicThread& self, TimePoint until) {
    if (until == TimePoint::max()) {
      self.task().resume();
    } else {
      self.task().interrupt();  // in enforce(): the second run is too early
    }
  };
  run(contract(10, 1), [&](SporadicThread& self) {
    if (m_runs.size() == 1) self.wake();
    return NextRelease::onWake();
  });
  EXPECT_EQ(m_runs, (std::vector<TimePoint>{m_begin, m_begin}));
  EXPECT_EQ(m_thread->task().counters().completed, 2u);
  EXPECT_EQ(m_thread->task().counters().packets, 3u);
}

/// The kernel's time, and threads that wait for one another for ever if a wake-up is lost.
class SporadicThreads : public ::testing::Test {
 protected:
  KernelTime m_time;
  std::unique_ptr<KernelClassGate> m_gate = KernelClassGate::probe(KernelClass::None, {});
  TraceLog m_trace;
  Scheduler m_scheduler{m_time, *m_gate, m_trace, false};
  const TaskContract m_unbounded = contract(1'000'000, 1'000'000);
};

TEST_F(SporadicThreads, AStormOfWakesFromFourThreadsLosesNone) {
  constexpr int kThreads = 4;
  constexpr int kEach = 25'000;
  std::atomic<int> done{0};
  std::promise<void> all;
  int runs = 0;
  bool told = false;
  auto thread = SporadicThread::start(m_scheduler, m_unbounded, [&] {
    ++runs;
    // relaxed: wake() itself is what orders it.
    if (done.load(std::memory_order_relaxed) == kThreads * kEach && !std::exchange(told, true))
      all.set_value();
    return NextRelease::onWake();
  });
  ASSERT_TRUE(thread.ok());
  std::vector<std::thread> wakers;
  for (int i = 0; i < kThreads; ++i) {
    wakers.emplace_back([&] {
      for (int j = 0; j < kEach; ++j) {
        done.fetch_add(1, std::memory_order_relaxed);
        thread.value()->wake();
      }
    });
  }
  for (std::thread& each : wakers) each.join();
  all.get_future().wait();
  thread.value().reset();
  EXPECT_LE(runs, kThreads * kEach + 1);
}

TEST_F(SporadicThreads, EachWakeOfASleeperIsAnsweredAndBringsWhatWasDoneBefore) {
  int question = 0;
  int answer = -1;
  std::binary_semaphore answered{0};
  auto thread = SporadicThread::start(m_scheduler, m_unbounded, [&] {
    answer = question;
    answered.release();
    return NextRelease::onWake();
  });
  ASSERT_TRUE(thread.ok());
  answered.acquire();
  for (int i = 1; i <= 500; ++i) {
    question = i;
    thread.value()->wake();
    answered.acquire();
    ASSERT_EQ(answer, i);
  }
}

TEST_F(SporadicThreads, AWakeEndsTheWaitForAFarInstant) {
  std::binary_semaphore ran{0};
  auto thread = SporadicThread::start(m_scheduler, m_unbounded, [&] {
    ran.release();
    return NextRelease::at(MonotonicClock::now() + 1h);
  });
  ASSERT_TRUE(thread.ok());
  for (int i = 0; i < 300; ++i) {
    ran.acquire();
    thread.value()->wake();
  }
}

TEST_F(SporadicThreads, AnInstantIsKeptWithoutAnyWake) {
  std::promise<void> third;
  int runs = 0;
  auto thread = SporadicThread::start(m_scheduler, m_unbounded, [&] {
    if (++runs < 3) return NextRelease::at(MonotonicClock::now() + 1ms);
    third.set_value();
    return NextRelease::never();
  });
  ASSERT_TRUE(thread.ok());
  third.get_future().wait();
}

TEST_F(SporadicThreads, EndsAtOnceWhereverItWaits) {
  enum class Waits { ForAWake, ForAnInstant, ForItsTurn, ForResume };
  for (const Waits waits : {Waits::ForAWake, Waits::ForAnInstant, Waits::ForItsTurn, Waits::ForResume}) {
    TaskContract hourly = contract(1, 1);
    hourly.lbap.rate = Rate::perSecond(1, 3600);
    std::promise<void> begun;
    auto thread = SporadicThread::start(m_scheduler, hourly, [&] {
      begun.set_value();  // throws if there is a second run
      if (waits == Waits::ForAnInstant) return NextRelease::at(MonotonicClock::now() + 1h);
      return NextRelease::onWake();
    });
    ASSERT_TRUE(thread.ok());
    begun.get_future().wait();
    if (waits == Waits::ForItsTurn) thread.value()->wake();
    if (waits == Waits::ForResume) thread.value()->task().interrupt();
  }
}

TEST_F(SporadicThreads, AContractOutOfRangeIsRefused) {
  TaskContract nonsense = contract(1, 0);
  const auto thread = SporadicThread::start(m_scheduler, nonsense, [] { return NextRelease::never(); });
  ASSERT_FALSE(thread.ok());
  EXPECT_EQ(thread.error().code, ErrorCode::InvalidArgument);
}

}  // namespace
}  // namespace tactus::periodic
