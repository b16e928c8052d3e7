// SPDX-License-Identifier: Apache-2.0
#include "core/net/stream/ring_end.h"

#include <atomic>
#include <utility>

namespace tactus::net {
namespace {

using Word = std::atomic_ref<std::uint64_t>;
static_assert(Word::is_always_lock_free, "another process takes no lock of ours");

}  // namespace

RingEnd::RingEnd(const LocalRing& ring, Role role) noexcept
    : m_records(ring.memory().subspan(sizeof(RingHeader))),
      m_ours(ring.descriptors()[1]),
      m_peers(ring.descriptors()[2]) {
  auto* header = reinterpret_cast<RingHeader*>(ring.memory().data());
  m_position = &header->read;
  m_wakesAt = &header->readerWakesAt;
  m_peerPosition = &header->written;
  m_peerWakesAt = &header->writerWakesAt;
  if (role == Role::Reader) return;
  std::swap(m_ours, m_peers);
  std::swap(m_position, m_peerPosition);
  std::swap(m_wakesAt, m_peerWakesAt);
}

void RingEnd::publish(std::uint64_t position) TACTUS_REALTIME {
  Word(*m_position).store(position, std::memory_order_seq_cst);  // why: see the class
  const std::uint64_t wakesAt = Word(*m_peerWakesAt).load(std::memory_order_seq_cst);
  if (wakesAt == m_raisedFor || position < wakesAt) return;
  m_raisedFor = wakesAt;
  m_peers.raise();
}

std::uint64_t RingEnd::peerPosition() const TACTUS_REALTIME {
  return Word(*m_peerPosition).load(std::memory_order_seq_cst);  // why: see the class
}

void RingEnd::wakeAt(std::uint64_t position) TACTUS_REALTIME {
  m_ours.clear();
  Word(*m_wakesAt).store(position, std::memory_order_seq_cst);  // why: see the class
}

}  // namespace tactus::net
