// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/budget_refill.h"

#include <algorithm>
#include <utility>

namespace tactus::periodic {

BudgetRefill::Decision BudgetRefill::decide(TimePoint now, const Reading& reading) noexcept {
  if (m_packet != reading.packet) {
    m_packet = reading.packet;
    m_refillAt = now + reading.period;
    m_cpuAtRefill.reset();
  }
  Action action = Action::None;
  if (m_cpuAtRefill && reading.cpu - *m_cpuAtRefill >= reading.budget) {
    action = Action::Lower;
    m_cpuAtRefill.reset();
    m_refillAt += reading.period;
  } else if (!m_cpuAtRefill && now >= m_refillAt) {
    action = Action::Raise;
    m_cpuAtRefill = reading.cpu;
    m_idleSince = now;
  }
  if (std::exchange(m_cpu, reading.cpu) != reading.cpu) m_idleSince = now;
  const TimePoint earliest = now + kShortestLook;
  if (!m_cpuAtRefill) return {action, std::max(m_refillAt, earliest)};
  // Else a thread that waits in the midst of its packet would be looked at hundreds of times a second.
  const Duration left = *m_cpuAtRefill + reading.budget - reading.cpu;
  return {action, std::max<TimePoint>(now + std::max(left, now - m_idleSince), earliest)};
}

Patrol Patrol::decide(Duration budget, std::optional<Duration> used) noexcept {
  const Duration left = budget - used.value_or(Duration{0});
  const bool over = left <= Duration::zero();
  return {over, std::max(over ? budget : left, kShortestLook)};
}

}  // namespace tactus::periodic
