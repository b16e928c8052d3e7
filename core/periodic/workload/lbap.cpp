// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/workload/lbap.h"

#include <algorithm>

namespace tactus::periodic {

Verdict LbapRegulator::poll(TimePoint now, std::optional<Duration> spacing,
                            ByteCount size) const TACTUS_REALTIME {
  const Duration period = m_contract.rate.period();
  TimePoint logical = now;
  if (m_last) {
    const Duration gap = spacing && *spacing > Duration::zero() ? *spacing : period;
    logical = std::max(now, *m_last + gap);
  }
  // W packets may pass at once: the i-th is released (W - 1) periods before l(i). If i ... i+k pass within t
  // then t >= r(i+k) - r(i) >= l(i+k) - (W-1)/R - l(i) >= (k - W + 1)/R, hence k + 1 <= W + tR.
  const auto lead = period * static_cast<std::int64_t>(m_contract.workahead - 1);
  const TimePoint release = std::max(now, logical - lead);
  Conformance conformance = Conformance::Critical;
  if (release > now || size > m_contract.maxPacketSize) {
    conformance = Conformance::Violation;
  } else if (logical > now) {
    conformance = Conformance::Workahead;
  }
  return {logical, release, conformance};
}

Verdict LbapRegulator::arrive(TimePoint now, std::optional<Duration> spacing,
                              ByteCount size) TACTUS_REALTIME {
  const Verdict verdict = poll(now, spacing, size);
  m_last = verdict.logicalArrival;
  return verdict;
}

}  // namespace tactus::periodic
