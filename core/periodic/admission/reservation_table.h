// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
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
  /// Comes before the others wherever all deadlines can be met so too (Demotion scheme): when more is used
  /// than was foreseen, by whomever, it is not the one that is late. Reserves nothing more.
  bool preferred = false;
  /// Has packets done ahead to live on: in the same way it comes after who has none.
  bool worksAhead = false;
};

/// InvalidArgument with a sentence for a contract that is out of range or contradicts itself.
[[nodiscard]] Result<void> validate(const ReservationContract& contract);

/// The demands, one a thread, that a contract makes; empty for best effort.
[[nodiscard]] std::vector<Demand> demandsOf(const ReservationContract& contract);

enum class ReservationId : std::uint64_t { None = 0 };

/// A contract that would have fitted.
struct Offer {
  enum class Kind { Statistical, LowerFrequency, LowerRate } kind;
  ReservationContract contract;
  std::string sentence;  ///< "at 12 of its 30 pictures a second"
};

/// Why a contract was not admitted.
struct AdmissionRefusal {
  ErrorCode code = ErrorCode::Refused;  ///< or InvalidArgument, NotFound
  std::string sentence;                 ///< whole, with the offers
  /// The test that said no; nullopt where the share of a processor that is kept free would be used.
  std::optional<AdmissionTest> test;
  int cpu = -1;      ///< where it came closest to fitting
  double load = 0;   ///< what the test compared ...
  double limit = 0;  ///< ... with what (utilisations, or response time and deadline in seconds)
  std::vector<Offer> offers;

  /// For what is no question of room: a contract out of range, a thread that is gone.
  [[nodiscard]] static AdmissionRefusal of(Error error);
};

/// How the table admits and places.
struct AdmissionPolicy {
  PriorityScheme scheme = PriorityScheme::Demotion;
  /// Share of each processor that may be reserved. Below the kernel's real-time throttle (0.95), so that it
  /// never bites.
  double capacity = 0.9;
  LevelRange levels{1, 99};
  std::vector<int> cpus{0};  ///< processors that the process may use
  DispatchCosts costs;
  bool signals =
      true;  ///< overruns end by perf signal where the kernel allows it; false: by the watchdog's looks
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

/// The table of what is promised on each processor (the paper's scheduling cache). Every change runs
/// admission over the processors it touches and re-assigns their levels: the preferred first, then who has
/// nothing done ahead, rate-monotonic inside these, where all deadlines can be met so, else as the scheme has
/// it; who holds a reservation keeps it unless the processors themselves go away. Placement: worst-fit on the
/// least loaded processor, where the hyperbolic bound accepts at once and exact analysis decides; if none
/// takes it and there are few, everything is packed anew in the order of decreasing load. A refusal among few
/// comes with what would fit instead. Thread-safe: no. Real-time-safe: no (allocates).
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
  using Entries = std::map<ReservationId, ReservationEntry>;
  struct Verdict {
    bool fits = false;
    AdmissionRefusal why;
  };
  [[nodiscard]] Verdict place(Entries& entries, ReservationId added) const;
  [[nodiscard]] Verdict placePart(Entries& entries, const ReservationContract& contract,
                                  ReservedPart& part) const;
  [[nodiscard]] bool placeAnew(Entries& entries, bool spread) const;
  [[nodiscard]] Verdict fitsOn(Entries& entries, int cpu) const;
  [[nodiscard]] static int urgencyOf(const ReservationContract& contract) noexcept;
  [[nodiscard]] static std::size_t partsIn(const Entries& entries) noexcept;
  [[nodiscard]] std::vector<int> allowed(const ReservationContract& contract) const;
  void prepare(ReservationEntry& entry) const;
  [[nodiscard]] AdmissionRefusal explain(const ReservationContract& contract, AdmissionRefusal why,
                                         ReservationId replaced) const;
  [[nodiscard]] bool admits(const ReservationContract& contract, ReservationId replaced) const;
  void retry();

  AdmissionPolicy m_policy;
  Entries m_entries;
  std::uint64_t m_next = 1;
};

}  // namespace tactus::periodic
