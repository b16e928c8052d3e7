// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_ring_reader.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace tactus::net {
namespace {

/// Relaxed: the writer's position, loaded before, orders it. Atomic: the peer may change it meanwhile, and it
/// is loaded once.
std::uint64_t wordAt(std::span<std::byte> place) noexcept {
  return std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place.data())).load(std::memory_order_relaxed);
}

}  // namespace

std::span<const std::byte> LocalRingReader::next() TACTUS_REALTIME {
  if (m_state == RingState::Broken) return {};
  m_state = RingState::Ok;
  if (m_record != 0) return m_end.from(m_position).subspan(kRecordHeader, m_record);
  for (;;) {
    if (available() == 0) look();
    if (m_state == RingState::Broken) return {};
    if (available() == 0) {
      m_state = ended() ? RingState::Ended : RingState::Empty;
      return {};
    }
    const std::span<std::byte> rest = m_end.from(m_position);
    const std::size_t most = std::min(rest.size(), available());
    const std::uint64_t word = wordAt(rest);
    if (word != kSkip) {
      if (word == 0 || word > most - kRecordHeader || placeOf(word) > most) return broken();
      m_record = word;
      return rest.subspan(kRecordHeader, word);
    }
    // Not from the ring's beginning: so there is at most one skip.
    if (rest.size() > most || rest.size() == m_end.capacity()) return broken();
    m_position += rest.size();
    m_end.publish(m_position);
  }
}

void LocalRingReader::release() TACTUS_REALTIME {
  if (m_record == 0) return;
  m_position += placeOf(m_record);
  m_record = 0;
  m_end.publish(m_position);
}

std::size_t LocalRingReader::take(std::span<std::byte> into) TACTUS_REALTIME {
  const std::span<const std::byte> record = next();
  if (record.empty()) return 0;
  if (record.size() > into.size()) {
    m_state = RingState::TooLarge;
    return 0;
  }
  std::memcpy(into.data(), record.data(), record.size());
  release();
  return record.size();
}

bool LocalRingReader::prepareWait() TACTUS_REALTIME {
  if (m_state != RingState::Empty) return false;
  m_end.wakeAt(m_position + 1);  // a record, or the end mark
  look();
  return m_state == RingState::Empty && available() == 0 && !ended();
}

std::span<const std::byte> LocalRingReader::broken() TACTUS_REALTIME {
  m_state = RingState::Broken;
  return {};
}

void LocalRingReader::look() TACTUS_REALTIME {
  const std::uint64_t written = m_end.peerPosition();
  if (written == m_written) return;
  const std::uint64_t position = written & ~RingHeader::kEnd;
  if (ended() || position % kRecordHeader != 0 || position < (m_written & ~RingHeader::kEnd) ||
      position - m_position > m_end.capacity())
    m_state = RingState::Broken;
  else
    m_written = written;
}

}  // namespace tactus::net
