// SPDX-License-Identifier: Apache-2.0
#include "plugins/ring_level.h"

#include <algorithm>

namespace tactus::plugins {

using periodic::Duration;

RingLevel::Turn RingLevel::turn(Duration oldest, Duration waiting, Duration wanted) TACTUS_REALTIME {
  const Duration target = wanted + m_constants.margin;
  const double weight = std::min(1.0, periodic::inSeconds(wanted) / periodic::inSeconds(m_constants.mean));
  Turn turn;
  if (!m_plays && (oldest < target || waiting < wanted)) return turn;
  m_delay += m_plays ? periodic::fromSeconds(weight * periodic::inSeconds(oldest - m_delay)) : Duration{0};
  if (!m_plays || oldest > target + m_constants.tolerance) {
    // What the device wants now stays.
    turn.drop = std::clamp(waiting - wanted, Duration{0}, std::max(Duration{0}, oldest - target));
    m_delay = oldest - turn.drop;
  }
  turn.play = std::min(waiting, wanted);
  m_plays = waiting >= wanted;
  const double error = periodic::inSeconds(m_delay - target) / periodic::inSeconds(m_constants.settle);
  turn.speed = 1 + std::clamp(error, -m_constants.most, m_constants.most);
  return turn;
}

}  // namespace tactus::plugins
