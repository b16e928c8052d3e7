// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/periodic/admission/admission_refusal.h"

namespace tactus::periodic {

enum class ReservationId : std::uint64_t { None = 0 };

/// How the table admits and places.
struct AdmissionPolicy {
  PriorityScheme scheme = PriorityScheme::Demotion;
  /// Share of each processor that may be reserved. Below the kernel's real-time throttle (0.95), so that it
  /// never bites.
  double capacity = 0.9;
  LevelRange levels{1, 99};
  std::vector<int> cpus{0};  ///< processors that the process may use
  DispatchCosts costs;
  /// Overruns end by perf signal where the kernel allows it; false: by the watchdog's looks.
  bool signals = true;
};

/// One thread of a reservation.
struct ReservedPart {
  Demand demand;
  Band band = Band::Ordinary;
  int cpu = -1;  ///< -1 = not placed
  int level = 0;
  /// Longest time from logical arrival to completion that exact analysis finds; zero = the deadline,
  /// unanalysed.
  Duration response{0};
};

/// Share of one processor that the parts hold together. Thread-safe: yes (pure). Real-time-safe: yes.
[[nodiscard]] double shareOf(std::span<const ReservedPart> parts) noexcept;

struct ReservationEntry {
  ReservationId id = ReservationId::None;
  ReservationContract contract;
  bool admitted = false;            ///< false: lost its processor, or best effort; holds nothing
  std::vector<ReservedPart> parts;  ///< one a thread while admitted
};

using ReservationEntries = std::map<ReservationId, ReservationEntry>;

/// Share of a processor that the parts of all entries hold together. Thread-safe: yes (pure).
[[nodiscard]] double shareOn(const ReservationEntries& entries, int cpu) noexcept;
/// Threads that hold something. Thread-safe: yes (pure).
[[nodiscard]] std::size_t partsIn(const ReservationEntries& entries) noexcept;

/// Puts the threads of reservations on processors and gives them levels. Worst-fit on the least loaded
/// processor, where the hyperbolic bound accepts at once and exact analysis decides; if none takes them and
/// there are few, everything is packed anew in the order of decreasing load. Holds nothing: what it places is
/// the caller's. Thread-safe: yes. Real-time-safe: no (allocates).
class Placement {
 public:
  /// `policy` must outlive the object.
  explicit Placement(const AdmissionPolicy& policy) noexcept : m_policy(policy) {}

  /// With more parts than this nothing is packed anew and no offers are sought: many small parts fit nearly
  /// as well where there is room, and each try would take longer than a period of video.
  static constexpr std::size_t kFew = 16;

  /// Places every thread of `added`, whose entry has its contract. What it lacks if it fits nowhere; then its
  /// parts are placed nowhere.
  [[nodiscard]] std::optional<Shortfall> place(ReservationEntries& entries, ReservationId added) const;
  /// Places `changed` on the processors where its parts were before. False: it does not fit there, and its
  /// entry is not to be used.
  [[nodiscard]] bool placeAgain(ReservationEntries& entries, ReservationId changed,
                                const std::vector<ReservedPart>& before) const;
  /// Gives all parts on `cpu` their levels anew, or leaves them as they are and says what lacks.
  std::optional<Shortfall> assignLevelsOn(ReservationEntries& entries, int cpu) const;

  /// Whether the processors together have less free than the contract needs, however it were placed.
  /// `replaced` counts as released.
  [[nodiscard]] bool hopeless(const ReservationEntries& entries, const ReservationContract& contract,
                              ReservationId replaced) const;

 private:
  struct OnProcessor;
  [[nodiscard]] Result<std::vector<int>, Shortfall> levelsFor(const OnProcessor& on, int cpu) const;
  [[nodiscard]] std::optional<Shortfall> placePart(ReservationEntries& entries,
                                                   const ReservationContract& contract,
                                                   ReservedPart& part) const;
  [[nodiscard]] bool packAnew(ReservationEntries& entries, bool spread) const;
  [[nodiscard]] std::vector<int> allowed(const ReservationContract& contract) const;
  void makeParts(ReservationEntry& entry) const;

  const AdmissionPolicy& m_policy;
};

}  // namespace tactus::periodic
