// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/share_ledger.h"

#include <algorithm>
#include <utility>

namespace tactus::periodic {
namespace {

constexpr std::size_t kMostNamed = 2;

}  // namespace

double ShareLedger::sum(ShareId without) const noexcept {
  double sum = 0;
  for (const auto& [id, held] : m_shares)
    if (id != without) sum += held.amount;
  return sum;
}

std::vector<std::string> ShareLedger::closing(const Claim& claim, double missing) const {
  std::map<std::string, double> byName;  // a stream may hold several shares
  for (const auto& [id, held] : m_shares)
    if (held.name != claim.name) byName[held.name] += held.amount;
  std::vector<std::pair<double, std::string>> enough;
  for (const auto& [name, amount] : byName)
    if (amount >= missing) enough.emplace_back(amount, name);
  std::sort(enough.begin(), enough.end());
  std::vector<std::string> names;
  for (const auto& [amount, name] : enough)
    if (names.size() < kMostNamed) names.push_back(name);
  return names;
}

const Claim* ShareLedger::find(ShareId share) const noexcept {
  const auto found = m_shares.find(share);
  return found != m_shares.end() ? &found->second : nullptr;
}

ShareId ShareLedger::add(const Claim& claim) {
  const ShareId id{m_next++};
  m_shares.emplace(id, claim);
  return id;
}

void ShareLedger::change(ShareId share, const Claim& claim) {
  const auto found = m_shares.find(share);
  if (found != m_shares.end()) found->second = claim;
}

std::string closingInWords(const std::vector<std::string>& names) {
  if (names.empty()) return "";
  std::string sentence;
  for (const std::string& name : names) sentence += (sentence.empty() ? " Closing " : " or ") + name;
  return sentence + " would make room.";
}

}  // namespace tactus::periodic
