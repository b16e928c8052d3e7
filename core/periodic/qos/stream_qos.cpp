// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/qos/stream_qos.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus::periodic {
namespace {

/// One event a second and stream says enough, and of small changes one in five seconds.
constexpr Duration kQuiet = std::chrono::seconds(1);
constexpr Duration kLongQuiet = std::chrono::seconds(5);
constexpr double kLargeChange = 0.1, kSmallChange = 1.0 / 32;

}  // namespace

bool PeriodStretch::lengthen(TimePoint now, Duration present, Duration longest) noexcept {
  const Duration in = m_steps > 0 ? std::max(present, period()) : present;
  const Duration next = std::min(in + m_constants.step, longest);
  if (next <= in) return false;
  ++m_steps;
  m_base = next - m_steps * m_constants.step;
  m_changed = now;
  if (std::exchange(m_onTrial, false)) m_backoff.fail();
  return true;
}

void PeriodStretch::shorten(TimePoint now) noexcept {
  if (now - m_changed < m_backoff.wait()) return;
  if (std::exchange(m_onTrial, false)) m_backoff.ease();
  if (m_steps == 0) return;
  --m_steps;
  m_changed = now;
  m_onTrial = true;
}

void StreamQos::look(TimePoint now, const Seen& seen) {
  m_wasViolated = m_violated;
  const bool tooMany = seen.misses > seen.tolerated;
  if (tooMany) m_violated = true;
  if (m_violated && !tooMany && now - seen.lastMiss >= seen.recovery) m_violated = false;
  // What the contract does not allow any more is given back while it is violated, too.
  const bool tooLong = seen.longest > Duration{0} && m_stretch.period() > seen.longest;
  if (!m_violated || tooLong) m_stretch.shorten(now);
  // Each step gets a window of its own to show what it does.
  if (tooMany && !seen.handled && seen.period > Duration{0} && now - m_stretch.changed() >= seen.window)
    m_stretch.lengthen(now, seen.period, seen.longest);
}

void StreamQos::act(const QosAction& action) noexcept {
  m_highestFrequency = action.frequency.value_or(m_highestFrequency);
  m_highestSize = action.size.value_or(m_highestSize);
}

double StreamQos::highestFrequency(Duration period) const noexcept {
  const Duration stretched = m_stretch.period();
  if (stretched <= period || period <= Duration{0}) return m_highestFrequency;
  return std::min(m_highestFrequency, inSeconds(period) / inSeconds(stretched));
}

std::vector<QosEvent::Kind> StreamQos::tell(TimePoint now, double frequency, bool lastRung) {
  std::vector<QosEvent::Kind> told;
  if (m_violated && !m_wasViolated) told.push_back(QosEvent::Kind::Violation);
  if (!m_violated && m_wasViolated) told.push_back(QosEvent::Kind::Recovered);
  const Duration quiet = now - m_lastTold;
  const double f = lastRung ? 0 : frequency;
  const double change = quiet < kLongQuiet ? kLargeChange : kSmallChange;
  const bool turned = (f < 1) != (m_told < 1);
  if (quiet < kQuiet || (std::abs(f - m_told) < change && !turned)) return told;
  m_told = f;
  m_lastTold = now;
  told.push_back(lastRung ? QosEvent::Kind::LastRung
                 : f >= 1 ? QosEvent::Kind::Whole
                          : QosEvent::Kind::Thinned);
  return told;
}

}  // namespace tactus::periodic
