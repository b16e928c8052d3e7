// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/periodic/admission/band.h"
#include "core/periodic/time/time.h"
#include "core/periodic/workload/lbap.h"

namespace tactus::periodic {

/// A stream of packets for one simulated processor.
struct SimulatedTask {
  LbapContract lbap{Rate::perSecond(30)};
  Duration deadline{0};  ///< after the logical arrival time; zero = 1/R
  ServiceClass service = ServiceClass::Guaranteed;
  int level = 1;         ///< inside its band, larger = more urgent
  Duration declared{0};  ///< processing time after which a packet is demoted; zero = never
  /// Processing time of packet i; above zero.
  std::function<Duration(std::int64_t packet)> processing;
  /// Actual arrival of packet i after the start, not before that of i - 1; empty = i/R.
  std::function<Duration(std::int64_t packet)> arrival;
};

/// What becomes of a packet before its logical arrival time.
enum class WorkaheadMode {
  Wait,   ///< left alone (the paper's standard mode)
  Burst,  ///< up to W are processed at once at full priority (Task with W > 1)
  Band,   ///< up to W are processed in the workahead band and promoted (the paper's workahead mode)
};

struct SimulationSettings {
  PriorityScheme scheme = PriorityScheme::Demotion;
  WorkaheadMode workahead = WorkaheadMode::Wait;
  bool earliestDeadlineFirst = false;  ///< inside a band by deadline instead of level (a peer)
  int hogs = 0;                        ///< endless loops at ordinary priority
  Duration length{0};                  ///< packets that arrive later are not simulated
};

struct SimulatedPacket {
  std::size_t task;
  std::int64_t packet;
  TimePoint arrival, logicalArrival, begin, end, deadline;
  bool demoted = false;
  [[nodiscard]] Duration laxity() const noexcept { return deadline - end; }
};

struct Simulation {
  std::vector<SimulatedPacket>
      packets;                        ///< in the order of completion; those not done by the end are missing
  std::vector<std::uint64_t> misses;  ///< by task; unfinished packets past their deadline included
  Duration hogTime{0};                ///< what the hogs got
};

/// One processor in virtual time, fully preemptive, under the very policy objects of the app: LbapRegulator
/// and bandOf(). Deterministic. Equal levels run first come, first served; ordinary tasks and hogs take turns
/// of 4 ms. Thread-safe: yes (pure). Real-time-safe: no.
[[nodiscard]] Simulation simulate(const std::vector<SimulatedTask>& tasks,
                                  const SimulationSettings& settings);

}  // namespace tactus::periodic
