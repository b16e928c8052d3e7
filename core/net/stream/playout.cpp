// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/playout.h"

#include <algorithm>

namespace tactus::net {

using periodic::Duration;
using periodic::TimePoint;

Playout::Playout(const PlayoutTerms& terms) noexcept : m_terms(terms), m_period(terms.rate.period()) {}

TimePoint Playout::due() const TACTUS_REALTIME {
  return m_first ? *m_first + m_terms.rate.offsetOf(m_upCall) : TimePoint::max();
}

void Playout::advance() TACTUS_REALTIME {
  if (!m_first) return;
  ++m_upCall;
  ++m_next;
  ++m_figures.upCalls;
}

Playout::Arrival Playout::arrived(std::uint32_t number, TimePoint at) TACTUS_REALTIME {
  const auto ahead = static_cast<std::int32_t>(number - m_next);  // numbers wrap
  const std::int64_t far = std::max<std::int64_t>(kFar / m_period, kFarPeriods);
  if (!m_first || ahead > far || ahead < -far) {
    begin(number, at);
    return Arrival::InTime;
  }
  if (at - m_look.begin >= std::max(kLook, kLookPeriods * m_period)) endLook(at);
  const auto turns = static_cast<std::int32_t>(number - m_next);  // endLook() may have moved it
  const Duration margin = *m_first + m_terms.rate.offsetOf(m_upCall + turns) - at;
  m_look.smallest = std::min(m_look.smallest, margin);
  m_look.largest = std::max(m_look.largest, margin);
  if (margin >= Duration::zero()) {
    m_look.lateInARow = 0;
  } else {
    ++m_look.late;
    ++m_look.lateInARow;
    m_look.leastLate = std::min(m_look.leastLate, -margin);
    if (m_look.late >= kRepeatedly) slipLater(at);
  }
  // Against `next` as it is now: a slip later gives a buffer its turn again.
  if (static_cast<std::int32_t>(number - m_next) >= 0) return Arrival::InTime;
  ++m_figures.late;
  return Arrival::Late;
}

void Playout::setRate(const periodic::Rate& rate, TimePoint at) TACTUS_REALTIME {
  if (m_first) m_first = due();
  m_upCall = 0;
  m_terms.rate = rate;
  m_period = rate.period();
  m_look = Look{};
  m_look.begin = at;
}

void Playout::restart() TACTUS_REALTIME {
  if (m_first) m_notBefore = due();
  m_first.reset();
}

void Playout::begin(std::uint32_t number, TimePoint at) TACTUS_REALTIME {
  if (m_began) ++m_figures.restarts;
  m_began = true;
  const TimePoint next = m_first ? due() : m_notBefore;
  m_first = std::max(at + m_terms.jitter, next);
  m_upCall = 0;
  m_next = number;
  m_look = Look{};
  m_look.begin = at;
}

/// `next` stays behind (above 0: later) or jumps ahead (below 0: earlier).
void Playout::slip(std::int64_t periods, TimePoint at) TACTUS_REALTIME {
  m_next -= static_cast<std::uint32_t>(periods);
  if (periods > 0) m_figures.slipsLater += static_cast<std::uint64_t>(periods);
  if (periods < 0) m_figures.slipsEarlier += static_cast<std::uint64_t>(-periods);
  m_look = Look{};
  m_look.begin = at;
}

void Playout::slipLater(TimePoint at) TACTUS_REALTIME {
  const std::int64_t periods = (m_look.leastLate + m_period - Duration(1)) / m_period;
  const Duration longest = std::max(m_terms.latency, m_terms.jitter + 2 * m_period);
  if (m_look.lateInARow >= kRepeatedly || m_look.largest + periods * m_period <= longest) slip(periods, at);
}

void Playout::endLook(TimePoint at) TACTUS_REALTIME {
  const bool known = m_look.smallest != Duration::max();
  const std::int64_t periods = known && m_look.smallest > m_terms.jitter + m_period
                                   ? (m_look.smallest - m_terms.jitter) / m_period
                                   : 0;
  const int lateInARow = m_look.lateInARow;
  slip(-periods, at);
  m_look.lateInARow = periods == 0 ? lateInARow : 0;
}

}  // namespace tactus::net
