// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tests/lab/child_process.h"

namespace tactus::lab {

/// Processes at normal priority that never stop computing: the papers' CPU load. They end with the object.
class CpuHogs {
 public:
  /// On one processor, or on any with -1.
  [[nodiscard]] static Result<CpuHogs> start(int count, int cpu = -1);

 private:
  std::vector<ChildProcess> m_hogs;
};

/// A real-time program that takes this share of one processor, in bursts of a period of 20 ms at the highest
/// level. It ends with the object.
class RealtimeLoad {
 public:
  [[nodiscard]] static Result<RealtimeLoad> start(double share, int cpu);
  /// Whether this process may start one.
  [[nodiscard]] static bool granted();

 private:
  ChildProcess m_process;
};

/// The highest of the processors that this process may use: the lowest take most interrupts.
[[nodiscard]] int lastCpu();
/// Computes until the calling thread's processor time is `end`.
void computeUntil(periodic::Duration end);
/// Keeps the calling thread on this processor.
void keepOn(int cpu);

}  // namespace tactus::lab
