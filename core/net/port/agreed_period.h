// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/periodic/time/time.h"

namespace tactus::net {

/// How a writer changes the period of a stream that goes on, so that its reader never judges by a period that
/// is not yet, or no longer, in force:
///
///   Settled   offer()     says it to the reader                 -> Offered
///   Offered   confirm()   the reader knows it: in force         -> InForce
///   InForce   beat()      twice, so that buffers by the former period have come    -> Settled
///
/// Meanwhile the reader is told both periods, and judges nobody: a writer that works ahead makes a burst or a
/// gap of its workahead between two periods. Thread-safe: no. Real-time-safe: yes.
class AgreedPeriod {
 public:
  explicit AgreedPeriod(periodic::Duration period) noexcept : m_settled(period), m_next(period) {}

  /// A new period; true: to be said to the reader. False: it is the one in force, or another is under way.
  bool offer(periodic::Duration period) noexcept {
    if (m_step != Step::Settled || period == m_settled) return false;
    m_next = period;
    m_step = Step::Offered;
    return true;
  }
  /// The reader says which one it knows; true: next() is in force from now on.
  bool confirm(periodic::Duration known) noexcept {
    if (m_step != Step::Offered || known != m_next) return false;
    m_step = Step::InForce;
    m_beats = 0;
    return true;
  }
  /// Once a second.
  void beat() noexcept {
    if (m_step != Step::InForce || ++m_beats < kBeats) return;
    m_step = Step::Settled;
    m_settled = m_next;
  }

  [[nodiscard]] bool isSettled() const noexcept { return m_step == Step::Settled; }
  /// What the reader is told: the period that was, and the one that is to be; while settled both are one.
  [[nodiscard]] periodic::Duration settled() const noexcept { return m_settled; }
  [[nodiscard]] periodic::Duration next() const noexcept { return m_next; }
  [[nodiscard]] periodic::Duration inForce() const noexcept {
    return m_step == Step::Offered ? m_settled : m_next;
  }

 private:
  static constexpr int kBeats = 2;
  enum class Step : std::uint8_t { Settled, Offered, InForce };
  periodic::Duration m_settled, m_next;
  Step m_step = Step::Settled;
  int m_beats = 0;
};

/// The same as its reader hears it. Until both are one the longer is what buffers may take and the shorter is
/// what is enforced. Thread-safe: no. Real-time-safe: yes.
struct HeardPeriods {
  periodic::Duration settled{0}, next{0};  ///< above 0

  [[nodiscard]] bool isSettled() const noexcept { return settled == next; }
  [[nodiscard]] periodic::Duration judged() const noexcept { return std::max(settled, next); }
  [[nodiscard]] periodic::Duration enforced() const noexcept { return std::min(settled, next); }
  friend bool operator==(const HeardPeriods&, const HeardPeriods&) = default;
};

}  // namespace tactus::net
