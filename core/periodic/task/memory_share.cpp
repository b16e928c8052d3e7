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

std::string sentenceOf(const ResourceRefusal& refusal, const std::string& name, double others) {
  std::string sentence = name + " needs " + bytesInWords(refusal.needs) + " of memory; " +
                         bytesInWords(refusal.left) + " are left";
  sentence += others > 0 ? " beside the " + bytesInWords(others) + " that others were promised." : ".";
  return sentence + closingInWords(refusal.closing);
}

}  // namespace

std::string bytesInWords(double bytes) {
  return bytes < 999.5e6 ? format("%.0f MB", bytes / 1e6) : format("%.1f GB", bytes / 1e9);
}

MemoryShare::MemoryShare(Read read) : m_read(std::move(read)) {}

std::optional<double> MemoryShare::leftLocked(const Readings& now, ShareId without) const {
  if (!now) return std::nullopt;
  if (m_shares.empty()) m_own = now->ours;
  return kPromised * (now->free + now->ours) - m_own - m_shares.sum(without);
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
  refusal.closing = m_shares.closing(claim, claim.amount - *left);
  refusal.sentence = sentenceOf(refusal, claim.name, m_shares.sum(replaced));
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
  return m_shares.add(claim);
}

Result<void, ResourceRefusal> MemoryShare::change(ShareId share, const Claim& claim) {
  const auto now = m_read();
  const std::lock_guard lock(m_mutex);
  const Claim* held = m_shares.find(share);
  if (held == nullptr) return {};
  if (claim.amount > held->amount)
    if (auto refusal = testLocked(now, claim, share)) return *std::move(refusal);
  m_shares.change(share, claim);
  return {};
}

void MemoryShare::giveBack(ShareId share) noexcept {
  const std::lock_guard lock(m_mutex);
  m_shares.remove(share);
}

MemoryShare::Standing MemoryShare::standing() const {
  const auto now = m_read();
  const std::lock_guard lock(m_mutex);
  auto left = leftLocked(now, ShareId::None);
  if (left) *left = std::max(0.0, *left);
  return {m_shares.sum(), left};
}

}  // namespace tactus::periodic
