// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/qos_judge.h"

#include <algorithm>
#include <cmath>

namespace tactus::media {
namespace {

constexpr Duration kStretch = std::chrono::milliseconds(10);  // RTSS, section 4.3
/// One event a second and window says enough, and of small changes one in five seconds.
constexpr Duration kQuiet = std::chrono::seconds(1);
constexpr Duration kLongQuiet = std::chrono::seconds(5);
constexpr double kLargeChange = 0.1, kSmallChange = 1.0 / 32;

}  // namespace

void QosJudge::look(periodic::TimePoint now, const Seen& seen) {
  m_wasViolated = m_violated;
  if (seen.misses > seen.tolerated) m_violated = true;
  if (m_violated && now - seen.lastMiss >= seen.recovery) m_violated = false;
  if (m_wasViolated && !m_violated) m_stretched = 1;
}

void QosJudge::stretch(double rate, double least) noexcept {
  if (rate <= 0) return;
  const double period = 1 / (rate * m_stretched);
  m_stretched = std::max(least, m_stretched * period / (period + periodic::inSeconds(kStretch)));
}

std::vector<QosEvent::Kind> QosJudge::tell(periodic::TimePoint now, WindowStage stage, double frequency) {
  std::vector<QosEvent::Kind> told;
  if (m_violated && !m_wasViolated) told.push_back(QosEvent::Kind::Violation);
  if (!m_violated && m_wasViolated) told.push_back(QosEvent::Kind::Recovered);
  const Duration quiet = now - m_lastTold;
  const double f = stage == WindowStage::KeyframesOnly ? 0 : frequency;
  const double change = quiet < kLongQuiet ? kLargeChange : kSmallChange;
  const bool turned = (f < 1) != (m_told < 1);
  if (quiet < kQuiet || (std::abs(f - m_told) < change && !turned)) return told;
  m_told = f;
  m_lastTold = now;
  told.push_back(stage == WindowStage::KeyframesOnly ? QosEvent::Kind::KeyframesOnly
                 : f >= 1                            ? QosEvent::Kind::Whole
                                                     : QosEvent::Kind::Thinned);
  return told;
}

}  // namespace tactus::media
