// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "core/periodic/time/time.h"

namespace tactus::periodic {

/// What one task asks of one CPU, as schedulability analysis sees it.
struct Demand {
  Duration period;          ///< T = 1/R
  Duration processing;      ///< C: time a packet takes on this CPU (P of the contract)
  Duration deadline{0};     ///< D, after the logical arrival time; zero = T
  Duration jitter{0};       ///< J: how long after its logical arrival a packet may be released
  std::uint32_t burst = 1;  ///< packets that may be released at once: W where nothing holds workahead back
  /// Where packets are left out of a stream (f < 1): the period of the whole. Two that are not are never
  /// nearer, whatever the jitter. Zero = T says it all. Only with a burst of 1.
  Duration separation{0};
  int level = 0;  ///< priority, larger = more urgent; equal levels run first come, first served
};

/// What this machine takes for itself, measured at first start. Incorporated as in Katcher, Arakawa and
/// Strosnider 1993 (HeiTS, "Schedulability Test"): each packet pays its release and two switches, and the
/// release interrupts of less urgent tasks are paid by everybody.
struct DispatchCosts {
  Duration contextSwitch{0};
  Duration release{0};   ///< timer interrupt and wake-up of a sleeping thread
  Duration blocking{0};  ///< longest time a less urgent task or the kernel holds the CPU
};

enum class AdmissionTest {
  LiuLayland,      ///< sum of U <= n (2^(1/n) - 1): sufficient under rate-monotonic levels (HeiTS)
  Harmonic,        ///< U <= 1 where each period divides every longer one
  Hyperbolic,      ///< product of (U + 1) <= 2 (Bini, Buttazzo 2001)
  Flat,            ///< U <= 0.88 (RTSS, section 4); unsafe under rate-monotonic levels
  ExactResponse,   ///< response times under the given levels (Lehoczky 1990; bursts as arrival curves)
  EdfUtilisation,  ///< U <= 1, deadlines not shorter than periods
  EdfDemand,       ///< processor demand criterion by QPA (Zhang, Burns 2009)
};
[[nodiscard]] std::string_view nameOf(AdmissionTest test) noexcept;

/// What a test says about a set.
struct TestResult {
  bool fits = false;
  double load = 0;        ///< what the test compares ...
  double limit = 0;       ///< ... and with what; utilisations, or response time and deadline in seconds
  std::size_t worst = 0;  ///< the task that misses, for ExactResponse
};

/// U = sum of C/T. Thread-safe: yes (pure).
[[nodiscard]] double utilisation(std::span<const Demand> demands) noexcept;

/// Runs one test over all tasks of one CPU. The bounds ignore jitter, bursts and blocking and take C/D where
/// D < T; costs are added to C. Thread-safe: yes (pure). Real-time-safe: no (allocates).
[[nodiscard]] TestResult test(AdmissionTest which, std::span<const Demand> demands,
                              const DispatchCosts& costs = {});

/// Longest time from logical arrival to completion of task `index`; nullopt where it never ends (overload) or
/// takes more than `kLongestBusyPeriod` packets to tell. Thread-safe: yes (pure).
[[nodiscard]] std::optional<Duration> worstResponse(std::span<const Demand> demands, std::size_t index,
                                                    const DispatchCosts& costs = {});
inline constexpr int kLongestBusyPeriod = 4096;

/// Rate-monotonic levels n ... 1 for the set, in place: for analysis by itself, without a kernel's range.
void assignRateMonotonicLevels(std::span<Demand> demands);

}  // namespace tactus::periodic
