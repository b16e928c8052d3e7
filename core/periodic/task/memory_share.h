// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/periodic/admission/resource.h"
#include "core/periodic/admission/share_ledger.h"
#include "core/periodic/kernel/priority_inheritance_mutex.h"

namespace tactus::periodic {

/// "312 MB", "1.2 GB". Thread-safe: yes (pure).
[[nodiscard]] std::string bytesInWords(double bytes);

/// The memory that this program's streams may have together, in bytes (RTSS, section 4.3.3). It is promised
/// and not touched at once, so what is free now says nothing of what was promised before:
///
///   left = 0.9 (free + ours) - own - sum of the shares
///
/// where `ours` is what the program has now and `own` what it had when no stream held a share.
class MemoryShare final : public Resource {
 public:
  struct Reading {
    double free = 0;  ///< what the program could still get, by the machine and its control group
    double ours = 0;  ///< what it has
  };
  /// Nullopt: it cannot be known, and everything is given.
  using Read = std::function<std::optional<Reading>()>;
  explicit MemoryShare(Read read);

  [[nodiscard]] std::string_view name() const noexcept override { return "memory"; }
  [[nodiscard]] std::optional<ResourceRefusal> test(const Claim& claim) const override;
  [[nodiscard]] Result<ShareId, ResourceRefusal> hold(const Claim& claim) override;
  [[nodiscard]] Result<void, ResourceRefusal> change(ShareId share, const Claim& claim) override;
  void giveBack(ShareId share) noexcept override;

  /// What all shares hold together, and what could still be given.
  struct Standing {
    double held = 0;
    std::optional<double> left;
  };
  [[nodiscard]] Standing standing() const;

 private:
  using Readings = std::optional<Reading>;
  /// Below 0: more was promised than there is now.
  [[nodiscard]] std::optional<double> leftLocked(const Readings& now, ShareId without) const;
  [[nodiscard]] std::optional<ResourceRefusal> testLocked(const Readings& now, const Claim& claim,
                                                          ShareId replaced) const;

  const Read m_read;                         // called without the lock
  mutable PriorityInheritanceMutex m_mutex;  // guards what follows, for moments
  mutable double m_own = 0;                  // as last read while nothing was held
  ShareLedger m_shares;
};

}  // namespace tactus::periodic
