// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// Nobody is looked at more often: a look costs next to nothing then, and an overrun lasts a few
/// milliseconds.
constexpr Duration kShortestLook = std::chrono::milliseconds(2);

/// A packet that exceeded its budget has another one each period: what is reserved is reserved, however long
/// a packet takes (as the servers of Abeni and Buttazzo 1998 refill theirs). Without it, the packet would not
/// end at all while others use all the rest. While its thread uses nothing, the next look is as far as the
/// thread has been idle. Owns no clock. Thread-safe: no (the watchdog's). Real-time-safe:
/// yes.
class BudgetRefill {
 public:
  struct Reading {
    Duration packet{0};  ///< which one: the thread's CPU time when it began
    Duration budget{0};
    Duration period{0};
    Duration cpu{0};  ///< the thread's, now
  };
  enum class Action {
    None,
    Raise,  ///< to its own level: the next budget begins
    Lower,  ///< to the overrun level: this budget is used up, too
  };
  struct Decision {
    Action action;
    TimePoint look;  ///< when it is worth deciding again
  };
  /// The packet exceeded its budget and is still open.
  [[nodiscard]] Decision decide(TimePoint now, const Reading& reading) noexcept;
  /// No packet exceeds its budget.
  void rest() noexcept { m_packet.reset(); }

 private:
  std::optional<Duration> m_packet;
  TimePoint m_refillAt{};
  std::optional<Duration> m_cpuAtRefill;  // nullopt: it waits for its next budget
  Duration m_cpu{0};                      // at the last decision
  TimePoint m_idleSince{};                // since then it has used nothing
};

/// Ends an overrun where no signal does, by a look when the budget can be over at the earliest. Thread-safe:
/// yes (pure). Real-time-safe: yes.
struct Patrol {
  bool lower;     ///< the packet has used its budget
  Duration look;  ///< when to look again, from now

  /// `used`: CPU time of the open packet; nullopt where none is open or it was lowered already.
  [[nodiscard]] static Patrol decide(Duration budget, std::optional<Duration> used) noexcept;
};

}  // namespace tactus::periodic
