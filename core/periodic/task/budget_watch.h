// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/periodic/time/backoff.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Decides which tasks have used too much CPU to keep their real-time class (HeiTS, "watchdog"). A plain
/// object: takes readings, owns no thread and no clock. Thread-safe: no. Real-time-safe: no (allocates for
/// new tasks).
class BudgetWatch {
 public:
  struct Limits {
    Duration window = std::chrono::milliseconds(500);  ///< over which a share is measured
    Duration penalty = std::chrono::seconds(1);        ///< first time without the class; doubles on relapse
    Duration longestPenalty = std::chrono::seconds(10);
    /// Share of all CPUs that all tasks together may use, and of one CPU those that are kept on it: above
    /// what may be reserved (90 %), below the kernel's RT throttle (95 %), which would stop every real-time
    /// thread of a CPU for 50 ms.
    double total = 0.93;
  };
  struct Reading {
    std::uint64_t task;
    Duration cpu;  ///< used so far by the task's threads, ever growing
    double cap;    ///< allowed share of one CPU per thread
    int threads = 1;
    int onCpu = -1;       ///< the CPU all its threads are kept on; -1 = any
    double reserved = 0;  ///< share of one CPU it holds: the task that uses most beyond it is lowered first
  };
  struct Action {
    enum class Kind { Demote, Restore } kind;
    std::uint64_t task;
    double share;      ///< of one CPU, measured
    Duration penalty;  ///< until the restore, for Demote
  };

  BudgetWatch(Limits limits, int cpus) : m_limits(limits), m_cpus(cpus) {}
  void setTotal(double total) noexcept { m_limits.total = total; }

  /// Call every few tens of milliseconds with every task that has a real-time contract.
  [[nodiscard]] std::vector<Action> observe(TimePoint now, std::span<const Reading> readings);
  /// The kernel lowered every real-time thread, since one of them used nearly what RLIMIT_RTTIME allows: the
  /// task that has used most in its present window, or did in the last, loses its class as by observe().
  [[nodiscard]] std::optional<Action> limitReached(TimePoint now, std::span<const Reading> readings);
  /// Somebody else found the task unruly and lowered it: it comes back as after a Demote.
  void punish(std::uint64_t task, TimePoint now);
  void forget(std::uint64_t task) { m_states.erase(task); }

 private:
  struct State {
    explicit State(const Limits& limits) : penalty(limits.penalty, limits.longestPenalty) {}
    TimePoint windowBegin;
    Duration cpuAtBegin{0};
    double share = 0;
    bool demoted = false;
    TimePoint until{};                  // end of the penalty
    std::optional<TimePoint> restored;  // for the relapse rule
    Backoff penalty;
  };
  [[nodiscard]] State& stateOf(std::uint64_t task) {
    return m_states.try_emplace(task, m_limits).first->second;
  }
  void relieve(int cpu, double limit, TimePoint now, std::span<const Reading> readings,
               std::vector<Action>& actions);
  Action demote(State& state, std::uint64_t task, double share, TimePoint now);

  Limits m_limits;
  int m_cpus;
  std::map<std::uint64_t, State> m_states;
};

}  // namespace tactus::periodic
