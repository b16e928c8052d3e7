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

#include "core/periodic/histogram.h"
#include "core/periodic/kernel_class.h"
#include "core/periodic/lbap.h"
#include "core/periodic/time.h"
#include "core/periodic/trace.h"

namespace tactus::periodic {

/// The stage of a pipeline that a task carries out.
enum class Stage { Source, VideoDecode, AudioDecode, VideoDisplay, Audio, Render, Other };
[[nodiscard]] std::string_view nameOf(Stage stage) noexcept;  // "source", "video decode", "audio decode", ...

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
};

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
  Duration cpuTime{0};                       ///< of the bound thread and its workers while bound
  DurationHistogram::Snapshot laxity;        ///< deadline - completion
  DurationHistogram::Snapshot responseTime;  ///< completion - logical arrival (or actual, if processed early)
  DurationHistogram::Snapshot waited;        ///< time spent inside enforce()
};

struct TaskReport {
  std::uint64_t id = 0;
  TaskContract contract;
  pid_t tid = 0;                                ///< 0 when no thread is bound
  int workers = 0;                              ///< further threads adopted for this task
  KernelClass kernelClass = KernelClass::None;  ///< in force now
  int priority = 0;                             ///< in force now; 0 = none
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
  Enforced enforce(std::optional<Duration> spacing = {}, ByteCount size = ByteCount{0}) TACTUS_REALTIME;

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

  /// New rate or workahead: the regulator follows with the next packet, priorities are re-assigned.
  /// Any thread. Real-time-safe: no (locks, system calls).
  void change(LbapContract lbap);
  void rename(std::string name);

  /// Further threads that work for this task (a decoder's worker threads): they get its class and priority,
  /// and their CPU time counts as its own. Replaces the earlier set. Any thread. Real-time-safe: no.
  void setWorkers(std::span<const pid_t> tids);

  /// Binds another thread (tid of this process), or none with 0. Any thread. Real-time-safe: no.
  void bind(pid_t tid);

  [[nodiscard]] TaskReport report() const;
  void clearStatistics() noexcept;  ///< takes effect with the next packet
  [[nodiscard]] std::uint64_t id() const noexcept;

  struct Body;  // internal to core/periodic

 private:
  friend class Scheduler;
  explicit Task(std::unique_ptr<Body> body) noexcept;
  std::unique_ptr<Body> m_body;
};

}  // namespace tactus::periodic
