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

std::string inWords(double bytes) {
  return bytes < 1e9 ? format("%.0f MB", bytes / 1e6) : format("%.1f GB", bytes / 1e9);
}

}  // namespace

MemoryShare::MemoryShare(Read read) : m_read(std::move(read)) {}

double MemoryShare::heldLocked(ShareId without) const noexcept {
  double sum = 0;
  for (const auto& [id, bytes] : m_shares)
    if (id != without) sum += bytes;
  return sum;
}

std::optional<double> MemoryShare::leftLocked(const Readings& now, ShareId without) const {
  if (!now) return std::nullopt;
  if (m_shares.empty()) m_own = now->ours;
  return std::max(0.0, kPromised * (now->free + now->ours) - m_own - heldLocked(without));
}

std::optional<ResourceRefusal> MemoryShare::testLocked(const Readings& now, const Claim& claim,
                                                       ShareId replaced) const {
  const auto left = leftLocked(now, replaced);
  if (!left || claim.amount <= *left) return std::nullopt;
  ResourceRefusal refusal;
  refusal.resource = name();
  refusal.test = "sum of the shares";
  refusal.needs = claim.amount;
  refusal.left = *left;
  if (*left > 0) refusal.offer = *left;
  const double others = heldLocked(replaced);
  refusal.sentence = claim.name + " needs " + inWords(claim.amount) + " of memory; " + inWords(*left) +
                     " are left" +
                     (others > 0 ? " beside the " + inWords(others) + " that others were promised." : ".");
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
  m_shares.emplace(id, claim.amount);
  return id;
}

Result<void, ResourceRefusal> MemoryShare::change(ShareId share, const Claim& claim) {
  const auto now = m_read();
  const std::lock_guard lock(m_mutex);
  const auto found = m_shares.find(share);
  if (found == m_shares.end()) return {};
  if (claim.amount > found->second)
    if (auto refusal = testLocked(now, claim, share)) return *std::move(refusal);
  found->second = claim.amount;
  return {};
}

void MemoryShare::giveBack(ShareId share) noexcept {
  const std::lock_guard lock(m_mutex);
  m_shares.erase(share);
}

MemoryShare::Standing MemoryShare::standing() const {
  const auto now = m_read();
  const std::lock_guard lock(m_mutex);
  return {heldLocked(ShareId::None), leftLocked(now, ShareId::None)};
}

}  // namespace tactus::periodic
