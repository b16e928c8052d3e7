// SPDX-License-Identifier: Apache-2.0
#include "conference/stream_windows.h"

#include <utility>

namespace tactus::conference {

void StreamWindows::add(const StreamKey& key, media::GovernedStream& stream, std::string name) {
  if (m_governor == nullptr) return;
  media::WindowTerms terms;
  {
    const std::lock_guard lock(m_mutex);
    if (const auto before = m_terms.find(key); before != m_terms.end()) terms = before->second;
  }
  terms.name = std::move(name);
  const auto added = m_governor->add(stream, std::move(terms));
  if (!added.ok()) return;  // terms that were valid are
  const std::lock_guard lock(m_mutex);
  m_windows[key] = added.value();
}

void StreamWindows::remove(const StreamKey& key) {
  std::uint64_t window = 0;
  {
    const std::lock_guard lock(m_mutex);
    const auto found = m_windows.find(key);
    if (found == m_windows.end()) return;
    window = found->second;
    if (const auto now = m_governor->window(window)) m_terms[key] = now->terms;
    m_windows.erase(found);
  }
  m_governor->remove(window);  // waits for the stream, so without the lock
}

std::optional<std::uint64_t> StreamWindows::windowOf(const StreamKey& key) const {
  const std::lock_guard lock(m_mutex);
  const auto found = m_windows.find(key);
  return found != m_windows.end() ? std::optional(found->second) : std::nullopt;
}

std::optional<media::WindowState> StreamWindows::state(const StreamKey& key) const {
  const auto window = windowOf(key);
  return window ? m_governor->window(*window) : std::nullopt;
}

}  // namespace tactus::conference
