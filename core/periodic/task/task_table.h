// SPDX-License-Identifier: Apache-2.0
#pragma once

// Internal to core/periodic: the table behind Scheduler and Task.

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "core/periodic/kernel/budget_signal.h"
#include "core/periodic/kernel/priority_inheritance_mutex.h"
#include "core/periodic/task/budget_watch.h"
#include "core/periodic/task/scheduler.h"
#include "core/periodic/task/task.h"
#include "core/periodic/task/terms_handover.h"

namespace tactus::periodic {

/// A thread of a task and how far its CPU clock has been read.
struct BoundThread {
  pid_t tid = 0;
  Duration cpuAtBind{0};
  Duration cpuRead{0};  ///< last reading; kept when the thread ends
};

struct Task::Body {
  Body(std::shared_ptr<Scheduler::Shared> table, std::uint64_t number, TaskContract asked);

  // Any thread, fixed after construction.
  std::shared_ptr<Scheduler::Shared> shared;  // shared: a task may outlive its scheduler
  const std::uint64_t id;
  TimeSource& time;
  std::shared_ptr<TraceRing> ring;  // shared with the trace log, which exports it after the task ended
  TraceLog& trace;
  Interrupt interrupt;

  // Guarded by the table's mutex.
  TaskContract contract;
  BoundThread thread;
  std::vector<BoundThread> workers;
  Duration cpuBefore{0};  // of threads bound earlier
  KernelClass kernelClass = KernelClass::None;
  int priority = 0;
  int onCpu = -1;         // the bound thread is kept on; -1 = any
  bool givesWay = false;  // to ordinary programs, with what it does early
  bool demoted = false;
  bool detached = false;
  std::uint64_t demotions = 0;
  std::uint64_t patrolOverruns = 0;
  ReservationId reservation = ReservationId::None;
  std::string refusal;     // why it holds none
  Duration retryAfter{0};  // it asks again, less and less often
  TimePoint retryAt{};
  std::optional<ProcessingTimes> known;  // from earlier runs
  std::unique_ptr<BudgetSignal> signalOwner;
  pid_t signalTid = 0;
  std::vector<std::unique_ptr<BudgetSignal>> retiredSignals;  // a thread bound before may still touch its own

  // The watchdog's, guarded by the table's mutex.
  TimePoint checked{};
  std::uint64_t packetsChecked = 0;
  std::uint64_t overrunsTold = 0;
  TimePoint overrunTellable{};
  Duration cpuChecked{0};
  Duration workersMeasured{0};
  TimePoint readerMeasured{};
  std::uint64_t packetsMeasured = 0;
  std::optional<SchedulerEvent::Kind> unruly;  ///< what the last look back found
  std::int64_t refillPacket = -1;              // openSince of the packet that exceeded its budget
  TimePoint refillAt{};                        // when it is given another
  std::optional<Duration> refilledCpu;         // its thread's CPU time when it was; nullopt = it waits for it

  // From any thread to the bound one.
  std::atomic<int> ownLevel{0};      // level it may give itself; 0 = it may not
  std::atomic<int> overrunLevel{0};  // where its handler puts it: a level, or kOrdinary; 0 = nowhere
  std::atomic<std::int64_t> budget{0};
  std::atomic<std::int64_t> share{0};  // reserved, in millionths of a CPU
  std::atomic<int> level{0};           // in force, for the trace
  std::atomic<bool> hasWorkers{false};
  std::atomic<bool> patrolled{false};  // the watchdog lowered it inside this packet, for want of a signal
  // By the bound thread, for the watchdog: CPU time at the packet's begin, -1 = none is open.
  std::atomic<std::int64_t> openSince{-1};
  std::atomic<BudgetSignal*> signal{nullptr};
  TermsHandOver terms;  // published under the table's mutex
  std::atomic<bool> reanchor{false};
  std::atomic<bool> clear{false};

  // Between the bound thread and the dispatcher: when an early packet becomes critical, in ns; 0 = nothing to
  // do, -1 = being promoted. With kLowering: the thread is about to lower itself, and may be anywhere in
  // that.
  static constexpr std::int64_t kLowering = 1;
  std::atomic<std::int64_t> promoteAt{0};

  // Bound thread only.
  LbapRegulator regulator;
  Duration relativeDeadline;  // of the contract; zero = one period
  const EarlyPackets early;
  const Duration spin;
  bool open = false;
  bool measured = false;  // cpuAtBegin belongs to a packet worth learning from
  bool lowered = false;   // by itself, for an early packet
  Duration cpuAtBegin{0};
  int levelTraced = 0;
  std::int64_t shareTraced = 0;
  TimePoint logicalArrival;
  TimePoint begin;
  TimePoint deadline;

  // Written by the bound thread, read by anybody.
  std::atomic<std::uint64_t> packets{0}, completed{0}, misses{0}, violations{0};
  DurationHistogram laxity, responseTime, waited;
  ProcessingEstimate estimate;  // written by the watchdog instead where there are workers

  Enforced accept(std::optional<Duration> spacing, ByteCount size, std::optional<TimePoint> arrived,
                  bool mayWait) TACTUS_REALTIME;
  void finish(TimePoint now, std::optional<TimePoint> dueInstead) TACTUS_REALTIME;
  void applyChanges() TACTUS_REALTIME;
  void closePacket() TACTUS_REALTIME;
  void forgive() TACTUS_REALTIME;
  void openPacket(bool isEarly) TACTUS_REALTIME;
  void record(TraceEvent event, TimePoint at, Duration length, std::int64_t value) TACTUS_REALTIME;

  // Under the table's mutex.
  void readCpuLocked() noexcept;
  [[nodiscard]] Duration cpuLocked() const noexcept;
  [[nodiscard]] TaskReport reportLocked();
};

struct Scheduler::Shared {
  Shared(TimeSource& timeSource, KernelClassGate& kernelGate, TraceLog& traceLog);

  TimeSource& time;
  KernelClassGate& gate;
  TraceLog& trace;

  PriorityInheritanceMutex mutex;
  std::vector<Task::Body*> tasks;  // each removes itself
  ReservationTable table;
  ProcessingMemory memory;
  std::string budgetRefusal;    // why overruns are not ended by signal
  std::vector<int> wantedCpus;  // by setPolicy(); empty = whatever the process may use
  TimePoint nextCheck{};
  std::vector<pid_t> strays;  // threads that were looked at and are no task's
  std::uint64_t nextId = 1;
  BudgetWatch watch;
  std::vector<BudgetWatch::Reading> readings;  // the watchdog's, kept for its capacity

  // Events: posted by anybody, delivered by the companion thread.
  std::mutex eventMutex;
  std::condition_variable eventReady;
  std::deque<SchedulerEvent> events;
  std::mutex handlerMutex;  // held during a delivery, so that setEventHandler() returns after it
  std::function<void(const SchedulerEvent&)> handler;
  bool stop = false;

  // The dispatcher sleeps until its next look or the earliest promotion; an earlier one wakes it.
  Interrupt wake;
  std::atomic<bool> watchdogStop{false};
  std::atomic<std::int64_t> nextLook{0};

  [[nodiscard]] ReservationContract reservationOf(const Task::Body& body) const;
  /// Admission for a task as it is now, by a new reservation or a change of its own.
  [[nodiscard]] Result<void, AdmissionRefusal> admitLocked(Task::Body& body);
  /// The same, and tells. Refused: body.refusal says why.
  Result<void, AdmissionRefusal> reserveLocked(Task::Body& body);
  [[nodiscard]] Result<void, AdmissionRefusal> amendLocked(Task::Body& body, const ContractPatch& patch);
  void releaseLocked(Task::Body& body);
  /// Classes, levels and processors of all threads follow the table.
  void assignPrioritiesLocked();
  void applyClassLocked(Task::Body& body, int priority, const ReservationEntry* entry);
  void superviseLocked(Task::Body& body);
  void giveWayLocked(Task::Body& body, bool gives) noexcept;
  void lowerLocked(Task::Body& body) noexcept;
  void checkLocked(TimePoint now);
  void checkTaskLocked(Task::Body& body, TimePoint now);
  void checkProcessorsLocked();
  void freeStraysLocked();
  void followProcessingLocked(Task::Body& body);
  void promoteSoon(TimePoint at) TACTUS_REALTIME;
  [[nodiscard]] TimePoint promoteLocked(TimePoint now);
  [[nodiscard]] TimePoint patrolLocked(TimePoint now);
  [[nodiscard]] TimePoint refillLocked(TimePoint now);
  void post(SchedulerEvent event);
  void watchOnce();
  void watchLoop();
  void deliverLoop();
};

/// CPU time of a thread of this process; nullopt when it has ended.
[[nodiscard]] std::optional<Duration> cpuTimeOf(pid_t tid) noexcept;

}  // namespace tactus::periodic
