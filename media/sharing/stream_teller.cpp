// SPDX-License-Identifier: Apache-2.0
#include "media/sharing/stream_teller.h"

#include <pthread.h>

#include <algorithm>
#include <mutex>
#include <utility>

namespace tactus::media {

using Lock = std::unique_lock<periodic::PriorityInheritanceMutex>;

void StreamOrder::add(StreamOrder newer) {
  if (newer.thinning) thinning = newer.thinning;
  if (newer.service) service = std::move(newer.service);
  if (newer.held) held = newer.held;
}

StreamTeller::~StreamTeller() {
  {
    const std::lock_guard lock(m_mutex);
    m_quit = true;
  }
  m_ordered.notify_all();
  if (m_thread.joinable()) m_thread.join();
}

void StreamTeller::start() {
  const std::lock_guard lock(m_mutex);
  if (!m_thread.joinable()) m_thread = std::thread([this] { run(); });
}

void StreamTeller::add(std::uint64_t id, GovernedStream& stream) {
  auto entry = std::make_shared<Entry>();
  entry->stream = &stream;
  const std::lock_guard lock(m_mutex);
  m_entries.emplace(id, std::move(entry));
}

void StreamTeller::remove(std::uint64_t id) {
  Lock lock(m_mutex);
  const auto found = m_entries.find(id);
  if (found == m_entries.end()) return;
  const EntryPtr entry = std::move(found->second);
  m_entries.erase(found);
  entry->removed = true;
  const auto self = std::this_thread::get_id();
  m_called.wait(lock, [&] {
    return std::all_of(entry->callers.begin(), entry->callers.end(),
                       [&](std::thread::id caller) { return caller == self; });
  });
}

void StreamTeller::post(std::uint64_t id, StreamOrder order) {
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_entries.find(id);
    if (found == m_entries.end()) return;
    found->second->order.add(std::move(order));
  }
  m_ordered.notify_all();
}

/// Calls the stream without the lock.
template <typename Call>
void StreamTeller::call(Lock& lock, Entry& entry, const Call& made) {
  const auto self = std::this_thread::get_id();
  entry.callers.push_back(self);
  lock.unlock();
  made(*entry.stream);
  lock.lock();
  entry.callers.erase(std::find(entry.callers.begin(), entry.callers.end(), self));
  m_called.notify_all();
}

StreamTeller::EntryPtr StreamTeller::nextLocked() const {
  for (const auto& [id, entry] : m_entries)
    if (!entry->told && !entry->order.empty()) return entry;
  return nullptr;
}

/// One field after the other: a stream may be removed from within a call.
void StreamTeller::tellAll(Lock& lock) {
  while (const EntryPtr entry = nextLocked()) {
    entry->told = true;
    const StreamOrder order = std::exchange(entry->order, {});
    const auto tell = [&](const auto& made) {
      if (!entry->removed) call(lock, *entry, made);
    };
    if (order.thinning) tell([&](GovernedStream& stream) { stream.setThinning(*order.thinning); });
    if (order.service) tell([&](GovernedStream& stream) { stream.setService(*order.service); });
    if (order.held) tell([&](GovernedStream& stream) { stream.setHeld(*order.held); });
    entry->told = false;
  }
}

void StreamTeller::deliver() {
  Lock lock(m_mutex);
  if (!m_thread.joinable()) tellAll(lock);
}

std::map<std::uint64_t, LoadFigures> StreamTeller::ask() {
  Lock lock(m_mutex);
  const std::map<std::uint64_t, EntryPtr> entries = m_entries;
  std::map<std::uint64_t, LoadFigures> figures;
  for (const auto& each : entries)
    if (!each.second->removed)
      call(lock, *each.second, [&](GovernedStream& stream) { figures.emplace(each.first, stream.load()); });
  return figures;
}

void StreamTeller::run() {
  pthread_setname_np(pthread_self(), "tactus-teller");
  Lock lock(m_mutex);
  for (;;) {
    m_ordered.wait(lock, [&] { return m_quit || nextLocked() != nullptr; });
    if (m_quit) return;
    tellAll(lock);
  }
}

}  // namespace tactus::media
