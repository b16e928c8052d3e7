// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/local_ring_writer.h"

#include <algorithm>
#include <atomic>
#include <cassert>

namespace tactus::net {
namespace {

/// Relaxed: the position that is published afterwards orders it. Atomic, so that it is one store.
void setWord(std::span<std::byte> place, std::uint64_t value) noexcept {
  std::atomic_ref(*reinterpret_cast<std::uint64_t*>(place.data())).store(value, std::memory_order_relaxed);
}

}  // namespace

std::span<std::byte> LocalRingWriter::room(std::size_t bytes) TACTUS_REALTIME {
  m_room = 0;
  if (m_state == RingState::Broken || m_state == RingState::Ended) return {};
  m_state = RingState::TooLarge;
  if (bytes == 0 || bytes > largest()) return {};
  m_state = RingState::Full;
  const std::size_t place = placeOf(bytes);
  std::size_t tail = m_end.from(m_position).size();
  std::size_t needed = place <= tail ? place : tail + place;
  if (place > tail && free(tail)) {
    // The skip is published at once: a record of more than half the ring has room only once it is read.
    setWord(m_end.from(m_position), kSkip);
    m_position += tail;
    m_end.publish(m_position);
    tail = m_end.capacity();
    needed = place;
  }
  if (place <= tail && free(place)) {
    m_state = RingState::Ok;
    m_room = bytes;
    return m_end.from(m_position).subspan(kRecordHeader, bytes);
  }
  // With a skip to come the reader reaches our position at most. That is enough for the skip.
  m_wanted = m_position + std::min(needed, m_end.capacity()) - m_end.capacity();
  return {};
}

void LocalRingWriter::commit(std::size_t bytes) TACTUS_REALTIME {
  assert(bytes <= m_room);
  if (bytes == 0 || bytes > m_room) return;
  m_room = 0;
  setWord(m_end.from(m_position), bytes);
  m_position += placeOf(bytes);
  m_end.publish(m_position);
}

void LocalRingWriter::close() TACTUS_REALTIME {
  m_room = 0;
  if (m_state == RingState::Broken || m_state == RingState::Ended) return;
  m_state = RingState::Ended;
  m_end.publish(m_position | RingHeader::kEnd);
}

bool LocalRingWriter::prepareWait() TACTUS_REALTIME {
  if (m_state != RingState::Full) return false;
  m_end.wakeAt(m_wanted);
  look();
  return m_state == RingState::Full && m_read < m_wanted;
}

/// Whether the next `bytes` of the ring are free.
bool LocalRingWriter::free(std::size_t bytes) TACTUS_REALTIME {
  if (m_position + bytes - m_read <= m_end.capacity()) return true;
  look();
  return m_state != RingState::Broken && m_position + bytes - m_read <= m_end.capacity();
}

void LocalRingWriter::look() TACTUS_REALTIME {
  const std::uint64_t read = m_end.peerPosition();
  if (read < m_read || read > m_position || read % kRecordHeader != 0)
    m_state = RingState::Broken;
  else
    m_read = read;
}

}  // namespace tactus::net
