// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/capacity.h"

#include <algorithm>
#include <utility>

namespace tactus::periodic {

double Capacity::value(double processors) const noexcept {
  return m_known ? std::min(m_value, processors) : processors;
}

void Capacity::observe(TimePoint now, const Evidence& seen) noexcept {
  const double scale = std::min(seen.asked, seen.processors);
  const double nothing = m_constants.nothing * scale;
  const double step = m_constants.step * scale;
  const double present = value(seen.processors);
  const TimePoint quiet = std::max(m_changed, m_missed);
  const bool mayTry = now - quiet >= m_backoff.wait();
  if (seen.missing > std::max(seen.idle, seen.spare) + nothing) {
    if (seen.settled) fallTo(now, std::min(seen.used, seen.processors));
  } else if (seen.idle > nothing) {
    const double there = std::min(seen.used + seen.idle, seen.processors);
    if (there > present && (mayTry || there > m_tooMuch + step)) raise(now, there);
  } else if (seen.settled && seen.payable > nothing && mayTry &&
             present < std::min(seen.asked, seen.processors)) {
    raise(now, std::min(present + std::min(step, seen.payable), seen.processors));
  }
  if (m_onTrial && now - std::max(m_changed, m_missed) >= m_constants.proof) {
    m_onTrial = false;
    m_tooMuch = 0;
    m_backoff.ease();
  }
}

void Capacity::raise(TimePoint now, double to) noexcept {
  m_value = to;
  m_known = true;
  m_changed = now;
  m_onTrial = true;
}

/// While work is missing, C is exactly what we use, even if that is above the old C.
void Capacity::fallTo(TimePoint now, double used) noexcept {
  m_missed = now;
  if (std::exchange(m_onTrial, false)) {
    m_backoff.fail();
    m_tooMuch = m_value;
  }
  m_value = used;
  m_known = true;
}

}  // namespace tactus::periodic
