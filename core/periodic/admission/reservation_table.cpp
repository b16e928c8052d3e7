// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/reservation_table.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>

#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

using namespace std::chrono_literals;

constexpr double kRounding = 1e-9;
constexpr Duration kLongest = 1h;
/// With more parts than this nothing is packed anew and no offers are sought: many small parts fit nearly as
/// well where there is room, and each try would take longer than a period of video.
constexpr std::size_t kFew = 16;
constexpr int kOfferSteps = 20;  // offers are looked for in twentieths of what was asked

double shareOf(const Demand& demand) noexcept {
  return utilisation({&demand, 1});
}

Duration times(Duration duration, double factor) noexcept {
  return Duration(std::llround(static_cast<double>(duration.count()) * factor));
}

double milliseconds(double seconds) noexcept {
  return seconds * 1e3;
}

Error invalid(const ReservationContract& contract, const std::string& what) {
  return {ErrorCode::InvalidArgument, (contract.name.empty() ? "This task" : contract.name) + " " + what};
}

}  // namespace

double shareOf(std::span<const ReservedPart> parts) noexcept {
  return std::accumulate(parts.begin(), parts.end(), 0.0,
                         [](double sum, const ReservedPart& part) { return sum + shareOf(part.demand); });
}

AdmissionRefusal AdmissionRefusal::of(Error error) {
  AdmissionRefusal refusal;
  refusal.code = error.code;
  refusal.sentence = std::move(error.message);
  return refusal;
}

Result<void> validate(const ReservationContract& contract) {
  if (!(contract.frequency > 0 && contract.frequency <= 1))  // so that NaN fails, too
    return invalid(contract, "asks for a frequency that is not above 0 and at most 1.");
  if (contract.workahead < 1 || contract.workahead > 1'000'000)
    return invalid(contract, "asks for a workahead that is not within 1 and 1000000 packets.");
  if (contract.threads < 1 || contract.threads > 1024)
    return invalid(contract, "asks for a number of threads that is not within 1 and 1024.");
  if (contract.deadline < Duration::zero() || contract.deadline > kLongest)
    return invalid(contract, "asks for a deadline that is negative or beyond an hour.");
  if (std::any_of(contract.cpus.begin(), contract.cpus.end(), [](int cpu) { return cpu < 0; }))
    return invalid(contract, "names a processor below 0.");
  if (contract.service == ServiceClass::BestEffort) return {};
  if (contract.worst <= Duration::zero() || contract.worst > kLongest)
    return invalid(contract, "declares a processing time that is not above zero and at most an hour.");
  if (contract.typical < Duration::zero() || contract.typical > contract.worst)
    return invalid(contract, "declares a typical processing time that is negative or above its worst case.");
  for (const Demand& demand : demandsOf(contract)) {
    if (demand.processing > demand.deadline)
      return invalid(contract, format("cannot need %.3g ms of processing within %.3g ms.",
                                      static_cast<double>(demand.processing.count()) * 1e-6,
                                      static_cast<double>(demand.deadline.count()) * 1e-6));
  }
  return {};
}

std::vector<Demand> demandsOf(const ReservationContract& contract) {
  if (contract.service == ServiceClass::BestEffort) return {};
  const Duration period = contract.rate.period();
  const bool quantile = contract.service == ServiceClass::Statistical && contract.typical > Duration::zero();
  const double skip = 1 / contract.frequency;
  Demand demand;
  demand.period = times(period * contract.threads, skip);
  demand.processing = quantile ? contract.typical : contract.worst;
  // The k-th processed packet is floor(k/f) periods or up to one more after the first: jitter, unless even.
  demand.jitter = std::abs(skip - std::round(skip)) < kRounding ? Duration{0} : period;
  const Duration deadline = contract.deadline > Duration::zero() ? contract.deadline : period;
  demand.deadline = deadline + period * (contract.threads - 1) + demand.jitter;
  demand.burst = (contract.workahead + static_cast<std::uint32_t>(contract.threads) - 1) /
                 static_cast<std::uint32_t>(contract.threads);
  if (demand.jitter > Duration::zero() && demand.burst == 1) demand.separation = period * contract.threads;
  return std::vector<Demand>(static_cast<std::size_t>(contract.threads), demand);
}

void ReservationTable::prepare(ReservationEntry& entry) const {
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

std::vector<int> ReservationTable::allowed(const ReservationContract& contract) const {
  if (contract.cpus.empty()) return m_policy.cpus;
  std::vector<int> both;
  for (const int cpu : m_policy.cpus)
    if (std::find(contract.cpus.begin(), contract.cpus.end(), cpu) != contract.cpus.end())
      both.push_back(cpu);
  return both;
}

/// Who comes first when more is used than was foreseen: the preferred, and of these and of the others those
/// that cannot live on what was done ahead.
int ReservationTable::urgencyOf(const ReservationContract& contract) noexcept {
  return (contract.preferred ? 2 : 0) + (contract.worksAhead ? 0 : 1);
}

ReservationTable::Verdict ReservationTable::fitsOn(Entries& entries, int cpu) const {
  std::vector<ReservedPart*> parts;
  std::vector<Demand> demands;
  std::vector<int> bands;
  std::vector<int> urgencies;  // higher first, wherever all deadlines can be met so too
  for (auto& [id, entry] : entries) {
    for (auto& part : entry.parts) {
      if (part.cpu != cpu) continue;
      parts.push_back(&part);
      demands.push_back(part.demand);
      bands.push_back(static_cast<int>(part.band));
      urgencies.push_back(urgencyOf(entry.contract));
    }
  }
  Verdict verdict;
  verdict.why.cpu = cpu;
  const double load = utilisation(demands);
  if (load > m_policy.capacity + kRounding) {
    verdict.why.load = load;
    verdict.why.limit = m_policy.capacity;
    return verdict;
  }
  const auto grant = [&](const std::vector<int>& levels) {
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i]->level = parts[i]->demand.level = levels[i];
    verdict.fits = true;
    return verdict;
  };
  const bool differ =
      std::adjacent_find(urgencies.begin(), urgencies.end(), std::not_equal_to<>()) != urgencies.end();
  if (differ && m_policy.scheme == PriorityScheme::Demotion) {
    if (const auto levels = assignLevels(demands, urgencies, m_policy.levels, m_policy.costs)) {
      std::vector<Demand> ordered = demands;
      for (std::size_t i = 0; i < parts.size(); ++i) ordered[i].level = (*levels)[i];
      if (test(AdmissionTest::ExactResponse, ordered, m_policy.costs).fits) return grant(*levels);
    }
  }
  const auto levels = assignLevels(demands, bands, m_policy.levels, m_policy.costs);
  if (!levels) {
    // Which would fail even with a level each?
    assignRateMonotonicLevels(demands);
    const TestResult exact = test(AdmissionTest::ExactResponse, demands, m_policy.costs);
    verdict.why.test = AdmissionTest::ExactResponse;
    verdict.why.load = exact.fits ? static_cast<double>(demands.size()) : exact.load;
    verdict.why.limit = exact.fits ? m_policy.levels.count() : exact.limit;
    if (exact.fits) {
      verdict.why.sentence = format("the kernel grants %d priority levels, too few to tell %zu tasks apart",
                                    m_policy.levels.count(), demands.size());
    }
    return verdict;
  }
  for (std::size_t i = 0; i < parts.size(); ++i) demands[i].level = (*levels)[i];
  // The bound is for one band, rate-monotonic, a level for each period, released at its period.
  const bool plain = m_policy.costs.blocking == Duration::zero() &&
                     std::adjacent_find(bands.begin(), bands.end(), std::not_equal_to<>()) == bands.end() &&
                     std::all_of(demands.begin(), demands.end(), [&](const Demand& each) {
                       return each.deadline >= each.period && each.jitter == Duration::zero() &&
                              each.burst == 1 &&
                              std::all_of(demands.begin(), demands.end(), [&](const Demand& other) {
                                return (each.level == other.level) == (each.period == other.period);
                              });
                     });
  if (!plain || !test(AdmissionTest::Hyperbolic, demands, m_policy.costs).fits) {
    const TestResult exact = test(AdmissionTest::ExactResponse, demands, m_policy.costs);
    if (!exact.fits) {
      verdict.why.test = AdmissionTest::ExactResponse;
      verdict.why.load = exact.load;
      verdict.why.limit = exact.limit;
      return verdict;
    }
  }
  return grant(*levels);
}

ReservationTable::Verdict ReservationTable::placePart(Entries& entries, const ReservationContract& contract,
                                                      ReservedPart& part) const {
  std::vector<std::pair<double, int>> choices;  // least loaded first
  for (const int cpu : allowed(contract)) {
    double used = 0;
    for (const auto& [id, entry] : entries)
      for (const auto& each : entry.parts)
        if (each.cpu == cpu) used += shareOf(each.demand);
    choices.emplace_back(used, cpu);
  }
  std::sort(choices.begin(), choices.end());
  Verdict nearest;
  nearest.why.sentence = "none of the processors it names may be used";
  for (std::size_t i = 0; i < choices.size(); ++i) {
    part.cpu = choices[i].second;
    Verdict verdict = fitsOn(entries, part.cpu);
    if (verdict.fits) return verdict;
    part.cpu = -1;
    if (i == 0) nearest = verdict;
  }
  return nearest;
}

bool ReservationTable::placeAnew(Entries& entries, bool spread) const {
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
      if (!placePart(entries, entry->contract, *part).fits) return false;
      continue;
    }
    bool placed = false;
    for (const int cpu : allowed(entry->contract)) {
      part->cpu = cpu;
      placed = fitsOn(entries, cpu).fits;
      if (placed) break;
      part->cpu = -1;
    }
    if (!placed) return false;
  }
  return true;
}

namespace {

/// Whether what is asked now is part of what was granted: the same packets, or fewer of them, and none that
/// takes longer. A set that fits keeps fitting on the same levels when a task in it asks for less.
bool isLess(const ReservationContract& before, const ReservationContract& now,
            const std::vector<ReservedPart>& parts) {
  const auto demands = demandsOf(now);
  if (before.service != now.service || before.cpus != now.cpus || before.preferred != now.preferred ||
      before.worksAhead != now.worksAhead || demands.size() != parts.size() || demands.empty())
    return false;
  const Demand& old = parts.front().demand;
  const Demand& next = demands.front();
  if (next.processing > old.processing || next.burst > old.burst) return false;
  const bool fewer = before.frequency == 1 && before.rate.period() == now.rate.period() &&
                     (now.deadline == before.deadline) && now.threads == before.threads;
  return fewer || (next.separation >= old.separation && next.period >= old.period &&
                   next.deadline >= old.deadline && next.jitter <= old.jitter);
}

}  // namespace

std::size_t ReservationTable::partsIn(const Entries& entries) noexcept {
  return std::accumulate(entries.begin(), entries.end(), std::size_t{0},
                         [](std::size_t sum, const auto& each) { return sum + each.second.parts.size(); });
}

ReservationTable::Verdict ReservationTable::place(Entries& entries, ReservationId added) const {
  auto& entry = entries.at(added);
  prepare(entry);
  Entries incremental = entries;
  Verdict verdict{true, {}};
  auto& placed = incremental.at(added);
  for (auto& part : placed.parts) {
    verdict = placePart(incremental, placed.contract, part);
    if (!verdict.fits) break;
  }
  if (verdict.fits) {
    placed.admitted = true;
    entries = std::move(incremental);
    return verdict;
  }
  if (hopeless(entry.contract, added) || partsIn(entries) > kFew) return verdict;
  for (const bool spread : {true, false}) {
    Entries anew = entries;
    if (!placeAnew(anew, spread)) continue;
    anew.at(added).admitted = true;
    entries = std::move(anew);
    return {true, {}};
  }
  return verdict;
}

bool ReservationTable::admits(const ReservationContract& contract, ReservationId replaced) const {
  if (!validate(contract).ok()) return false;
  Entries trial = m_entries;
  trial.erase(replaced);
  const auto id = static_cast<ReservationId>(m_next);
  trial[id] = {id, contract, false, {}};
  return place(trial, id).fits;
}

AdmissionRefusal ReservationTable::explain(const ReservationContract& contract, AdmissionRefusal why,
                                           ReservationId replaced) const {
  why.code = ErrorCode::Refused;
  const double asked = utilisation(demandsOf(contract)) * 100;
  const double perSecond = contract.rate.perSecond() * contract.frequency;
  std::string reason = why.sentence;
  if (!reason.empty()) {
    // already said
  } else if (!why.test) {
    double others = 0;
    for (const auto& [id, entry] : m_entries)
      for (const auto& part : entry.parts)
        if (id != replaced && part.cpu == why.cpu) others += shareOf(part.demand);
    reason = format("processor %d, the freest, has %.0f %% left of the %.0f %% that may be reserved", why.cpu,
                    std::max(0.0, why.limit - others) * 100, why.limit * 100);
  } else if (std::isinf(why.load)) {
    reason = format("processor %d would be overloaded (%s)", why.cpu, std::string(nameOf(*why.test)).c_str());
  } else {
    reason = format("on processor %d a packet could take %.1f ms where %.1f ms are allowed (%s)", why.cpu,
                    milliseconds(why.load), milliseconds(why.limit), std::string(nameOf(*why.test)).c_str());
  }
  why.sentence =
      format("%s needs %.0f %% of a processor at %.3g packets a second; %s.",
             contract.name.empty() ? "This task" : contract.name.c_str(), asked, perSecond, reason.c_str());
  if (partsIn(m_entries) > kFew) return why;
  if (contract.service == ServiceClass::Guaranteed && contract.typical > Duration::zero() &&
      contract.typical < contract.worst) {
    ReservationContract statistical = contract;
    statistical.service = ServiceClass::Statistical;
    if (admits(statistical, replaced)) {
      why.offers.push_back({Offer::Kind::Statistical, statistical, "as statistical instead of guaranteed"});
    }
  }
  // What fits at some share fits at any lower one, near enough for an offer: bisection.
  const auto largest = [&](const auto& scaled) -> std::optional<ReservationContract> {
    int fits = 0;
    int fails = kOfferSteps;
    while (fails - fits > 1) {
      const int middle = (fits + fails) / 2;
      (admits(scaled(static_cast<double>(middle) / kOfferSteps), replaced) ? fits : fails) = middle;
    }
    if (fits == 0) return std::nullopt;
    return scaled(static_cast<double>(fits) / kOfferSteps);
  };
  const auto fewer = largest([&](double factor) {
    ReservationContract lower = contract;
    lower.frequency *= factor;
    return lower;
  });
  if (fewer) {
    why.offers.push_back({Offer::Kind::LowerFrequency, *fewer,
                          format("at %.3g of its %.3g packets a second",
                                 fewer->rate.perSecond() * fewer->frequency, perSecond)});
  }
  const auto slower = largest([&](double factor) {
    ReservationContract lower = contract;
    lower.rate = contract.rate.scaled(factor);
    return lower;
  });
  if (slower) {
    why.offers.push_back({Offer::Kind::LowerRate, *slower,
                          format("with a source of %.3g packets a second", slower->rate.perSecond())});
  }
  if (!why.offers.empty()) {
    why.sentence += " It would fit ";
    for (std::size_t i = 0; i < why.offers.size(); ++i)
      why.sentence += (i == 0 ? "" : i + 1 == why.offers.size() ? " or " : ", ") + why.offers[i].sentence;
    why.sentence += ".";
  }
  return why;
}

Result<void, AdmissionRefusal> ReservationTable::wouldAdmit(const ReservationContract& contract) const {
  ReservationTable copy = *this;
  const auto made = copy.create(contract);
  if (made.ok()) return {};
  return made.error();
}

bool ReservationTable::hopeless(const ReservationContract& contract, ReservationId replaced) const {
  const auto cpus = allowed(contract);
  double free = m_policy.capacity * static_cast<double>(cpus.size());
  for (const auto& [id, entry] : m_entries) {
    if (id == replaced) continue;
    for (const auto& part : entry.parts)
      if (std::find(cpus.begin(), cpus.end(), part.cpu) != cpus.end()) free -= shareOf(part.demand);
  }
  return utilisation(demandsOf(contract)) > free;
}

Result<ReservationId, AdmissionRefusal> ReservationTable::create(ReservationContract contract) {
  if (const auto valid = validate(contract); !valid.ok()) return AdmissionRefusal::of(valid.error());
  const auto id = static_cast<ReservationId>(m_next);
  Entries trial = m_entries;
  trial[id] = {id, contract, false, {}};
  if (contract.service != ServiceClass::BestEffort) {
    Verdict verdict = place(trial, id);
    if (!verdict.fits) return explain(contract, std::move(verdict.why), ReservationId::None);
  }
  m_entries = std::move(trial);
  ++m_next;
  return id;
}

Result<void, AdmissionRefusal> ReservationTable::change(ReservationId id, ReservationContract contract) {
  if (!m_entries.contains(id))
    return AdmissionRefusal::of({ErrorCode::NotFound, "There is no such reservation."});
  if (const auto valid = validate(contract); !valid.ok()) return AdmissionRefusal::of(valid.error());
  if (auto& present = m_entries.at(id);
      present.admitted && isLess(present.contract, contract, present.parts)) {
    const auto demands = demandsOf(contract);
    for (std::size_t i = 0; i < demands.size(); ++i) present.parts[i].demand = demands[i];
    present.contract = std::move(contract);
    retry();
    return {};
  }
  Entries trial = m_entries;
  auto& entry = trial.at(id);
  const std::vector<ReservedPart> before = entry.parts;
  entry.contract = contract;
  entry.parts.clear();
  entry.admitted = false;
  if (contract.service != ServiceClass::BestEffort) {
    // First where it is: nobody has to move.
    bool stays = false;
    if (before.size() == demandsOf(contract).size() && !before.empty()) {
      Entries same = trial;
      auto& there = same.at(id);
      prepare(there);
      stays = true;
      const auto may = allowed(contract);
      for (std::size_t i = 0; i < before.size(); ++i) {
        there.parts[i].cpu = before[i].cpu;
        stays = stays && std::find(may.begin(), may.end(), before[i].cpu) != may.end();
      }
      for (std::size_t i = 0; stays && i < before.size(); ++i) stays = fitsOn(same, before[i].cpu).fits;
      if (stays) {
        there.admitted = true;
        trial = std::move(same);
      }
    }
    if (!stays) {
      Verdict verdict = place(trial, id);
      if (!verdict.fits) return explain(contract, std::move(verdict.why), id);
    }
  }
  m_entries = std::move(trial);
  retry();
  return {};
}

void ReservationTable::release(ReservationId id) {
  const auto found = m_entries.find(id);
  if (found == m_entries.end()) return;
  std::vector<int> touched;
  for (const auto& part : found->second.parts) touched.push_back(part.cpu);
  m_entries.erase(found);
  for (const int cpu : touched) (void)fitsOn(m_entries, cpu);  // the levels move together
  retry();
}

void ReservationTable::retry() {
  for (auto& [id, entry] : m_entries) {
    if (entry.admitted || entry.contract.service == ServiceClass::BestEffort) continue;
    Entries trial = m_entries;
    if (place(trial, id).fits) {
      m_entries = std::move(trial);
      return retry();  // the map is another one now
    }
  }
}

std::vector<ReservationId> ReservationTable::setPolicy(AdmissionPolicy policy) {
  m_policy = std::move(policy);
  std::vector<ReservationId> order;
  std::vector<ReservationId> lost;
  Entries old = std::move(m_entries);
  m_entries.clear();
  for (const auto& [id, entry] : old) order.push_back(id);
  std::stable_sort(order.begin(), order.end(), [&](ReservationId a, ReservationId b) {
    return old.at(a).contract.service < old.at(b).contract.service;  // guaranteed first
  });
  std::vector<ReservationId> kept;
  for (const ReservationId id : order) {
    Entries trial = m_entries;
    trial[id] = old.at(id);
    trial[id].admitted = false;
    trial[id].parts.clear();
    if (trial[id].contract.service != ServiceClass::BestEffort && !place(trial, id).fits) {
      if (old.at(id).admitted) lost.push_back(id);
      kept.push_back(id);
      continue;
    }
    m_entries = std::move(trial);
  }
  for (const ReservationId id : kept) {
    ReservationEntry entry = old.at(id);
    entry.admitted = false;
    entry.parts.clear();
    m_entries[id] = std::move(entry);
  }
  return lost;
}

const ReservationEntry* ReservationTable::find(ReservationId id) const {
  const auto found = m_entries.find(id);
  return found == m_entries.end() ? nullptr : &found->second;
}

ReservationEntry ReservationTable::analysed(const ReservationEntry& entry) const {
  ReservationEntry result = entry;
  for (auto& part : result.parts) {
    std::vector<Demand> demands{part.demand};
    const ReservedPart* self = &entry.parts[static_cast<std::size_t>(&part - result.parts.data())];
    for (const auto& [id, other] : m_entries)
      for (const auto& each : other.parts)
        if (each.cpu == part.cpu && &each != self) demands.push_back(each.demand);
    part.response = worstResponse(demands, 0, m_policy.costs).value_or(Duration{0});
  }
  return result;
}

std::vector<ReservationEntry> ReservationTable::list() const {
  std::vector<ReservationEntry> all;
  all.reserve(m_entries.size());
  for (const auto& [id, entry] : m_entries) all.push_back(analysed(entry));
  return all;
}

double ReservationTable::load(int cpu) const {
  double sum = 0;
  for (const auto& [id, entry] : m_entries)
    for (const auto& part : entry.parts)
      if (part.cpu == cpu) sum += shareOf(part.demand);
  return sum;
}

}  // namespace tactus::periodic
