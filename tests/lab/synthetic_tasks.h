// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/periodic/result.h"
#include "core/periodic/time/time.h"

namespace tactus::lab {

/// The HeiTS paper's synthetic program: tasks that only compute, a fixed time for each packet, on one
/// processor.
struct SyntheticPlan {
  int tasks = 1;
  int perSecond = 15;
  periodic::Duration work{};  ///< processor time of a packet
  int hogs = 0;               ///< endless loops at normal priority on the same processor
  bool realtime = true;       ///< with reservations and SCHED_FIFO, or at normal priority
  periodic::Duration length{};
};

struct SyntheticRun {
  std::vector<std::vector<double>> laxityMs;  ///< by task, in order; negative = deadline missed
  std::size_t packets = 0;
  std::size_t misses = 0;
  int admitted = 0;     ///< tasks that hold a reservation
  std::string granted;  ///< kernel class
};

/// Runs them for real. The first packets, until all have begun, are not counted. Errors: a thread or a hog
/// could not be started.
[[nodiscard]] Result<SyntheticRun> runSynthetic(const SyntheticPlan& plan);

/// Lifts the kernel's ceiling of 95 % for real-time threads while the object lives, where that is permitted.
class NoRealtimeCeiling {
 public:
  NoRealtimeCeiling();
  ~NoRealtimeCeiling();
  NoRealtimeCeiling(const NoRealtimeCeiling&) = delete;
  NoRealtimeCeiling& operator=(const NoRealtimeCeiling&) = delete;
  [[nodiscard]] bool lifted() const noexcept { return m_lifted; }

 private:
  std::string m_before;
  bool m_lifted = false;
};

}  // namespace tactus::lab
