// SPDX-License-Identifier: Apache-2.0
#include "media/playback/announcements.h"

#include <utility>

namespace tactus::media {

void Announcements::add(Call call) {
  const std::lock_guard lock(m_mutex);
  m_waiting.push_back(std::move(call));
}

void Announcements::forget() {
  const std::lock_guard lock(m_mutex);
  m_waiting.clear();
}

void Announcements::deliver() {
  std::unique_lock lock(m_mutex);
  if (std::exchange(m_delivering, true)) return;  // that thread tells it all
  while (!m_waiting.empty()) {
    const Call call = std::move(m_waiting.front());
    m_waiting.pop_front();
    lock.unlock();
    call(m_listener);
    lock.lock();
  }
  m_delivering = false;
}

}  // namespace tactus::media
