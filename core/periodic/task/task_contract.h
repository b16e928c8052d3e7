// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/periodic/admission/band.h"
#include "core/periodic/result.h"
#include "core/periodic/task/stage.h"
#include "core/periodic/time/time.h"
#include "core/periodic/workload/lbap.h"

namespace tactus::periodic {

/// What becomes of a packet that LBAP's W lets pass before its logical arrival time.
enum class EarlyPackets {
  Run,      ///< processed at the task's own level; admission counts the burst. W = 1: waits (standard mode)
  Demoted,  ///< processed in the overrun band, promoted at the logical arrival time
  Idle,     ///< processed below everything on the machine, then promoted (the paper's workahead mode)
  Clocked,  ///< no packet counts as early: another clock paces the caller, one packet a period
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
  LbapContract lbap{rowOf(Stage::Other).rate};
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
  /// Where it runs without a reservation, with early packets and with what exceeds its reserved time. True:
  /// above ordinary programs and below all reserved time (the overrun band). False: among ordinary programs,
  /// so that a display server gets its turn. Best effort is always among them.
  bool aboveOrdinary = true;
  bool preferred = false;  ///< as in ReservationContract
  /// The kind of work ("h264 1280x720 avdec_h264 1"), under which processing times are kept across runs;
  /// empty = nothing is kept.
  std::string kind;
  EarlyPackets early = EarlyPackets::Run;
  /// enforce() wakes this much early and spins to the instant: for consumers that need a microsecond, at the
  /// price of this much CPU a packet. At most 200 us.
  Duration spin{0};
  WatchPolicy unruly = WatchPolicy::Demote;  ///< for an endless loop, or no enforce() at all
  /// An overrun ends inside its packet, by signal, which costs some microseconds at each wake-up (a timer is
  /// set). False: only the watchdog ends it, for tasks that are short and must begin precisely.
  bool supervised = true;
  /// The rate is the highest: packets come when something happens (SporadicThread), and few are not too few.
  bool sporadic = false;
  bool enforces = true;  ///< false: the thread has no packets to enforce (a source that reads)
  /// The thread is another's, who ends it when it likes: what it had reserved is free then, and nobody is
  /// told.
  bool mayEnd = false;
};

/// What a task of this stage asks for until more is known of its stream: the row's name, class and first
/// guess. Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] TaskContract contractOf(Stage stage);

/// InvalidArgument with a sentence for a contract that is out of range. What its reservation needs is looked
/// at by validate(ReservationContract).
[[nodiscard]] Result<void> validate(const TaskContract& contract);

/// Changes of single fields of a task's contract; a field without a value stays as it is. Task::amend()
/// applies one under the table's lock, so that two threads that change different fields lose nothing. What is
/// missing here (name, stage, kind, early packets, ...) is fixed when the task is adopted.
struct ContractPatch {
  /// A new LBAP is a fact about the stream: it holds even if admission refuses it, and with it the rest of
  /// the patch. The other fields are requests.
  std::optional<LbapContract> lbap{};
  std::optional<Duration> deadline{};
  std::optional<Duration> processing{};
  std::optional<ServiceClass> service{};
  std::optional<double> quantile{};
  std::optional<double> frequency{};
  std::optional<std::vector<int>> cpus{};
  std::optional<bool> aboveOrdinary{};
  std::optional<bool> preferred{};

  /// Writes the fields that have a value; false if the contract has these values already. Thread-safe: yes
  /// (pure). Real-time-safe: no (allocates).
  bool applyTo(TaskContract& contract) const;
};

}  // namespace tactus::periodic
