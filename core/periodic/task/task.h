// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/periodic/admission/reservation_table.h"
#include "core/periodic/kernel/kernel_class.h"
#include "core/periodic/time/time.h"
#include "core/periodic/trace/histogram.h"
#include "core/periodic/trace/trace.h"
#include "core/periodic/workload/lbap.h"
#include "core/periodic/workload/processing_estimate.h"

namespace tactus::periodic {

/// The stage of a pipeline that a task carries out.
enum class Stage { Source, VideoDecode, AudioDecode, VideoDisplay, Audio, Render, Other };
[[nodiscard]] std::string_view nameOf(Stage stage) noexcept;  // "source", "video decode", "audio decode", ...

/// What becomes of a packet that LBAP's W lets pass before its logical arrival time.
enum class EarlyPackets {
  Run,      ///< processed at the task's own level; admission counts the burst. W = 1: waits (standard mode)
  Demoted,  ///< processed in the overrun band, promoted at the logical arrival time
  Idle,     ///< processed below everything on the machine, then promoted (the paper's workahead mode)
  Clocked,  ///< none are worth a word: another clock paces the caller, one packet a period
};

/// What the watchdog does about a task that does not behave as declared (HeiTS, "Watchdog").
enum class WatchPolicy {
  Report,  ///< an event, nothing else
  Demote,  ///< to normal priority for a while, as long as it goes on
  Detach,  ///< the thread is let go for good: no class, no reservation
};

struct TaskContract {
  std::string name;  ///< shown to people: "video decode (h264)"
  Stage stage = Stage::Other;
  LbapContract lbap{Rate::perSecond(30)};
  /// Relative to the logical arrival time; zero = one period (the paper's implicit deadline 1/R).
  Duration deadline{0};
  /// Whether the task may have a real-time class at all (an unknown source thread should not).
  bool realtime = true;
  /// Share of one CPU the thread may use over a watchdog window before it loses its class; (0, 1].
  double cpuCap = 0.9;

  ServiceClass service = ServiceClass::Statistical;
  /// CPU time of one packet over all threads; a first guess that measurement replaces (RTSS). Zero = a
  /// twentieth of the period, until something is known.
  Duration processing{0};
  double quantile = 0.95;  ///< of measured times: what Statistical reserves; (0, 1]
  double frequency = 1;    ///< share of packets that are processed, (0, 1]
  int threads = 1;         ///< that take packets in turn (setWorkers()), each a reservation of its own
  std::vector<int> cpus;   ///< where it may run; empty = anywhere
  /// Where it holds no reservation, for packets that are early and for what exceeds the reserved time: above
  /// ordinary programs and below everybody's reserved time (the overrun band), or among them, so that a
  /// display server gets its turn. Best effort is always among them.
  bool aboveOrdinary = true;
  bool preferred = false;  ///< as in ReservationContract
  /// What the work is, for what was learned about it in earlier runs ("h264 1280x720 avdec_h264 1"); empty =
  /// nothing is kept.
  std::string kind;
  EarlyPackets early = EarlyPackets::Run;
  /// enforce() wakes this much early and spins to the instant: for the few consumers that need a microsecond,
  /// at this much CPU a packet. At most 200 us.
  Duration spin{0};
  WatchPolicy unruly = WatchPolicy::Demote;  ///< for an endless loop, or no enforce() at all
  /// An overrun ends inside its packet, by signal; costs some microseconds at each wake-up (a timer is set).
  /// Without, the watchdog alone sees to it: for tasks that are short and must begin precisely.
  bool supervised = true;
  bool enforces = true;  ///< false: the thread has no packets to enforce (a source that reads)
};

/// InvalidArgument with a sentence for a contract that is out of range. What its reservation needs is looked
/// at by validate(ReservationContract).
[[nodiscard]] Result<void> validate(const TaskContract& contract);

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

  /// Ends a wait in enforce() and makes further ones return at once, until resume(). Any thread.
  /// Real-time-safe: yes.
  void interrupt() noexcept;
  /// Waits last again and the next packet re-anchors the regulator. Any thread. Real-time-safe: yes.
  void resume() noexcept;
  /// The next packet re-anchors the regulator (gap, pause, seek). Any thread. Real-time-safe: yes.
  void reanchor() noexcept;

  /// New rate or workahead: the regulator follows with the next packet, admission runs again and priorities
  /// are re-assigned. If it is refused, the task goes on without a reservation, in the overrun band, and an
  /// event says so. Any thread. Real-time-safe: no (locks, system calls).
  void change(LbapContract lbap);
  /// Another contract, admitted or refused; refused, what holds a reservation stays with the old one, and
  /// what holds none goes by the new one without. Name, stage and kind stay. Any thread. Real-time-safe: no.
  [[nodiscard]] Result<void, AdmissionRefusal> change(const TaskContract& contract);
  void rename(std::string name);

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
