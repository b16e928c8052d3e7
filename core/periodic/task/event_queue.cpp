// SPDX-License-Identifier: Apache-2.0
#include "core/periodic/task/event_queue.h"

#include <string>
#include <utility>

namespace tactus::periodic {

EventQueue::EventQueue() noexcept {
  sem_init(&m_ready, 0, 0);
}

EventQueue::~EventQueue() {
  sem_destroy(&m_ready);
}

void EventQueue::post(SchedulerEvent event) noexcept {
  const std::uint64_t posted = m_posted.load(std::memory_order_relaxed);  // relaxed: posters take turns
  // acquire: the companion has moved the event out of the slot.
  if (posted - m_delivered.load(std::memory_order_acquire) >= kCapacity) {
    m_lost.fetch_add(1, std::memory_order_relaxed);  // relaxed: a counter
    return;
  }
  m_ring[posted % kCapacity] = std::move(event);
  m_posted.store(posted + 1, std::memory_order_release);  // release: publishes the event
  sem_post(&m_ready);
}

std::uint64_t EventQueue::subscribe(Listener listener) {
  const std::lock_guard lock(m_listenersMutex);
  m_listeners.emplace(m_next, std::move(listener));
  return m_next++;
}

void EventQueue::unsubscribe(std::uint64_t subscription) {
  const std::lock_guard lock(m_listenersMutex);
  m_listeners.erase(subscription);
}

void EventQueue::tell(const SchedulerEvent& event) {
  const std::lock_guard delivering(m_listenersMutex);
  for (const auto& [id, listener] : m_listeners) listener(event);
}

void EventQueue::deliver() {
  for (;;) {
    while (sem_wait(&m_ready) != 0) {  // interrupted by a signal
    }
    const std::uint64_t next = m_delivered.load(std::memory_order_relaxed);  // relaxed: written here only
    if (next == m_posted.load(std::memory_order_acquire)) {
      if (m_stop.load(std::memory_order_acquire)) return;
      continue;
    }
    const SchedulerEvent event = std::move(m_ring[next % kCapacity]);
    m_delivered.store(next + 1, std::memory_order_release);  // release: the slot is free
    tell(event);
    if (const std::uint64_t lost = m_lost.exchange(0, std::memory_order_relaxed); lost > 0)
      tell({SchedulerEvent::Kind::EventsLost, 0, "",
            std::to_string(lost) + " events were lost: they came faster than they could be told."});
  }
}

void EventQueue::stop() noexcept {
  m_stop.store(true, std::memory_order_release);
  sem_post(&m_ready);
}

}  // namespace tactus::periodic
