// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/periodic/admission/admission.h"
#include "core/periodic/admission/band.h"
#include "core/periodic/result.h"
#include "core/periodic/time/rate.h"
#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// What one stage asks of the processors (HeiTS, "Scheduling Cache": rate, processing time, class).
struct ReservationContract {
  std::string name;  ///< shown to people
  Rate rate = Rate::perSecond(30);
  ServiceClass service = ServiceClass::Statistical;
  Duration worst{0};     ///< longest CPU time of one packet, over all threads; above zero unless best effort
  Duration typical{0};   ///< a quantile of measured times, what Statistical reserves; zero = worst
  Duration deadline{0};  ///< after the logical arrival time; zero = 1/R
  std::uint32_t workahead = 1;  ///< packets that may be processed at once, at full priority
  /// Threads that take packets in turn (a decoder with frame threads): each is a demand of its own, of every
  /// `threads`-th packet, and may be on another processor.
  int threads = 1;
  double frequency = 1;   ///< share of packets processed, (0, 1]; evenly spread
  std::vector<int> cpus;  ///< where its threads may run; empty = wherever the table may place them
  /// Comes before other tasks wherever all deadlines are met in that order, too (Demotion scheme): when more
  /// time is used than was reserved, another task is late. Reserves nothing more.
  bool preferred = false;
  /// Has packets done ahead: in the same way it comes after tasks that have none.
  bool worksAhead = false;
};

/// InvalidArgument with a sentence for a contract that is out of range or contradicts itself.
[[nodiscard]] Result<void> validate(const ReservationContract& contract);

/// The demands, one a thread, that a contract makes; empty for best effort.
[[nodiscard]] std::vector<Demand> demandsOf(const ReservationContract& contract);

/// Whether `now` asks for a part of what `before` was granted as `granted`, one demand a thread: the same
/// packets, or fewer of them, and none that takes longer. A set that fits keeps fitting on the same levels
/// when a task in it asks for less. Thread-safe: yes (pure).
[[nodiscard]] bool asksForLess(const ReservationContract& now, const ReservationContract& before,
                               const Demand& granted, std::size_t threads);

}  // namespace tactus::periodic
