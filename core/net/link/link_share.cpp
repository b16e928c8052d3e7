// SPDX-License-Identifier: Apache-2.0
#include "core/net/link/link_share.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

namespace tactus::net {
namespace {

using periodic::Claim;
using periodic::ResourceRefusal;
using periodic::ShareId;

std::string inWords(double bits) {
  const double largest = static_cast<double>(BitRate::kLargest);
  return BitRate::perSecond(std::llround(std::clamp(bits, 0.0, largest))).inWords();
}

}  // namespace

void LinkShare::setRate(BitRate rate) {
  const std::lock_guard lock(m_mutex);
  m_rate = rate;
}

std::optional<ResourceRefusal> LinkShare::testLocked(const Claim& claim, ShareId replaced) const {
  const double others = m_shares.sum(replaced);
  const double left = kPromised * static_cast<double>(m_rate.bits()) - others;
  if (claim.amount <= left) return std::nullopt;
  ResourceRefusal refusal;
  refusal.resource = m_name;
  refusal.test = "sum of the shares";
  refusal.needs = claim.amount;
  refusal.left = std::max(0.0, left);
  if (left > 0) refusal.offer = left;
  refusal.closing = m_shares.closing(claim, claim.amount - left);
  refusal.sentence = claim.name + " needs " + inWords(refusal.needs) + " of the " + m_name + "; " +
                     inWords(refusal.left) + " are left";
  refusal.sentence += others > 0 ? " beside the " + inWords(others) + " that others were promised." : ".";
  refusal.sentence += periodic::closingInWords(refusal.closing);
  return refusal;
}

std::optional<ResourceRefusal> LinkShare::test(const Claim& claim) const {
  const std::lock_guard lock(m_mutex);
  return testLocked(claim, ShareId::None);
}

Result<ShareId, ResourceRefusal> LinkShare::hold(const Claim& claim) {
  const std::lock_guard lock(m_mutex);
  if (auto refusal = testLocked(claim, ShareId::None)) return *std::move(refusal);
  return m_shares.add(claim);
}

Result<void, ResourceRefusal> LinkShare::change(ShareId share, const Claim& claim) {
  const std::lock_guard lock(m_mutex);
  const Claim* held = m_shares.find(share);
  if (held == nullptr) return {};
  if (claim.amount > held->amount)
    if (auto refusal = testLocked(claim, share)) return *std::move(refusal);
  m_shares.change(share, claim);
  return {};
}

void LinkShare::giveBack(ShareId share) noexcept {
  const std::lock_guard lock(m_mutex);
  m_shares.remove(share);
}

LinkShare::Standing LinkShare::standing() const {
  const std::lock_guard lock(m_mutex);
  const double held = m_shares.sum();
  return {held, std::max(0.0, kPromised * static_cast<double>(m_rate.bits()) - held)};
}

}  // namespace tactus::net
