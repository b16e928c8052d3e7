// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// What a packet costs where the bound thread cannot measure it: its workers process the packets, or it is a
/// reader without packets, of which a period counts as one. Thread-safe: no (the watchdog's). Real-time-safe:
/// yes.
class CostMeter {
 public:
  struct Measured {
    Duration each{0};
    std::uint64_t packets = 0;  ///< that cost this much each; 0 = nothing new
  };
  /// From the packets begun and the CPU time used so far, by all threads of the task.
  [[nodiscard]] Measured ofPackets(std::uint64_t packets, Duration cpu) noexcept;
  /// From the periods that passed and the CPU time used so far.
  [[nodiscard]] Measured ofPeriods(TimePoint now, Duration period, Duration cpu) noexcept;
  /// Other threads work on the packets from here on.
  void restart(std::uint64_t packets, Duration cpu) noexcept;

 private:
  Duration m_cpu{0};  // at the last measurement, as the two below
  std::uint64_t m_packets = 0;
  TimePoint m_at{};
};

/// Whether a reservation should follow what was measured: off by more than 15 % and 50 us.
[[nodiscard]] bool drifted(Duration reserved, Duration measured) noexcept;

}  // namespace tactus::periodic
