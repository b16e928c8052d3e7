// SPDX-License-Identifier: Apache-2.0
#include "plugins/ring_level.h"

#include <algorithm>

namespace tactus::plugins {

using periodic::Duration;

void RingLevel::measure(Duration oldest, Duration wanted) noexcept {
  const double weight = std::min(1.0, periodic::inSeconds(wanted) / periodic::inSeconds(m_constants.mean));
  switch (m_state) {
    case State::Empty:
      m_delay = oldest;
      break;
    case State::Fills:
      m_delay = std::min(m_delay + wanted, oldest);
      break;
    case State::Plays:
      m_delay += periodic::fromSeconds(weight * periodic::inSeconds(oldest - m_delay));
  }
}

RingLevel::Turn RingLevel::turn(Duration oldest, Duration waiting, Duration wanted) TACTUS_REALTIME {
  Turn turn;
  const Duration target = wanted + m_constants.margin;
  measure(oldest, wanted);
  if (!plays() && (m_delay < target || waiting < wanted)) {
    m_state = waiting > Duration{0} ? State::Fills : State::Empty;
    return turn;
  }
  const Duration delay = plays() ? oldest : m_delay;
  if (!plays() || delay > target + m_constants.tolerance) {
    // What the device wants now stays.
    turn.drop = std::clamp(waiting - wanted, Duration{0}, std::max(Duration{0}, delay - target));
    m_delay = delay - turn.drop;
  }
  turn.play = std::min(waiting, wanted);
  m_state = waiting >= wanted ? State::Plays : State::Empty;
  const double error = periodic::inSeconds(m_delay - target) / periodic::inSeconds(m_constants.settle);
  turn.speed = 1 + std::clamp(error, -m_constants.most, m_constants.most);
  return turn;
}

}  // namespace tactus::plugins
