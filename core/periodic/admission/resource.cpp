// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/admission/resource.h"

#include <utility>

namespace tactus::periodic {

Result<HeldShares, ResourceRefusal> HeldShares::hold(std::vector<Asked> asked) {
  HeldShares held;
  for (auto& [resource, claim] : asked) {
    auto share = resource->hold(claim);
    if (!share.ok()) return share.error();
    held.m_held.push_back({std::move(resource), share.value()});
  }
  return held;
}

HeldShares& HeldShares::operator=(HeldShares&& other) noexcept {
  if (this == &other) return *this;
  giveBack();
  m_held = std::move(other.m_held);
  other.m_held.clear();
  return *this;
}

void HeldShares::giveBack() noexcept {
  for (; !m_held.empty(); m_held.pop_back()) m_held.back().resource->giveBack(m_held.back().share);
}

}  // namespace tactus::periodic
