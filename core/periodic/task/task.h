// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/admission/reservation_table.h"
#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/task/task_contract.h"
#include "core/periodic/time/time.h"
#include "core/periodic/trace/histogram.h"
#include "core/periodic/trace/trace.h"
#include "core/periodic/workload/lbap.h"
#include "core/periodic/workload/processing_estimate.h"

namespace tactus::periodic {

/// What came of one packet's enforce().
struct Enforced {
  TimePoint logicalArrival;
  Duration waited{0};
  bool interrupted = false;  ///< the wait ended early because of interrupt()
};

/// Figures of a task since it began (or since clearStatistics()). All counts are of packets.
struct TaskStatistics {
  std::uint64_t packets = 0;
  std::uint64_t completed = 0;
  std::uint64_t misses = 0;                  ///< completed after their deadline
  std::uint64_t violations = 0;              ///< arrived outside the LBAP and had to wait
  std::uint64_t demotions = 0;               ///< times the watchdog took the class away
  std::uint64_t overruns = 0;                ///< packets demoted because their reserved time was used up
  Duration cpuTime{0};                       ///< of the bound thread and its workers while bound
  DurationHistogram::Snapshot laxity;        ///< deadline - completion
  DurationHistogram::Snapshot responseTime;  ///< completion - logical arrival (or actual, if processed early)
  DurationHistogram::Snapshot waited;        ///< time spent inside enforce()
  std::optional<ProcessingTimes> processing;  ///< CPU time of one packet, as learned
};

/// What changes with every packet, without the distributions: cheap enough to ask many times a second.
struct TaskCounters {
  std::uint64_t packets = 0, completed = 0, misses = 0;
  Duration cpuTime{0};
  TaskCounters& operator+=(const TaskCounters& more) noexcept {
    packets += more.packets;
    completed += more.completed;
    misses += more.misses;
    cpuTime += more.cpuTime;
    return *this;
  }
};

struct TaskReport {
  std::uint64_t id = 0;
  TaskContract contract;
  pid_t tid = 0;                                ///< 0 when no thread is bound
  int workers = 0;                              ///< further threads adopted for this task
  KernelClass kernelClass = KernelClass::None;  ///< in force now
  int priority = 0;                             ///< in force now; 0 = none
  bool reserved = false;                        ///< holds a reservation
  std::vector<ReservedPart> parts;              ///< of the reservation, one a thread
  std::string refusal;                          ///< why it holds none; a sentence
  bool budgetBySignal = false;                  ///< an overrun ends within tens of microseconds
  TaskStatistics statistics;
};

/// What a task's loop met before its next packet.
enum class Pause {
  None,     ///< nobody interrupts
  Ended,    ///< by resume(): the loop waited, and goes on
  ForGood,  ///< by end(): the loop is to return
};

class Scheduler;

/// A contract bound to a thread. Made by Scheduler::adopt(). Methods marked "bound thread" are called by the
/// thread that processes the packets, and by no other.
class Task {
 public:
  ~Task();
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  /// The paper's LBAP_enforce: blocks until the packet that is about to be processed conforms (its logical
  /// arrival time less the workahead), or until interrupt(). Also ends the previous packet if complete() was
  /// not called. Bound thread. Real-time-safe: yes.
  ///
  /// `arrival`, if given, is when the packet was there to be processed, where the caller knows that it was
  /// earlier than this call: a thread that was held up is late, its stream is not, and catches up.
  Enforced enforce(std::optional<Duration> spacing = {}, ByteCount size = ByteCount{0},
                   std::optional<TimePoint> arrival = {}) TACTUS_REALTIME;

  /// As enforce() but never waits; the packet is accounted for. For work that must pass at once (preroll,
  /// packets decoded only to reach a seek target). Bound thread. Real-time-safe: yes.
  Enforced pass(std::optional<Duration> spacing = {}, ByteCount size = ByteCount{0}) TACTUS_REALTIME;

  /// The paper's LBAP_poll: says what would happen to a packet now. Bound thread. Real-time-safe: yes.
  [[nodiscard]] Verdict poll(std::optional<Duration> spacing = {}) const TACTUS_REALTIME;

  /// The packet last passed is done: takes laxity, response time and misses. `deadline` overrides l(i) + D
  /// when the caller knows a better one (the instant a frame is due on the screen). A second call for one
  /// packet does nothing. Bound thread. Real-time-safe: yes.
  void complete(std::optional<TimePoint> deadline = {}) TACTUS_REALTIME;
  /// The packet last passed was given up: no laxity is taken. Bound thread. Real-time-safe: yes.
  void abandon(std::int64_t reason) TACTUS_REALTIME;

  /// What its packets' instants are read from. Any thread. Real-time-safe: yes.
  [[nodiscard]] TimeSource& time() const noexcept;

  /// Ends a wait in enforce() and makes further ones return at once, until resume(). Any thread.
  /// Real-time-safe: yes.
  void interrupt() noexcept;
  /// Waits last again and the next packet re-anchors the regulator. Any thread. Real-time-safe: yes.
  void resume() noexcept;
  /// interrupt() for good: awaitResume() says so. Any thread. Real-time-safe: yes.
  void end() noexcept;
  /// Blocks while interrupt() is in force, until resume() or end(). For loops, which would spin on enforce()
  /// otherwise. Bound thread. Real-time-safe: yes.
  [[nodiscard]] Pause awaitResume() TACTUS_REALTIME;
  /// The next packet re-anchors the regulator (gap, pause, seek). Any thread. Real-time-safe: yes.
  void reanchor() noexcept;

  /// Changes single fields of the contract under the table's lock; admission runs again, priorities are
  /// assigned anew, and rate, workahead and deadline reach the bound thread with its next packet. A patch
  /// that changes nothing is not admitted anew. Refused: a task with a reservation keeps it and the old
  /// contract; one without goes by the new contract, still without; a new LBAP holds either way, and the task
  /// goes on without a reservation, in the overrun band, and an event says so. InvalidArgument, and no
  /// change, for values out of range. Any thread. Real-time-safe: no (locks, system calls).
  [[nodiscard]] Result<void, AdmissionRefusal> amend(const ContractPatch& patch);

  /// Further threads that work for this task (a decoder's worker threads): they get its class and priority,
  /// and their CPU time counts as its own. Replaces the earlier set. Any thread. Real-time-safe: no.
  void setWorkers(std::span<const pid_t> tids);

  /// Binds another thread (tid of this process), or none with 0. Any thread. Real-time-safe: no.
  void bind(pid_t tid);

  [[nodiscard]] TaskReport report() const;
  /// Any thread. Real-time-safe: no.
  [[nodiscard]] TaskContract contract() const;
  /// Any thread. Real-time-safe: no (lock, a clock a thread).
  [[nodiscard]] TaskCounters counters() const;
  void clearStatistics() noexcept;  ///< takes effect with the next packet
  [[nodiscard]] std::uint64_t id() const noexcept;

  struct Body;  // internal to core/periodic

 private:
  friend class Scheduler;
  explicit Task(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> m_body;
};

}  // namespace tactus::periodic
