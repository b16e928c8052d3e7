// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/reservation_table.h"

#include <algorithm>

#include "core/periodic/admission/offer_search.h"

namespace tactus::periodic {

bool ReservationTable::wouldFit(const ReservationContract& contract, ReservationId replaced) const {
  if (!validate(contract).ok()) return false;
  ReservationEntries trial = m_entries;
  trial.erase(replaced);
  const auto id = static_cast<ReservationId>(m_next);
  trial[id] = {id, contract, false, {}};
  return !placement().place(trial, id);
}

AdmissionRefusal ReservationTable::refuse(const ReservationContract& contract, const Shortfall& lacks,
                                          ReservationId replaced) const {
  AdmissionRefusal refusal = refusalOf(contract, lacks);
  if (partsIn(m_entries) > Placement::kFew) return refusal;
  addOffers(refusal, offersFor(contract, [&](const auto& other) { return wouldFit(other, replaced); }));
  return refusal;
}

Result<void, AdmissionRefusal> ReservationTable::wouldAdmit(const ReservationContract& contract) const {
  ReservationTable copy = *this;
  const auto made = copy.create(contract);
  if (made.ok()) return {};
  return made.error();
}

bool ReservationTable::hopeless(const ReservationContract& contract, ReservationId replaced) const {
  return placement().hopeless(m_entries, contract, replaced);
}

Result<ReservationId, AdmissionRefusal> ReservationTable::create(ReservationContract contract) {
  if (const auto valid = validate(contract); !valid.ok()) return AdmissionRefusal::of(valid.error());
  const auto id = static_cast<ReservationId>(m_next);
  ReservationEntries trial = m_entries;
  trial[id] = {id, contract, false, {}};
  if (contract.service != ServiceClass::BestEffort)
    if (const auto lacks = placement().place(trial, id)) return refuse(contract, *lacks, ReservationId::None);
  m_entries = std::move(trial);
  ++m_next;
  return id;
}

Result<void, AdmissionRefusal> ReservationTable::change(ReservationId id, ReservationContract contract) {
  const auto found = m_entries.find(id);
  if (found == m_entries.end())
    return AdmissionRefusal::of({ErrorCode::NotFound, "There is no such reservation."});
  if (const auto valid = validate(contract); !valid.ok()) return AdmissionRefusal::of(valid.error());
  ReservationEntry& present = found->second;
  if (present.admitted &&
      asksForLess(contract, present.contract, present.parts.front().demand, present.parts.size())) {
    const auto demands = demandsOf(contract);
    for (std::size_t i = 0; i < demands.size(); ++i) present.parts[i].demand = demands[i];
    present.contract = std::move(contract);
    retry();
    return {};
  }
  ReservationEntries trial = m_entries;
  trial.at(id) = {id, contract, false, {}};
  if (contract.service != ServiceClass::BestEffort) {
    // First where it is: nobody has to move.
    ReservationEntries same = trial;
    if (placement().placeAgain(same, id, present.parts)) {
      trial = std::move(same);
    } else if (const auto lacks = placement().place(trial, id)) {
      return refuse(contract, *lacks, id);
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
  // The levels move together; a set that fits keeps fitting with one less.
  for (const int cpu : touched) (void)placement().assignLevelsOn(m_entries, cpu);
  retry();
}

void ReservationTable::retry() {
  for (auto& [id, entry] : m_entries) {
    if (entry.admitted || entry.contract.service == ServiceClass::BestEffort) continue;
    ReservationEntries trial = m_entries;
    if (!placement().place(trial, id)) {
      m_entries = std::move(trial);
      return retry();  // the map is another one now
    }
  }
}

std::vector<ReservationId> ReservationTable::setPolicy(AdmissionPolicy policy) {
  m_policy = std::move(policy);
  std::vector<ReservationId> order;
  std::vector<ReservationId> lost;
  ReservationEntries old = std::move(m_entries);
  m_entries.clear();
  for (const auto& [id, entry] : old) order.push_back(id);
  std::stable_sort(order.begin(), order.end(), [&](ReservationId a, ReservationId b) {
    return old.at(a).contract.service < old.at(b).contract.service;  // guaranteed first
  });
  std::vector<ReservationId> kept;
  for (const ReservationId id : order) {
    ReservationEntries trial = m_entries;
    trial[id] = old.at(id);
    trial[id].admitted = false;
    trial[id].parts.clear();
    if (trial[id].contract.service != ServiceClass::BestEffort && placement().place(trial, id)) {
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
  return shareOn(m_entries, cpu);
}

}  // namespace tactus::periodic
