// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>

#include "core/periodic/time/rate.h"

namespace tactus::periodic {

/// The rate of a stream whose header may say anything: what is declared holds until it is measured, and where
/// it is right within a tenth; so does what was measured before. Thread-safe: no. Real-time-safe: yes.
class BelievedRate {
 public:
  void declare(const std::optional<Rate>& declared) noexcept { m_declared = m_rate = declared; }
  void measured(const Rate& rate) noexcept {
    if (isSame(m_declared, rate)) {
      m_rate = m_declared;
    } else if (!isSame(m_rate, rate)) {
      m_rate = rate;
    }
  }
  /// Absent where nothing is declared and nothing measured.
  [[nodiscard]] const std::optional<Rate>& rate() const noexcept { return m_rate; }

 private:
  static constexpr double kSame = 0.1;
  [[nodiscard]] static bool isSame(const std::optional<Rate>& believed, const Rate& measured) noexcept {
    return believed &&
           std::abs(measured.perSecond() - believed->perSecond()) <= kSame * believed->perSecond();
  }
  std::optional<Rate> m_declared, m_rate;
};

}  // namespace tactus::periodic
