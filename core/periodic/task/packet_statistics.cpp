// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/packet_statistics.h"

namespace tactus::periodic {

void PacketStatistics::recordCompletion(Duration laxity, Duration response) TACTUS_REALTIME {
  m_laxity.record(laxity);
  m_response.record(response);
  increment(m_completed);
  if (laxity < Duration::zero()) increment(m_misses);
}

void PacketStatistics::clear() TACTUS_REALTIME {
  m_packets.store(0, kRelaxed);
  m_completed.store(0, kRelaxed);
  m_misses.store(0, kRelaxed);
  m_violations.store(0, kRelaxed);
  m_laxity.clear();
  m_response.clear();
  m_waited.clear();
}

}  // namespace tactus::periodic
