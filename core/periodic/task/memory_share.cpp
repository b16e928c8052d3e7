// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/memory_share.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "core/periodic/trace/format.h"

namespace tactus::periodic {
namespace {

/// The rest is for what no share names: caches of the kernel, libraries, other programs that grow.
constexpr double kPromised = 0.9;
constexpr std::size_t kMostNamed = 2;

std::string sentenceOf(const ResourceRefusal& refusal, const std::string& name, double others) {
  std::string sentence = name + " needs " + bytesInWords(refusal.needs) + " of memory; " +
                         bytesInWords(refusal.left) + " are left";
  sentence += others > 0 ? " beside the " + bytesInWords(others) + " that others were promised." : ".";
  for (std::size_t i = 0; i < refusal.closing.size(); ++i)
    sentence += (i == 0 ? " Closing " : " or ") + refusal.closing[i];
  return refusal.closing.empty() ? sentence : sentence + " would make room.";
}

}  // namespace

std::string bytesInWords(double bytes) {
  return bytes < 999.5e6 ? format("%.0f MB", bytes / 1e6) : format("%.1f GB", bytes / 1e9);
}

MemoryShare::MemoryShare(Read read) : m_read(std::move(read)) {}

double MemoryShare::heldLocked(ShareId without) const noexcept {
  double sum = 0;
  for (const auto& [id, held] : m_shares)
    if (id != without) sum += held.amount;
  return sum;
}

std::optional<double> MemoryShare::leftLocked(const Readings& now, ShareId without) const {
  if (!now) return std::nullopt;
  if (m_shares.empty()) m_own = now->ours;
  return kPromised * (now->free + now->ours) - m_own - heldLocked(without);
}

std::vector<std::string> MemoryShare::closingLocked(const Claim& claim, double missing) const {
  std::map<std::string, double> byName;  // a stream may hold several shares
  for (const auto& [id, held] : m_shares)
    if (held.name != claim.name) byName[held.name] += held.amount;
  std::vector<std::pair<double, std::string>> enough;
  for (const auto& [name, bytes] : byName)
    if (bytes >= missing) enough.emplace_back(bytes, name);
  std::sort(enough.begin(), enough.end());
  std::vector<std::string> names;
  for (const auto& [bytes, name] : enough)
    if (names.size() < kMostNamed) names.push_back(name);
  return names;
}

std::optional<ResourceRefusal> MemoryShare::testLocked(const Readings& now, const Claim& claim,
                                                       ShareId replaced) const {
  const auto left = leftLocked(now, replaced);
  if (!left || claim.amount <= *left) return std::nullopt;
  ResourceRefusal refusal;
  refusal.resource = name();
  refusal.test = "sum of the shares";
  refusal.needs = claim.amount;
  refusal.left = std::max(0.0, *left);
  if (*left > 0) refusal.offer = *left;
  refusal.closing = closingLocked(claim, claim.amount - *left);
  refusal.sentence = sentenceOf(refusal, claim.name, heldLocked(replaced));
  return refusal;
}

std::optional<ResourceRefusal> MemoryShare::test(const Claim& claim) const {
  const auto now = m_read();
  const std::lock_guard lock(m_mutex);
  return testLocked(now, claim, ShareId::None);
}

Result<ShareId, ResourceRefusal> MemoryShare::hold(const Claim& claim) {
  const auto now = m_read();
  const std::lock_guard lock(m_mutex);
  if (auto refusal = testLocked(now, claim, ShareId::None)) return *std::move(refusal);
  const ShareId id{m_next++};
  m_shares.emplace(id, claim);
  return id;
}

Result<void, ResourceRefusal> MemoryShare::change(ShareId share, const Claim& claim) {
  const auto now = m_read();
  const std::lock_guard lock(m_mutex);
  const auto found = m_shares.find(share);
  if (found == m_shares.end()) return {};
  if (claim.amount > found->second.amount)
    if (auto refusal = testLocked(now, claim, share)) return *std::move(refusal);
  found->second = claim;
  return {};
}

void MemoryShare::giveBack(ShareId share) noexcept {
  const std::lock_guard lock(m_mutex);
  m_shares.erase(share);
}

MemoryShare::Standing MemoryShare::standing() const {
  const auto now = m_read();
  const std::lock_guard lock(m_mutex);
  auto left = leftLocked(now, ShareId::None);
  if (left) *left = std::max(0.0, *left);
  return {heldLocked(ShareId::None), left};
}

}  // namespace tactus::periodic
