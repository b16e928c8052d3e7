// SPDX-License-Identifier: Apache-2.0
#include "media/room/participant/playout_delay.h"

#include <algorithm>
#include <cmath>

namespace tactus::media {

using periodic::Duration;
using periodic::inSeconds;

Duration PlayoutDelay::update(periodic::TimePoint now, Duration late, Duration most) noexcept {
  const double came = inSeconds(late);
  if (!m_begun) {
    m_begun = true;
    m_mean = came;
    m_deviation = std::max(0.0, inSeconds(most) - came) / m_constants.deviations;
  } else {
    const double weight =
        inSeconds(std::min(now - m_last, m_constants.longest)) / inSeconds(m_constants.forget);
    m_mean += weight * (came - m_mean);
    m_deviation += weight * (std::abs(came - m_mean) - m_deviation);
  }
  m_last = now;
  return std::min(most, periodic::fromSeconds(m_mean + m_constants.deviations * m_deviation));
}

}  // namespace tactus::media
