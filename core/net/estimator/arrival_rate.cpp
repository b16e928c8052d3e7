// SPDX-License-Identifier: Apache-2.0
#include "core/net/estimator/arrival_rate.h"

#include <algorithm>

namespace tactus::net {

void ArrivalRate::arrived(double instant, double bytes) TACTUS_REALTIME {
  m_bytes += bytes;
  // A report that comes late counts where it belongs.
  for (std::size_t i = 0; i < std::min(m_count, kMarks); ++i)
    if (instant <= m_marks[i].instant) m_marks[i].bytes += bytes;
  if (!m_newest || *m_newest < instant) m_newest = instant;
}

void ArrivalRate::endReport() TACTUS_REALTIME {
  if (!m_newest) return;
  if (m_count > 0 && *m_newest - m_marks[(m_count - 1) % kMarks].instant < kApart) return;
  m_marks[m_count++ % kMarks] = {*m_newest, m_bytes};
}

std::optional<double> ArrivalRate::rate() const TACTUS_REALTIME {
  if (m_count < 2) return std::nullopt;
  const Mark& newest = m_marks[(m_count - 1) % kMarks];
  for (std::size_t back = 1; back < std::min(m_count, kMarks); ++back) {
    const Mark& mark = m_marks[(m_count - 1 - back) % kMarks];
    if (const double time = newest.instant - mark.instant; time >= m_window)
      return 8 * (newest.bytes - mark.bytes) / time;
  }
  return std::nullopt;
}

void ArrivalRate::clear() TACTUS_REALTIME {
  m_count = 0;
  m_newest.reset();
  m_bytes = 0;
}

}  // namespace tactus::net
