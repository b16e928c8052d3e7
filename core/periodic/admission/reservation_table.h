// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/periodic/admission/placement.h"

namespace tactus::periodic {

/// The table of what is promised on each processor (the paper's scheduling cache). Every change runs
/// admission over the processors it touches and assigns their levels anew: preferred tasks first, then tasks
/// that have nothing done ahead, rate-monotonic among equals, where all deadlines are met in that order; else
/// the order of the scheme. A held reservation is kept until the processors themselves go away. A refusal in
/// a small table comes with what would fit instead. Thread-safe: no. Real-time-safe: no (allocates).
class ReservationTable {
 public:
  explicit ReservationTable(AdmissionPolicy policy) : m_policy(std::move(policy)) {}

  /// The paper's rms_cpu_create_entry. Best-effort contracts are listed and reserve nothing.
  [[nodiscard]] Result<ReservationId, AdmissionRefusal> create(ReservationContract contract);
  /// rms_cpu_change_entry. Refused: the old contract stays in force.
  [[nodiscard]] Result<void, AdmissionRefusal> change(ReservationId id, ReservationContract contract);
  /// rms_cpu_release_entry. What had lost its place is tried again. An unknown id does nothing.
  void release(ReservationId id);
  /// What create() would answer, without an entry.
  [[nodiscard]] Result<void, AdmissionRefusal> wouldAdmit(const ReservationContract& contract) const;

  /// Whether the processors together have less free than the contract needs, however it were placed: then
  /// create() and change() would refuse it, at a thousand times the cost. `replaced` counts as released.
  [[nodiscard]] bool hopeless(const ReservationContract& contract,
                              ReservationId replaced = ReservationId::None) const;

  /// Other processors, levels, costs, capacity. Entries that no longer fit lose their reservation,
  /// statistical ones before guaranteed ones and younger before older; they are returned. Those that fit
  /// again have theirs back.
  std::vector<ReservationId> setPolicy(AdmissionPolicy policy);
  [[nodiscard]] const AdmissionPolicy& policy() const noexcept { return m_policy; }

  [[nodiscard]] const ReservationEntry* find(ReservationId id) const;
  /// Fills the responses of an admitted entry's parts. Analysis: microseconds a part.
  [[nodiscard]] ReservationEntry analysed(const ReservationEntry& entry) const;
  /// In the order of creation.
  [[nodiscard]] std::vector<ReservationEntry> list() const;
  /// Reserved share of a processor.
  [[nodiscard]] double load(int cpu) const;

 private:
  [[nodiscard]] Placement placement() const noexcept { return Placement(m_policy); }
  [[nodiscard]] AdmissionRefusal refuse(const ReservationContract& contract, const Shortfall& lacks,
                                        ReservationId replaced) const;
  [[nodiscard]] bool wouldFit(const ReservationContract& contract, ReservationId replaced) const;
  void retry();

  AdmissionPolicy m_policy;
  ReservationEntries m_entries;
  std::uint64_t m_next = 1;
};

}  // namespace tactus::periodic
