// SPDX-License-Identifier: Apache-2.0
#include "media/room/ingest/feed_hub.h"

#include <algorithm>
#include <mutex>

namespace tactus::media {

void FeedHub::add(PacketConsumer& consumer) {
  const std::lock_guard lock(m_mutex);
  if (std::find(m_consumers.begin(), m_consumers.end(), &consumer) == m_consumers.end())
    m_consumers.push_back(&consumer);
}

void FeedHub::remove(PacketConsumer& consumer) {
  std::unique_lock lock(m_mutex);
  const auto found = std::find(m_consumers.begin(), m_consumers.end(), &consumer);
  if (found != m_consumers.end()) {
    // The others keep their places in the present group.
    if (static_cast<std::size_t>(found - m_consumers.begin()) < m_next) --m_next;
    m_consumers.erase(found);
  }
  ++m_removers;
  m_callEnded.wait(lock, [&] { return m_called != &consumer; });
  --m_removers;
}

void FeedHub::deliver(std::span<const std::span<const std::byte>> packets) noexcept {
  while (PacketConsumer* consumer = beginCall()) {
    consumer->consume(packets);
    endCall();
  }
}

PacketConsumer* FeedHub::beginCall() noexcept {
  const std::lock_guard lock(m_mutex);
  if (m_next < m_consumers.size()) return m_called = m_consumers[m_next++];
  m_next = 0;
  return nullptr;
}

void FeedHub::endCall() noexcept {
  const std::lock_guard lock(m_mutex);
  m_called = nullptr;
  if (m_removers > 0) m_callEnded.notify_all();
}

std::size_t FeedHub::size() const noexcept {
  const std::lock_guard lock(m_mutex);
  return m_consumers.size();
}

}  // namespace tactus::media
