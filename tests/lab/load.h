// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "tests/lab/child_process.h"

namespace tactus::lab {

/// Processes at normal priority that never stop computing: the papers' CPU load. They end with the object.
class CpuHogs {
 public:
  /// On one processor, or on any with -1.
  [[nodiscard]] static Result<CpuHogs> start(int count, int cpu = -1);
  /// One at SCHED_IDLE, which keeps the processor awake: a program that starts on an idle processor runs
  /// slower at first, and a measurement of its demand under load must not contain that.
  [[nodiscard]] static Result<CpuHogs> startIdle(int cpu);
  /// Processor time that they have used.
  [[nodiscard]] periodic::Duration cpu() const;

 private:
  [[nodiscard]] static Result<CpuHogs> start(int count, int cpu, int policy);
  std::vector<ChildProcess> m_hogs;
};

/// A real-time program that takes this share of one processor, in bursts of a period of 20 ms at the highest
/// level. It ends with the object.
class RealtimeLoad {
 public:
  [[nodiscard]] static Result<RealtimeLoad> start(double share, int cpu);
  /// The share that a load must take so that another program gets this much of the processor. Measured,
  /// because the kernel itself takes a part; lasts some seconds.
  [[nodiscard]] static Result<double> shareThatLeaves(double left, int cpu);
  /// Whether this process may start one.
  [[nodiscard]] static bool granted();

 private:
  ChildProcess m_process;
};

/// The highest of the processors that this process may use: the lowest take most interrupts.
[[nodiscard]] int lastCpu();
/// Mean number of processors used during this time; the function tells the processor time used so far.
[[nodiscard]] double processorsUsed(const std::function<periodic::Duration()>& cpu,
                                    periodic::Duration length);
/// Computes until the calling thread's processor time is `end`.
void computeUntil(periodic::Duration end);
/// Keeps the calling thread on this processor.
void keepOn(int cpu);

}  // namespace tactus::lab
