// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/placement.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace tactus::periodic {
namespace {

constexpr double kRounding = 1e-9;

double shareOf(const Demand& demand) noexcept {
  return utilisation({&demand, 1});
}

/// Which tasks come first when more time is used than was reserved: the preferred, and among equals those
/// that have nothing done ahead.
int urgencyOf(const ReservationContract& contract) noexcept {
  return (contract.preferred ? 2 : 0) + (contract.worksAhead ? 0 : 1);
}

bool allEqual(const std::vector<int>& values) {
  return std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
}

void setLevels(std::vector<Demand>& demands, const std::vector<int>& levels) {
  for (std::size_t i = 0; i < demands.size(); ++i) demands[i].level = levels[i];
}

/// The hyperbolic bound is for one band, rate-monotonic, a level for each period, released at its period.
bool boundHolds(const std::vector<Demand>& demands, const std::vector<int>& bands,
                const DispatchCosts& costs) {
  return costs.blocking == Duration::zero() && allEqual(bands) &&
         std::all_of(demands.begin(), demands.end(), [&](const Demand& each) {
           return each.deadline >= each.period && each.jitter == Duration::zero() && each.burst == 1 &&
                  std::all_of(demands.begin(), demands.end(), [&](const Demand& other) {
                    return (each.level == other.level) == (each.period == other.period);
                  });
         });
}

}  // namespace

double shareOf(std::span<const ReservedPart> parts) noexcept {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const ReservedPart& part) { return sum + shareOf(part.demand); });
}

double shareOn(const ReservationEntries& entries, int cpu) noexcept {
  double sum = 0;
  for (const auto& [id, entry] : entries)
    for (const auto& part : entry.parts)
      if (part.cpu == cpu) sum += shareOf(part.demand);
  return sum;
}

std::size_t partsIn(const ReservationEntries& entries) noexcept {
  return std::accumulate(entries.begin(), entries.end(), std::size_t{0},
                         [](std::size_t sum, const auto& each) { return sum + each.second.parts.size(); });
}

void Placement::makeParts(ReservationEntry& entry) const {
  entry.parts.clear();
  entry.admitted = false;
  const bool second =
      m_policy.scheme == PriorityScheme::Bands && entry.contract.service == ServiceClass::Statistical;
  for (const Demand& demand : demandsOf(entry.contract)) {
    ReservedPart part;
    part.demand = demand;
    part.band = second ? Band::CriticalStatistical : Band::CriticalGuaranteed;
    entry.parts.push_back(part);
  }
}

std::vector<int> Placement::allowed(const ReservationContract& contract) const {
  if (contract.cpus.empty()) return m_policy.cpus;
  std::vector<int> both;
  for (const int cpu : m_policy.cpus)
    if (std::find(contract.cpus.begin(), contract.cpus.end(), cpu) != contract.cpus.end())
      both.push_back(cpu);
  return both;
}

/// The parts on one processor, side by side.
struct Placement::OnProcessor {
  OnProcessor(ReservationEntries& entries, int cpu) {
    for (auto& [id, entry] : entries) {
      for (auto& part : entry.parts) {
        if (part.cpu != cpu) continue;
        parts.push_back(&part);
        demands.push_back(part.demand);
        bands.push_back(static_cast<int>(part.band));
        urgencies.push_back(urgencyOf(entry.contract));
      }
    }
  }
  std::vector<ReservedPart*> parts;
  std::vector<Demand> demands;
  std::vector<int> bands;
  std::vector<int> urgencies;  // higher first, wherever all deadlines can be met so too
};

Result<std::vector<int>, Shortfall> Placement::levelsFor(const OnProcessor& on, int cpu) const {
  using Reason = Shortfall::Reason;
  const double load = utilisation(on.demands);
  if (load > m_policy.capacity + kRounding)
    return Shortfall{Reason::Capacity, cpu, load, m_policy.capacity, 0, 0};
  std::vector<Demand> demands = on.demands;
  if (m_policy.scheme == PriorityScheme::Demotion && !allEqual(on.urgencies)) {
    if (auto levels = assignLevels(demands, on.urgencies, m_policy.levels, m_policy.costs)) {
      setLevels(demands, *levels);
      if (test(AdmissionTest::ExactResponse, demands, m_policy.costs).fits) return std::move(*levels);
    }
  }
  demands = on.demands;
  auto levels = assignLevels(demands, on.bands, m_policy.levels, m_policy.costs);
  if (!levels) {
    // Which would fail even with a level each?
    assignRateMonotonicLevels(demands);
    const TestResult exact = test(AdmissionTest::ExactResponse, demands, m_policy.costs);
    if (!exact.fits) return Shortfall{Reason::TestFailed, cpu, exact.load, exact.limit, 0, 0};
    return Shortfall{Reason::TooFewLevels,
                     cpu,
                     static_cast<double>(demands.size()),
                     static_cast<double>(m_policy.levels.count()),
                     0,
                     demands.size()};
  }
  setLevels(demands, *levels);
  if (boundHolds(demands, on.bands, m_policy.costs) &&
      test(AdmissionTest::Hyperbolic, demands, m_policy.costs).fits)
    return std::move(*levels);
  const TestResult exact = test(AdmissionTest::ExactResponse, demands, m_policy.costs);
  if (!exact.fits) return Shortfall{Reason::TestFailed, cpu, exact.load, exact.limit, 0, 0};
  return std::move(*levels);
}

std::optional<Shortfall> Placement::assignLevelsOn(ReservationEntries& entries, int cpu) const {
  const OnProcessor on(entries, cpu);
  const auto levels = levelsFor(on, cpu);
  if (!levels.ok()) return levels.error();
  for (std::size_t i = 0; i < on.parts.size(); ++i)
    on.parts[i]->level = on.parts[i]->demand.level = levels.value()[i];
  return std::nullopt;
}

std::optional<Shortfall> Placement::placePart(ReservationEntries& entries,
                                              const ReservationContract& contract, ReservedPart& part) const {
  std::vector<std::pair<double, int>> choices;  // least loaded first
  for (const int cpu : allowed(contract)) choices.emplace_back(shareOn(entries, cpu), cpu);
  std::sort(choices.begin(), choices.end());
  std::optional<Shortfall> nearest;
  for (const auto& [used, cpu] : choices) {
    part.cpu = cpu;
    const auto lacks = assignLevelsOn(entries, cpu);
    if (!lacks) return std::nullopt;
    part.cpu = -1;
    if (!nearest) nearest = lacks;
  }
  return nearest ? nearest : Shortfall{};
}

bool Placement::packAnew(ReservationEntries& entries, bool spread) const {
  std::vector<std::pair<ReservationEntry*, ReservedPart*>> parts;
  for (auto& [id, entry] : entries) {
    for (auto& part : entry.parts) {
      part.cpu = -1;
      parts.emplace_back(&entry, &part);
    }
  }
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return shareOf(a.second->demand) > shareOf(b.second->demand);
  });
  for (auto& [entry, part] : parts) {
    if (spread) {
      if (placePart(entries, entry->contract, *part)) return false;
      continue;
    }
    bool placed = false;
    for (const int cpu : allowed(entry->contract)) {
      part->cpu = cpu;
      placed = !assignLevelsOn(entries, cpu);
      if (placed) break;
      part->cpu = -1;
    }
    if (!placed) return false;
  }
  return true;
}

std::optional<Shortfall> Placement::place(ReservationEntries& entries, ReservationId added) const {
  auto& entry = entries.at(added);
  makeParts(entry);
  ReservationEntries trial = entries;
  auto& placed = trial.at(added);
  std::optional<Shortfall> lacks;
  for (auto& part : placed.parts) {
    lacks = placePart(trial, placed.contract, part);
    if (lacks) break;
  }
  if (!lacks) {
    placed.admitted = true;
    entries = std::move(trial);
    return std::nullopt;
  }
  lacks->others = shareOn(entries, lacks->cpu);
  if (hopeless(entries, entry.contract, added) || partsIn(entries) > kFew) return lacks;
  for (const bool spread : {true, false}) {
    ReservationEntries anew = entries;
    if (!packAnew(anew, spread)) continue;
    anew.at(added).admitted = true;
    entries = std::move(anew);
    return std::nullopt;
  }
  return lacks;
}

bool Placement::placeAgain(ReservationEntries& entries, ReservationId changed,
                           const std::vector<ReservedPart>& before) const {
  auto& entry = entries.at(changed);
  makeParts(entry);
  if (before.empty() || before.size() != entry.parts.size()) return false;
  const auto may = allowed(entry.contract);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (std::find(may.begin(), may.end(), before[i].cpu) == may.end()) return false;
    entry.parts[i].cpu = before[i].cpu;
  }
  for (const auto& part : before)
    if (assignLevelsOn(entries, part.cpu)) return false;
  entry.admitted = true;
  return true;
}

bool Placement::hopeless(const ReservationEntries& entries, const ReservationContract& contract,
                         ReservationId replaced) const {
  const auto cpus = allowed(contract);
  double free = m_policy.capacity * static_cast<double>(cpus.size());
  for (const auto& [id, entry] : entries) {
    if (id == replaced) continue;
    for (const auto& part : entry.parts)
      if (std::find(cpus.begin(), cpus.end(), part.cpu) != cpus.end()) free -= shareOf(part.demand);
  }
  return utilisation(demandsOf(contract)) > free;
}

}  // namespace tactus::periodic
