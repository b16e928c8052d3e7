// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/periodic/admission/resource.h"

namespace tactus::periodic {

/// The shares of a resource that are held, whatever the unit: sums, and who would make room. The resource has
/// the test and the sentence. Thread-safe: no. Real-time-safe: no (allocates).
class ShareLedger {
 public:
  [[nodiscard]] bool empty() const noexcept { return m_shares.empty(); }
  /// Sum of the shares but `without`.
  [[nodiscard]] double sum(ShareId without = ShareId::None) const noexcept;
  /// Streams, other than `claim`'s, each of whose shares sum up to `missing` or more: the smallest sum first,
  /// two at most.
  [[nodiscard]] std::vector<std::string> closing(const Claim& claim, double missing) const;
  /// Nullptr: no such share.
  [[nodiscard]] const Claim* find(ShareId share) const noexcept;

  [[nodiscard]] ShareId add(const Claim& claim);
  /// An unknown share does nothing.
  void change(ShareId share, const Claim& claim);
  void remove(ShareId share) noexcept { m_shares.erase(share); }

 private:
  std::map<ShareId, Claim> m_shares;
  std::uint64_t m_next = 1;
};

/// " Closing Film or Camera would make room.", or nothing. Thread-safe: yes (pure).
[[nodiscard]] std::string closingInWords(const std::vector<std::string>& names);

}  // namespace tactus::periodic
