// SPDX-License-Identifier: Apache-2.0
// The watchdog's looks in virtual time, without a kernel class.
#include "core/periodic/task/watchdog.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "core/periodic/simulation/virtual_time.h"
#include "core/periodic/task/scheduler_shared.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;
using Kind = SchedulerEvent::Kind;

/// A thread that waits for its end.
class MortalThread {
 public:
  ~MortalThread() { end(); }
  [[nodiscard]] pid_t id() const { return m_id; }
  void end() {
    if (!m_thread.joinable()) return;
    m_end.set_value();
    m_thread.join();
    while (cpuTimeOf(m_id)) std::this_thread::yield();  // joined a moment before the kernel forgets it
  }

 private:
  std::promise<void> m_end;
  std::promise<pid_t> m_begun;
  std::thread m_thread{[this] {
    m_begun.set_value(currentThreadId());
    m_end.get_future().wait();
  }};
  const pid_t m_id = m_begun.get_future().get();
};

class WatchdogLooks : public ::testing::Test {
 protected:
  std::unique_ptr<Task::Body> adopt(TaskContract contract, pid_t tid = currentThreadId()) {
    auto body = std::make_unique<Task::Body>(m_shared, m_shared->table.nextId(), std::move(contract));
    body->record.threads.bind(tid);
    m_shared->table.recallLocked(*body);
    (void)m_shared->table.reserveLocked(*body);
    m_shared->table.addLocked(*body);
    m_shared->classes.assignLocked();
    return body;
  }
  void retire(const std::unique_ptr<Task::Body>& body) { m_shared->table.removeLocked(*body); }
  void lookAfter(Duration length) {
    m_time.advance(length);
    m_shared->watchdog.lookLocked(m_time.now());
  }
  /// Events told since the last call, "kind: sentence" each.
  std::vector<std::pair<Kind, std::string>> told() {
    std::vector<std::pair<Kind, std::string>> events;
    const auto subscription = m_shared->events.subscribe(
        [&](const SchedulerEvent& event) { events.emplace_back(event.kind, event.sentence); });
    m_shared->events.stop();
    m_shared->events.deliver();
    m_shared->events.unsubscribe(subscription);
    return events;
  }
  static TaskContract contract(const char* name, int perSecond, Duration processing) {
    TaskContract made;
    made.name = name;
    made.lbap.rate = Rate::perSecond(perSecond);
    made.processing = processing;
    made.service = ServiceClass::Guaranteed;
    return made;
  }
  /// CPU clocks of threads are the kernel's, also in virtual time.
  static void burn(Duration cpu) {
    const Duration end = KernelTime().threadCpu() + cpu;
    while (KernelTime().threadCpu() < end) {
    }
  }
  [[nodiscard]] Duration reservedBy(const Task::Body& body) const {
    return m_shared->table.admittedLocked(body)->parts.front().demand.processing;
  }
  VirtualTime m_time;
  std::unique_ptr<KernelClassGate> m_gate = KernelClassGate::probe(KernelClass::None, {});
  TraceLog m_trace;
  std::shared_ptr<Scheduler::Shared> m_shared = std::make_shared<Scheduler::Shared>(m_time, *m_gate, m_trace);
};

TEST_F(WatchdogLooks, ATaskThatNeverEnforcesIsDemotedForASecond) {
  const auto silent = adopt(contract("silent", 50, 1ms));
  lookAfter(0s);
  burn(120ms);  // 6 % of two seconds
  lookAfter(2s);
  EXPECT_TRUE(silent->watch.demoted);
  EXPECT_EQ(silent->watch.demotions, 1u);
  auto events = told();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].first, Kind::NeverEnforces);
  EXPECT_NE(
      events[0].second.find("never says where a packet begins; it runs at normal priority for a while."),
      std::string::npos);
  lookAfter(999ms);
  EXPECT_TRUE(silent->watch.demoted);
  lookAfter(1ms);
  EXPECT_FALSE(silent->watch.demoted);
  events = told();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].second, "silent has its real-time class back.");
  retire(silent);
}

TEST_F(WatchdogLooks, DetachLetsAnEndlessPacketGoForGood) {
  auto asked = contract("stuck", 50, 1ms);
  asked.unruly = WatchPolicy::Detach;
  const auto stuck = adopt(asked);
  stuck->packets.accept({}, ByteCount{0}, {}, true);
  lookAfter(0s);
  burn(101ms);  // five periods
  lookAfter(2s);
  EXPECT_TRUE(stuck->watch.detached);
  EXPECT_TRUE(m_shared->table.reservations().list().empty());
  const auto events = told();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].first, Kind::EndlessLoop);
  EXPECT_EQ(events[0].second, "stuck has been busy with one packet for 2 s; it is let go.");
  retire(stuck);
}

TEST_F(WatchdogLooks, FarMorePacketsThanDeclaredAreReportedAndNothingElse) {
  auto asked = contract("eager", 5, 1ms);
  asked.unruly = WatchPolicy::Report;
  const auto eager = adopt(asked);
  lookAfter(0s);
  for (int i = 0; i < 40; ++i) eager->packets.accept({}, ByteCount{0}, {}, false);
  lookAfter(2s);
  const auto events = told();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].first, Kind::OffRate);
  EXPECT_EQ(events[0].second, "eager processes 20 packets a second and declared 5.");
  EXPECT_FALSE(eager->watch.demoted);
  EXPECT_NE(m_shared->table.admittedLocked(*eager), nullptr);
  retire(eager);
}

TEST_F(WatchdogLooks, AnInterruptedTaskIsNotJudged) {
  const auto paused = adopt(contract("paused", 50, 1ms));
  lookAfter(0s);
  burn(120ms);
  paused->interrupt.raise();
  lookAfter(2s);
  EXPECT_TRUE(told().empty());
  retire(paused);
}

TEST_F(WatchdogLooks, AThreadThatEndedGivesItsReservationBack) {
  MortalThread thread;
  const auto mortal = adopt(contract("mortal", 10, 30ms), thread.id());
  lookAfter(0s);
  EXPECT_EQ(m_shared->table.reservations().list().size(), 1u);
  thread.end();
  lookAfter(500ms);
  EXPECT_TRUE(m_shared->table.reservations().list().empty());
  EXPECT_EQ(mortal->record.threads.bound(), 0);
  const auto events = told();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].second, "mortal: its thread ended; what it had reserved is free again.");
  retire(mortal);
}

TEST_F(WatchdogLooks, AThreadThatMayEndGivesItsReservationBackWithoutAWord) {
  MortalThread thread;
  auto asked = contract("a library's", 10, 30ms);
  asked.mayEnd = true;
  const auto mortal = adopt(asked, thread.id());
  lookAfter(0s);
  EXPECT_EQ(m_shared->table.reservations().list().size(), 1u);
  thread.end();
  lookAfter(500ms);
  EXPECT_TRUE(m_shared->table.reservations().list().empty());
  EXPECT_EQ(mortal->record.threads.bound(), 0);
  EXPECT_TRUE(told().empty());
  retire(mortal);
}

TEST_F(WatchdogLooks, ARefusedTaskHasItsReservationAtTheNextLookAfterThereIsRoom) {
  AdmissionPolicy one = m_shared->table.policy();
  one.cpus.resize(1);
  m_shared->table.setPolicyLocked(one);
  const auto first = adopt(contract("Lecture", 10, 60ms));
  const auto second = adopt(contract("Film", 10, 50ms));
  EXPECT_EQ(m_shared->table.admittedLocked(*second), nullptr);
  EXPECT_EQ(told().at(0).first, Kind::NotAdmitted);
  lookAfter(0s);
  EXPECT_EQ(m_shared->table.admittedLocked(*second), nullptr);
  retire(first);
  lookAfter(500ms);
  EXPECT_NE(m_shared->table.admittedLocked(*second), nullptr);
  EXPECT_EQ(told().at(0).second, "Film has its reservation now.");
  retire(second);
}

TEST_F(WatchdogLooks, ProcessingTimeIsLearnedReservedAndKept) {
  auto asked = contract("learner", 200, 4ms);
  asked.service = ServiceClass::Statistical;
  asked.kind = "test learner";
  const auto first = adopt(asked);
  EXPECT_EQ(reservedBy(*first), 4ms);
  for (int i = 0; i < 40; ++i) {
    first->packets.accept({}, ByteCount{0}, {}, true);
    m_time.compute(500us);
    first->packets.complete({});
  }
  lookAfter(500ms);
  EXPECT_GE(reservedBy(*first), 550us) << "a tenth of margin";
  EXPECT_LE(reservedBy(*first), 600us);
  retire(first);
  const auto again = adopt(asked);
  EXPECT_GE(reservedBy(*again), 550us);
  EXPECT_LE(reservedBy(*again), 600us);
  retire(again);
}

TEST_F(WatchdogLooks, AReaderReservesWhatItsPeriodsCost) {
  auto asked = contract("source", 20, 10ms);
  asked.service = ServiceClass::Statistical;
  asked.enforces = false;
  const auto reader = adopt(asked);
  EXPECT_EQ(reservedBy(*reader), 10ms);
  for (int i = 0; i < 4; ++i) lookAfter(500ms);
  EXPECT_EQ(reservedBy(*reader), 10ms) << "30 periods: too few to trust";
  lookAfter(500ms);
  EXPECT_LT(reservedBy(*reader), 2ms);
  retire(reader);
}

}  // namespace
}  // namespace tactus::periodic
