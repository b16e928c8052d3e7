// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "core/periodic/kernel/budget_signal.h"
#include "core/periodic/task/terms_handover.h"

namespace tactus::periodic {

/// Orders to the bound thread, which reads them with each packet. Every value is good by itself, so that the
/// accesses are relaxed where nothing else is said.
struct BoundOrders {
  // Written by ClassAssignment under the table's lock.
  std::atomic<int> ownLevel{0};                ///< that it may give itself; 0 = none
  std::atomic<int> overrunLevel{0};            ///< where an overrun puts it: a level, kOrdinary, 0 = nowhere
  std::atomic<int> level{0};                   ///< in force, for the trace
  std::atomic<std::int64_t> budget{0};         ///< CPU time of one packet, in ns; 0 = unsupervised
  std::atomic<std::int64_t> share{0};          ///< reserved, in millionths of a CPU
  std::atomic<BudgetSignal*> signal{nullptr};  ///< release and acquire: the object is made before it is seen

  // Written under the table's lock.
  std::atomic<bool> hasWorkers{false};
  TermsHandOver terms;

  // Set by any thread, cleared by the bound one.
  std::atomic<bool> reanchor{false};
  std::atomic<bool> clear{false};
};

}  // namespace tactus::periodic
