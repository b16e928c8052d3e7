// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/net/link/bit_rate.h"
#include "core/periodic/admission/resource.h"
#include "core/periodic/admission/share_ledger.h"
#include "core/periodic/kernel/priority_inheritance_mutex.h"

namespace tactus::net {

/// The bits a second of a link that streams may have together (RTSS, section 4.3.3):
///
///   left = 0.95 rate - sum of the shares
///
/// The rest is bulk's, and for what no contract names: retransmissions, headers of other layers. A link whose
/// rate falls keeps its shares; their streams suffer by class and weight until some are given back.
/// Thread-safe: yes. Real-time-safe: no.
class LinkShare final : public periodic::Resource {
 public:
  /// The part of the rate that is promised at most.
  static constexpr double kPromised = 0.95;

  LinkShare(std::string name, BitRate rate) : m_name(std::move(name)), m_rate(rate) {}

  void setRate(BitRate rate);

  [[nodiscard]] std::string_view name() const noexcept override { return m_name; }
  [[nodiscard]] std::optional<periodic::ResourceRefusal> test(const periodic::Claim& claim) const override;
  [[nodiscard]] Result<periodic::ShareId, periodic::ResourceRefusal> hold(
      const periodic::Claim& claim) override;
  [[nodiscard]] Result<void, periodic::ResourceRefusal> change(periodic::ShareId share,
                                                               const periodic::Claim& claim) override;
  void giveBack(periodic::ShareId share) noexcept override;

  /// What all shares hold together, and what could still be given; bits a second.
  struct Standing {
    double held = 0, left = 0;
  };
  [[nodiscard]] Standing standing() const;

 private:
  [[nodiscard]] std::optional<periodic::ResourceRefusal> testLocked(const periodic::Claim& claim,
                                                                    periodic::ShareId replaced) const;

  const std::string m_name;                            // shown to people: "link"
  mutable periodic::PriorityInheritanceMutex m_mutex;  // guards what follows, for moments
  BitRate m_rate;
  periodic::ShareLedger m_shares;
};

}  // namespace tactus::net
