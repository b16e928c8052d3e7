// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/periodic/admission/admission.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// The degree of service a contract asks for (HeiTS, "Ordering of Priorities").
enum class ServiceClass {
  Guaranteed,   ///< reserved by the worst case: met under all circumstances
  Statistical,  ///< reserved by a stated quantile of measured times: met in general
  BestEffort,   ///< nothing reserved
};
[[nodiscard]] std::string_view nameOf(ServiceClass service) noexcept;

/// Which of the paper's two orders of priority classes is in force.
enum class PriorityScheme {
  Bands,  ///< critical guaranteed > critical statistical > ordinary > workahead; nobody's time is supervised
  Demotion,  ///< critical > critical with its time used up > ordinary > workahead (default)
};

/// Where a task stands; larger is more urgent. Everything else on the machine is Ordinary.
enum class Band { Workahead, Ordinary, Overrun, CriticalStatistical, CriticalGuaranteed, Dispatcher };

/// The band of a task whose packet is critical or still workahead, with or without time left of what it
/// declared. Packets of one stream are processed by one task in their order, so that a later one never
/// overtakes an earlier one by a better band. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] constexpr Band bandOf(PriorityScheme scheme, ServiceClass service, bool critical,
                                    bool timeLeft) noexcept {
  if (service == ServiceClass::BestEffort) return Band::Ordinary;
  if (!critical) return Band::Workahead;
  if (scheme == PriorityScheme::Bands)
    return service == ServiceClass::Guaranteed ? Band::CriticalGuaranteed : Band::CriticalStatistical;
  return timeLeft ? Band::CriticalGuaranteed : Band::Overrun;
}

/// Levels of a kernel class that tasks may have.
struct LevelRange {
  int lowest = 1, highest = 1;
  [[nodiscard]] constexpr int count() const noexcept { return highest - lowest + 1; }
};

/// A level for each demand of one CPU within the range: higher ranks above lower ones, rate-monotonic inside
/// them (`ranks[i]` belongs to `demands[i]`; all critical). Where there are fewer levels than distinct (rank,
/// period) pairs, neighbours share one, the least urgent first, as long as exact analysis accepts the
/// sharing; nullopt where no sharing in this order fits. Thread-safe: yes (pure). Real-time-safe: no
/// (allocates).
[[nodiscard]] std::optional<std::vector<int>> assignLevels(std::span<const Demand> demands,
                                                           std::span<const int> ranks, LevelRange range,
                                                           const DispatchCosts& costs = {});

}  // namespace tactus::periodic
